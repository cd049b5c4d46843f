#include "support/programs.h"

#include <cmath>
#include <cstring>

#include "core/nodes.h"

namespace tenon::test {
namespace {

Aval F(std::initializer_list<int64_t> shape = {}) { return {Shape(shape), DType(DType::kFloat32), false}; }
Aval I(std::initializer_list<int64_t> shape = {}) { return {Shape(shape), DType(DType::kInt32), false}; }
Aval B(std::initializer_list<int64_t> shape = {}) { return {Shape(shape), DType(DType::kBool), false}; }
Aval of(DType::Code dtype, std::initializer_list<int64_t> shape, bool weak = false) { return {Shape(shape), DType(dtype), weak}; }
Aval I8(std::initializer_list<int64_t> shape) { return of(DType::kInt8, shape); }
Aval U32(std::initializer_list<int64_t> shape) { return of(DType::kUInt32, shape); }
Aval BF(std::initializer_list<int64_t> shape) { return of(DType::kBFloat16, shape); }
Aval H(std::initializer_list<int64_t> shape) { return of(DType::kFloat16, shape); }
Aval C(std::initializer_list<int64_t> shape) { return of(DType::kComplex64, shape); }
Aval U(std::initializer_list<int64_t> shape = {}) { return {Shape(shape), DType(DType::kUInt8), false}; }

// Memory of the test's own, so that no backend is needed.
class OwnBuffer final : public Buffer {
 public:
  OwnBuffer(const void* data, int64_t size) : data_(data), size_(size) {}
  int64_t size_bytes() const override { return size_; }
  Device device() const override { return Device(); }
  bool is_ready() const override { return true; }
  void wait() const override {}
  const void* host_data() const override { return data_; }
  void copy_to_host(void* destination) const override { std::memcpy(destination, data_, static_cast<size_t>(size_)); }
  const void* unsafe_pointer() const override { return data_; }
  void mark_deleted() override {}
  bool is_deleted() const override { return false; }

 private:
  const void* data_;
  int64_t size_;
};

Array concrete(const void* data, const Aval& aval) {
  return detail::array_of(BufferRef(new OwnBuffer(data, aval.nbytes())), aval);
}
const Array& constant() {
  static const float data[] = {0, 1, 2, 3, 4, 5};
  static const Array array = concrete(data, F({6}));
  return array;
}
const Array& vector() {
  static const int32_t data[] = {0, 2};
  static const Array array = concrete(data, I({2}));
  return array;
}

#define P(name, expression, ...)                                                                                      \
  {name,                                                                                                              \
   [](const Arrays& in) -> Arrays {                                                                                   \
     [[maybe_unused]] Array x = in.size() > 0 ? in[0] : Array(), y = in.size() > 1 ? in[1] : Array(),                 \
                            z = in.size() > 2 ? in[2] : Array(), w = in.size() > 3 ? in[3] : Array();                 \
     return Arrays(expression);                                                                                       \
   },                                                                                                                 \
   {__VA_ARGS__}}
#define A(...) Arrays{__VA_ARGS__}

}  // namespace

const std::vector<Program>& programs() {
  static const std::vector<Program> all_programs = {
      // promotion and scalars
      P("add_scalar", A(x + 1.0), F({3})),
      P("add_int_scalar", A(x + 1), F({3})),
      P("int_add_float_scalar", A(x + 1.5), I({3})),
      P("strong_scalar", A(x * jnp::float32(2)), F({3})),
      P("int_strong_scalar", A(x * jnp::float32(2)), I({3})),
      P("scalars_only", A(jnp::add(1.0, 2.0) + x), F({3})),
      P("mixed_scalars", A(jnp::add(1, 2.0))),
      P("sin_scalar", A(jnp::sin(2.0) * x), F({3})),
      P("float_int", A(x + y), F({3}), I({3})),
      P("bool_int_scalar", A(jnp::minimum(x, 0)), B({3})),
      P("rank_promotion", A(x == y), F({3}), I({2, 3})),
      P("ones_broadcast", A(x + y), F({1, 3}), F({2, 3})),
      P("scalar_array", A(x + y), F(), F({2, 3})),
      P("constant_twice", A((x + constant()) * constant()), F({6})),
      P("bool_add", A(x + y), B({3}), B({3})),
      P("bool_multiply", A(x * y), B({3}), B({3})),
      P("u8_i8", A(x + y), U({2}), I8({2})),
      P("u32_i32", A(x + y), U32({2}), I({2})),
      P("bf16_f16", A(x + y), BF({2}), H({2})),
      P("i32_bf16", A(x + y), I({2}), BF({2})),
      P("f32_c64", A(x + y), F({2}), C({2})),
      P("bool_u8", A(x + y), B({2}), U({2})),
      P("f16_scalar", A(x * 0.1 + 1), H({2})),
      P("u8_scalar", A(x + 1), U({2})),
      P("weak_input", A(x * 2), of(DType::kFloat32, {}, true)),
      P("weak_int_input", A(x * 2.5), of(DType::kInt32, {}, true)),
      P("weak_meets_strong", A(x * y), of(DType::kFloat32, {}, true), F({2})),
      P("extreme_literals", A(jnp::where(y, x, -INFINITY), jnp::maximum(x, NAN), x * -0.5, x + 1e-20, x * 1e30), F({2}), B({2})),
      // unary
      P("sin", A(jnp::sin(x)), F({3})),
      P("sin_int", A(jnp::sin(x)), I({3})),
      P("sin_bool", A(jnp::sin(x)), B({3})),
      P("cos", A(jnp::cos(x)), F({3})),
      P("tanh", A(jnp::tanh(x)), F({3})),
      P("exp", A(jnp::exp(x)), F({3})),
      P("log", A(jnp::log(x)), F({3})),
      P("sqrt", A(jnp::sqrt(x)), I({3})),
      P("rsqrt", A(jnp::rsqrt(x)), F({3})),
      P("square", A(jnp::square(x)), F({3})),
      P("square_int", A(jnp::square(x)), I({3})),
      P("square_bool", A(jnp::square(x)), B({3})),
      P("abs", A(jnp::abs(x)), F({3})),
      P("abs_bool", A(jnp::abs(x)), B({3})),
      P("sign", A(jnp::sign(x)), F({3})),
      P("sign_unsigned", A(jnp::sign(x)), U({3})),
      P("floor", A(jnp::floor(x)), F({3})),
      P("floor_int", A(jnp::floor(x)), I({3})),
      P("round", A(jnp::round(x)), F({3})),
      P("round_2", A(jnp::round(x, 2)), F({3})),
      P("round_int", A(jnp::round(x)), I({3})),
      P("lax_round", A(lax::round(x)), F({3})),
      P("neg", A(-x), F({3})),
      P("not_bool", A(~x), B({3})),
      P("not_int", A(~x), I({3})),
      P("isnan", A(jnp::isnan(x)), F({3})),
      P("isfinite", A(jnp::isfinite(x)), F({3})),
      P("isfinite_int", A(jnp::isfinite(x)), I({3})),
      P("isinf", A(jnp::isinf(x)), F({3})),
      P("logical_not", A(jnp::logical_not(x)), F({3})),
      P("reciprocal", A(jnp::reciprocal(x)), F({3})),
      P("astype_int", A(x.astype(jnp::int32)), F({3})),
      P("astype_bool", A(x.astype(jnp::bool_)), F({3})),
      P("int_astype_bool", A(x.astype(jnp::bool_)), I({3})),
      P("astype_same", A(x.astype(jnp::float32)), F({3})),
      P("bool_astype", A(x.astype(jnp::float32)), B({3})),
      // powers
      P("power_3", A(jnp::power(x, 3)), F({3})),
      P("power_m2", A(jnp::power(x, -2)), F({3})),
      P("power_m3", A(jnp::power(x, -3)), F({3})),
      P("power_0", A(jnp::power(x, 0)), F({3})),
      P("power_1", A(jnp::power(x, 1)), F({3})),
      P("power_2_int", A(jnp::power(x, 2)), I({3})),
      P("power_2_bool", A(jnp::power(x, 2)), B({3})),
      P("power_5", A(jnp::power(x, 5)), F({3})),
      P("power_7", A(jnp::power(x, 7)), F({3})),
      P("power_half", A(jnp::power(x, 0.5)), F({3})),
      P("power_array", A(jnp::power(x, y)), F({3}), F({3})),
      P("power_of_2", A(jnp::power(2, x)), F({3})),
      P("power_int_int", A(jnp::power(x, y)), I({3}), I({3})),
      // binary
      P("int_divide", A(x / y), I({3}), I({3})),
      P("divide_scalar", A(x / 2), I({3})),
      P("floor_divide_int", A(jnp::floor_divide(x, y)), I({3}), I({3})),
      P("floor_divide_float", A(jnp::floor_divide(x, y)), F({3}), F({3})),
      P("floor_divide_scalar", A(jnp::floor_divide(x, 2)), F({3})),
      P("remainder_float", A(x % y), F({3}), F({3})),
      P("remainder_int_scalar", A(x % 2), I({3})),
      P("remainder_scalar", A(x % 2.0), F({3})),
      P("and_bool", A(x & y), B({3}), B({3})),
      P("or_mixed", A(x | y), B({3}), I({3})),
      P("xor_bool", A(x ^ y), B({3}), B({3})),
      P("less_bool", A(x < y), B({3}), B({3})),
      P("less_mixed", A(x < y), F({3}), I({3})),
      P("not_equal_zero", A(x != 0), F({3})),
      P("logical_and", A(jnp::logical_and(x, x)), F({3})),
      P("logical_and_int", A(jnp::logical_and(x, 1)), F({3})),
      P("logical_or_true", A(jnp::logical_or(x, true)), B({3})),
      P("maximum", A(jnp::maximum(x, 0)), F({3})),
      P("maximum_left", A(jnp::maximum(0.0, x)), F({3})),
      P("lax_rem", A(lax::rem(x, y)), F({3}), F({3})),
      P("lax_clamp", A(lax::clamp(0.0, x, 1.0)), F({3, 4})),
      P("divisions", A(jnp::floor_divide(x, y), x % y, x / y), I({3}), I({3})),
      P("arithmetic", A((x * 2.0 + 1) / 4), F({2, 3})),
      // choosing
      P("where", A(jnp::where(x, y, 0.0)), B({3}), F({3})),
      P("where_condition", A(jnp::where(x > 0, y, 0)), F({3}), F({2, 3})),
      P("where_scalars", A(jnp::where(x, 1, 2.0)), B()),
      P("where_mixed", A(jnp::where(x, y, z)), F({3}), I({3, 1}), F({1, 3})),
      P("where_weak", A(jnp::where(x, 1, 0.0)), B({3})),
      P("clip", A(jnp::clip(x, 0.0, 1.0)), F({3})),
      P("clip_int", A(jnp::clip(x, 0, 1)), F({3})),
      P("clip_min", A(jnp::clip(x, {.min = 0})), I({3})),
      P("clip_max", A(jnp::clip(x, {.max = 0})), I({3})),
      P("select_n_int", A(lax::select_n(x, {y, z, w})), I({3}), F({3}), F({3}), F({3})),
      P("where_empty", A(jnp::where(x, y, 0.0)), B({0, 3}), F({3})),
      // creation
      P("zeros", A(jnp::zeros({2, 3}))),
      P("ones_int", A(jnp::ones({2, 3}, jnp::int32))),
      P("ones_scalar", A(jnp::ones({}))),
      P("full", A(jnp::full({2, 3}, 1.5))),
      P("full_traced", A(jnp::full({2, 3}, x)), F()),
      P("ones_like", A(jnp::ones_like(x)), I({3})),
      P("full_like", A(jnp::full_like(x, 2)), F({3})),
      P("arange", A(jnp::arange(5))),
      P("arange_float", A(jnp::arange(5.0))),
      P("arange_2", A(jnp::arange(2, 5))),
      P("arange_3", A(jnp::arange(2, 10, 3))),
      P("arange_step", A(jnp::arange(0.0, 1.0, 0.1))),
      P("linspace", A(jnp::linspace(0, 1, 5))),
      P("linspace_traced", A(jnp::linspace(0, x, 5)), F()),
      P("linspace_vector", A(jnp::linspace(x, 1.0, 5)), F({3})),
      P("linspace_open", A(jnp::linspace(0, 10, 5, {.endpoint = false, .dtype = jnp::int32}))),
      P("linspace_1", A(jnp::linspace(0, 1, 1))),
      P("eye", A(jnp::eye(3))),
      P("eye_k", A(jnp::eye(3, 4, 1, jnp::int32))),
      P("tri", A(jnp::tri(3, 3))),
      P("array_of_traced", A(jnp::array({1.0, x})), F()),
      P("array_copy", A(jnp::array(x)), F({3, 4})),
      P("asarray", A(jnp::asarray(x)), F({3, 4})),
      P("asarray_scalar", A(x + jnp::asarray(2.0)), F({3})),
      P("literals", A(jnp::sin(0.1), x * 0.1, jnp::clip(x, 0.1, 0.9), jnp::full({2}, 0.1)), F({3})),
      // reductions
      P("sum", A(jnp::sum(x)), F({3, 4})),
      P("sum_axis", A(jnp::sum(x, {.axis = 1})), F({3, 4})),
      P("sum_keepdims", A(jnp::sum(x, {.axis = {0, 2}, .keepdims = true})), F({3, 4, 5})),
      P("sum_bool", A(jnp::sum(x)), B({3})),
      P("sum_scalar", A(jnp::sum(x)), F()),
      P("sum_uint8", A(jnp::sum(x)), U({3})),
      P("prod", A(jnp::prod(x)), F({3})),
      P("mean", A(jnp::mean(x, {.axis = 0})), F({3, 4})),
      P("mean_int", A(jnp::mean(x, {.axis = 0, .keepdims = true})), I({3, 4})),
      P("mean_bool", A(jnp::mean(x)), B({3})),
      P("max", A(jnp::max(x)), F({3, 4})),
      P("max_keepdims", A(jnp::max(x, {.axis = 1, .keepdims = true})), F({3, 4})),
      P("max_int", A(jnp::max(x)), I({3})),
      P("min_int", A(jnp::min(x)), I({3})),
      P("max_bool", A(jnp::max(x)), B({3})),
      P("min", A(jnp::min(x)), F({3})),
      P("max_uint8", A(jnp::max(x)), U({3})),
      P("any", A(jnp::any(x)), F({3})),
      P("all", A(jnp::all(x, {.axis = 0})), I({3, 2})),
      P("argmax", A(jnp::argmax(x)), F({3, 4})),
      P("argmin_axis", A(jnp::argmin(x, {.axis = 1})), F({3, 4})),
      P("argmin_keepdims", A(jnp::argmin(x, {.axis = 1, .keepdims = true})), F({3, 4})),
      P("argmax_int", A(jnp::argmax(x, {.axis = 0})), I({3, 4})),
      P("argmax_twice", A(jnp::argmax(x) + jnp::argmax(y) + jnp::argmin(x)), F({3}), F({3})),
      P("var", A(jnp::var(x)), F({3, 3})),
      P("std", A(jnp::std(x, {.axis = 0})), F({3, 3})),
      P("sum_bf16", A(jnp::sum(x)), BF({3})),
      P("mean_f16", A(jnp::mean(x, {.axis = 1})), H({3, 2})),
      P("transpose_sum", A(jnp::transpose(x, {4, 0, 3, 1, 2}).sum({.axis = {1, 3}})), F({2, 3, 4, 5, 6})),
      P("argmax_bf16", A(jnp::argmax(x)), BF({3})),
      // products
      P("dot_matrix", A(jnp::dot(x, y)), F({3, 4}), F({4, 5})),
      P("dot_vector", A(jnp::dot(x, y)), F({4}), F({4})),
      P("dot_scalar", A(jnp::dot(x, y)), F(), F({4})),
      P("dot_nd", A(jnp::dot(x, y)), F({2, 3, 4}), F({5, 4, 6})),
      P("dot_mixed", A(jnp::dot(x, y)), F({3, 4}), I({4, 5})),
      P("dot_int", A(jnp::dot(x, y)), I({3, 4}), I({4, 5})),
      P("matmul", A(jnp::matmul(x, y)), F({3, 4}), F({4, 5})),
      P("matmul_vector", A(jnp::matmul(x, y)), F({3, 4}), F({4})),
      P("vector_matmul", A(jnp::matmul(x, y)), F({4}), F({4, 5})),
      P("matmul_batch", A(jnp::matmul(x, y)), F({2, 3, 4}), F({2, 4, 5})),
      P("matmul_left_batch", A(jnp::matmul(x, y)), F({2, 3, 4}), F({4, 5})),
      P("matmul_right_batch", A(jnp::matmul(x, y)), F({3, 4}), F({2, 4, 5})),
      P("matmul_one", A(jnp::matmul(x, y)), F({1, 3, 4}), F({2, 4, 5})),
      P("matmul_ones", A(jnp::matmul(x, y)), F({2, 1, 3, 4}), F({5, 4, 5})),
      P("matmul_both_one", A(jnp::matmul(x, y)), F({2, 1, 3, 4}), F({2, 1, 4, 5})),
      P("vector_matmul_batch", A(jnp::matmul(x, y)), F({4}), F({2, 4, 5})),
      P("outer", A(jnp::outer(x, y)), F({3, 2}), F({4})),
      P("inner", A(jnp::inner(x, y)), F({2, 3}), F({4, 3})),
      P("tensordot", A(jnp::tensordot(x, y, 1)), F({2, 3}), F({3, 4})),
      P("vdot", A(jnp::vdot(x, y)), F({2, 3}), F({2, 3})),
      P("matmul_empty", A(jnp::matmul(x, y), x.sum(0), jnp::concatenate({x, x})), F({0, 3}), F({3, 0})),
      P("matmul_bf16", A(jnp::matmul(x, y)), BF({2, 3}), BF({3, 4})),
      // shapes
      P("T", A(x.T()), F({3, 4})),
      P("T_vector", A(x.T()), F({3})),
      P("transpose", A(jnp::transpose(x, {2, 0, 1})), F({3, 4, 5})),
      P("reshape", A(x.reshape({2, 6})), F({3, 4})),
      P("reshape_same", A(x.reshape({3, 4})), F({3, 4})),
      P("ravel", A(jnp::ravel(x)), F({3, 4})),
      P("squeeze", A(jnp::squeeze(x)), F({3, 1, 4, 1})),
      P("squeeze_axis", A(jnp::squeeze(x, 1)), F({3, 1, 4, 1})),
      P("expand_dims", A(jnp::expand_dims(x, {0, -1})), F({3, 4})),
      P("broadcast_to", A(jnp::broadcast_to(x, {2, 3, 4})), F({3, 4})),
      P("broadcast_to_size1", A(jnp::broadcast_to(x, {3, 4})), F({3, 1})),
      P("broadcast_to_scalar", A(jnp::broadcast_to(x, {3, 4})), F()),
      P("concatenate", A(jnp::concatenate({x, y}, 1)), F({3, 4}), I({3, 2})),
      P("concatenate_one", A(jnp::concatenate({x})), F({3, 4})),
      P("concatenate_many", A(jnp::concatenate(Arrays(20, x))), F({2})),
      P("stack", A(jnp::stack({x, y})), F({3, 4}), F({3, 4})),
      P("stack_last", A(jnp::stack({x, y}, -1)), F({3, 4}), F({3, 4})),
      P("split", jnp::split(x, 3), F({6, 4})),
      P("split_at", jnp::split(x, {2, 3}, 1), F({6, 4})),
      P("flip", A(jnp::flip(x)), F({3, 3})),
      P("tile", A(jnp::tile(x, {2, 1})), F({3, 3})),
      P("repeat", A(jnp::repeat(x, 2, 0)), F({3, 3})),
      P("swapaxes", A(jnp::swapaxes(x, 0, 2)), F({3, 4, 5})),
      P("moveaxis", A(jnp::moveaxis(x, 0, -1)), F({3, 4, 5})),
      P("lax_slice", A(lax::slice(x, {0, 1}, {2, 3}, Shape{1, 2})), F({3, 4})),
      P("lax_dynamic_slice", A(lax::dynamic_slice(x, {y, 0}, {2, 3})), F({3, 4}), I()),
      P("lax_dynamic_slice_known", A(lax::dynamic_slice(x, {0, -1}, {2, 3})), F({3, 4})),
      P("barrier", A(lax::optimization_barrier(x)), F({3, 4})),
      P("barriers", lax::optimization_barrier(A(x, y)), F({3}), I({2})),
      P("stop_gradient", A(lax::stop_gradient(x)), F({3})),
      // comparing
      P("array_equal", A(jnp::array_equal(x, y)), F({3}), F({3})),
      P("array_equal_shapes", A(jnp::array_equal(x, y)), F({3}), F({4})),
      P("allclose", A(jnp::allclose(x, y)), F({3}), F({3})),
      P("isclose", A(jnp::isclose(x, y)), I({3}), F({3})),
      P("isclose_rtol", A(jnp::isclose(x, y, 1e-3)), F({3}), F({3})),
      // nn
      P("softmax", A(nn::softmax(x)), F({3, 4})),
      P("softmax_axis", A(nn::softmax(x, 0)), F({3, 4})),
      P("log_softmax", A(nn::log_softmax(x)), F({3, 4})),
      P("sigmoid", A(nn::sigmoid(x)), F({3, 4})),
      P("silu", A(nn::silu(x)), F({3, 4})),
      P("gelu", A(nn::gelu(x)), F({3, 4})),
      // indexing
      P("index_int", A(x(0)), F({4, 3})),
      P("index_negative", A(x(-1)), F({4, 3})),
      P("index_two", A(x(2, -1)), F({4, 3})),
      P("index_slice", A(x(slice(1, 3))), F({4, 3})),
      P("index_reverse", A(x(slice({}, {}, -1))), F({4, 3})),
      P("index_ellipsis_new", A(x(ellipsis, newaxis)), F({4, 3})),
      P("index_column", A(x(all, 1)), F({4, 3})),
      P("index_strides", A(x(slice({}, {}, 2), slice(1, {}))), F({4, 3})),
      P("index_back", A(x(slice(5, 2, -1))), F({8})),
      P("index_back_2", A(x(slice(-1, 1, -2))), F({8})),
      P("index_empty", A(x(slice(0, 0))), F({8})),
      P("index_beyond", A(x(slice(10, 20))), F({8})),
      P("index_whole", A(x(all)), F({8})),
      P("index_new_front", A(x(newaxis, slice(1, 3), newaxis)), F({8})),
      P("index_many", A(x(1, newaxis, ellipsis, 0)), F({8, 3, 2})),
      P("index_too_large", A(x(5)), F({3})),
      P("index_too_small", A(x(-5)), F({3})),
      P("index_traced", A(x(y)), F({4, 3}), I()),
      P("index_traced_vector", A(x(y)), F({3}), I()),
      P("index_traced_unsigned", A(x(y)), F({3}), U()),
      P("index_traced_column", A(x(ellipsis, y)), F({4, 5}), I()),
      P("index_traced_two", A(x(y, z)), F({4, 5}), I(), I()),
      P("index_traced_slice", A(x(y, slice(1, 3))), F({4, 5}), I()),
      P("index_traced_back", A(x(y, slice({}, {}, -1))), F({4, 5}), I()),
      P("index_traced_stride", A(x(y, slice({}, {}, 2))), F({4, 5}), I()),
      P("index_traced_new", A(x(y, newaxis)), F({4, 5}), I()),
      P("index_traced_known", A(x(-1, y)), F({3, 4}), I()),
      P("index_array", A(x(y)), F({4, 5}), I({2, 3})),
      P("index_array_column", A(x(all, y)), F({4, 5}), I({2, 3})),
      P("index_arrays", A(x(y, z)), F({4, 5}), I({3}), I({3})),
      P("index_array_scalar", A(x(y, z)), F({4, 5}), I(), I({3})),
      P("index_arrays_apart", A(x(y, all, z)), F({4, 5, 6}), I({3}), I({3})),
      P("index_array_int", A(x(y, 1)), F({4, 5}), I({3})),
      P("index_int_array", A(x(1, y)), F({4, 5}), I({3})),
      P("index_array_slice", A(x(y, slice(1, 3))), F({4, 5}), I({3})),
      P("index_new_array", A(x(newaxis, y)), F({4, 5}), I({3})),
      P("index_constant", A(x(vector())), F({4, 5})),
      P("take", A(jnp::take(x, y)), F({5}), I({3})),
      P("take_axis", A(jnp::take(x, y, {.axis = 1})), F({4, 5}), I({2, 3})),
      P("take_scalar", A(jnp::take(x, y, {.axis = 0})), I({4, 5}), I()),
      P("take_clip", A(jnp::take(x, y, {.axis = 0, .mode = jnp::TakeMode::clip})), I({4, 5}), I()),
      // data movement, running totals, order, products of every dtype
      P("dynamic_update_slice", A(lax::dynamic_update_slice(x, y, {z, 1})), F({4, 5}), F({2, 2}), I()),
      P("dynamic_update_slice_unsigned", A(lax::dynamic_update_slice(x, y, {z})), F({200}), F({2}), U()),
      P("pad", A(lax::pad(x, jnp::float32(0), {{1, -1, 2}, {0, 3, 0}})), F({4, 5})),
      P("pad_negative", A(lax::pad(x, y, {{-2, -1, 1}})), I({5}), I()),
      P("reduce_xor", A(lax::reduce_xor(x, {0})), I({4, 5})),
      P("reduce_xor_bool", A(lax::reduce_xor(x, {1})), B({4, 5})),
      P("reduce", A(lax::reduce(x, jnp::float32(0), [](const Array& a, const Array& b) { return a * 2 + b; }, {0})), F({5})),
      P("reduce_two", lax::reduce(Arrays{x, y}, {jnp::float32(0), jnp::int32(1)}, [](const Arrays& a, const Arrays& b) { return Arrays{a[0] + b[0], a[1] * b[1]}; }, {0}), F({5, 2}), I({5, 2})),
      P("cumsum", A(lax::cumsum(x, 0)), F({4, 5})),
      P("cumsum_reverse", A(lax::cumsum(x, 1, true)), F({4, 5})),
      P("cumprod", A(lax::cumprod(x, 0)), F({4, 5})),
      P("cumprod_reverse", A(lax::cumprod(x, 1, true)), F({4, 5})),
      P("cummax", A(lax::cummax(x, 0)), F({4, 5})),
      P("cummax_reverse", A(lax::cummax(x, 1, true)), F({4, 5})),
      P("cummin", A(lax::cummin(x, 0)), F({4, 5})),
      P("cummin_reverse", A(lax::cummin(x, 1, true)), F({4, 5})),
      P("cumlogsumexp", A(lax::cumlogsumexp(x, 0)), F({4, 5})),
      P("cumlogsumexp_reverse", A(lax::cumlogsumexp(x, 1, true)), F({4, 5})),
      P("cumsum_one", A(lax::cumsum(x, 0)), F({1})),
      P("cumsum_empty", A(lax::cumsum(x, 0)), F({0, 3})),
      P("cumsum_i8", A(lax::cumsum(x, 0)), I8({5})),
      P("cumsum_bf16", A(lax::cumsum(x, 0)), BF({50})),
      P("cumsum_c64", A(lax::cumsum(x, 0)), C({5})),
      P("cummax_int", A(lax::cummax(x, 0)), U({5})),
      P("jnp_cumsum", A(jnp::cumsum(x)), F({4, 5})),
      P("jnp_cumsum_bool", A(jnp::cumsum(x, {.axis = -1})), B({4, 5})),
      P("jnp_cumsum_dtype", A(jnp::cumsum(x, {.axis = 1, .dtype = jnp::float32})), I8({4, 5})),
      P("jnp_cumprod", A(jnp::cumprod(x, {.axis = 0})), I({4, 5})),
      P("lax_sort", A(lax::sort(x)), F({5, 3})),
      P("lax_sort_unsigned", A(lax::sort(x)), U({5})),
      P("lax_sort_half", A(lax::sort(x)), H({5})),
      P("lax_sort_complex", A(lax::sort(x)), C({5})),
      P("lax_sort_keys", lax::sort(Arrays{x, y, z}, {.dimension = 0, .is_stable = false, .num_keys = 2}), I({6, 3}), B({6, 3}), F({6, 3})),
      P("lax_sort_key_val", lax::sort_key_val(x, y), F({6}), U({6})),
      P("jnp_sort", A(jnp::sort(x, {.axis = 0})), F({5, 3})),
      P("jnp_sort_flat", A(jnp::sort(x, {.axis = std::nullopt, .descending = true})), F({5, 3})),
      P("argsort", A(jnp::argsort(x)), F({5, 3})),
      P("argsort_descending", A(jnp::argsort(x, {.descending = true})), I({9})),
      P("argsort_unstable", A(jnp::argsort(x, {.axis = 0, .stable = false})), B({5, 3})),
      P("top_k", lax::top_k(x, 2), F({3, 5})),
      P("top_k_axis", lax::top_k(x, 2, 0), I({3, 5})),
      P("top_k_unsigned", lax::top_k(x, 3), U({7})),
      P("scatter", A(lax::scatter(x, y, z, {{}, {0}, {0}})), F({5}), I({4, 1}), F({4})),
      P("scatter_add", A(lax::scatter_add(x, y, z, {{}, {0}, {0}})), F({5}), I({4, 1}), F({4})),
      P("scatter_mul", A(lax::scatter_mul(x, y, z, {{}, {0}, {0}})), F({5}), I({4, 1}), F({4})),
      P("scatter_min", A(lax::scatter_min(x, y, z, {{}, {0}, {0}})), F({5}), I({4, 1}), F({4})),
      P("scatter_max", A(lax::scatter_max(x, y, z, {{}, {0}, {0}})), F({5}), I({4, 1}), F({4})),
      P("scatter_sub", A(lax::scatter_sub(x, y, z, {{}, {0}, {0}})), F({5}), I({4, 1}), F({4})),
      P("scatter_clip", A(lax::scatter_add(x, y, z, {{}, {0}, {0}}, {.mode = lax::GatherScatterMode::clip})), F({5}), I({4, 1}), F({4})),
      P("scatter_clip_unsigned", A(lax::scatter_add(x, y, z, {{}, {0}, {0}}, {.mode = lax::GatherScatterMode::clip})), F({300}), U({3, 1}), F({3})),
      P("scatter_promise", A(lax::scatter_min(x, y, z, {{}, {0}, {0}}, {.indices_are_sorted = true, .unique_indices = true, .mode = lax::GatherScatterMode::promise_in_bounds})), F({5}), U({3, 1}), F({3})),
      P("scatter_rows", A(lax::scatter_add(x, y, z, {{1}, {0}, {0}})), F({5, 2}), I({4, 1}), F({4, 2})),
      P("scatter_window", A(lax::scatter_add(x, y, z, {{1}, {}, {0}})), F({6}), I({4, 1}), F({4, 2})),
      P("scatter_window_clip", A(lax::scatter_mul(x, y, z, {{1}, {}, {0}}, {.mode = lax::GatherScatterMode::clip})), F({6}), I({4, 1}), F({4, 2})),
      P("scatter_points", A(lax::scatter(x, y, z, {{}, {0, 1}, {1, 0}})), I({4, 5}), I({6, 2}), I({6})),
      P("scatter_columns", A(lax::scatter_add(x, y, z, {{0}, {1}, {1}})), I8({4, 5}), I8({3, 1}), I8({4, 3})),
      P("scatter_batch", A(lax::scatter_max(x, y, z, {{}, {1}, {1}, {0}, {0}})), F({3, 4}), I({3, 2, 1}), F({3, 2})),
      P("scatter_bool", A(lax::scatter_max(x, y, z, {{}, {0}, {0}})), B({5}), I({4, 1}), B({4})),
      P("scatter_complex", A(lax::scatter_add(x, y, z, {{}, {0}, {0}})), C({5}), I({4, 1}), C({4})),
      P("scatter_half", A(lax::scatter_add(x, y, z, {{}, {0}, {0}})), H({5}), I({4, 1}), H({4})),
      P("scatter_scalar", A(lax::scatter(x, y, z, {{}, {0}, {0}})), F({5}), I({1}), F()),
      P("scatter_apply", A(lax::scatter_apply(x, y, [](const Array& v) { return jnp::sin(v); }, {{}, {0}, {0}}, {3})), F({5}), I({3, 1})),
      P("scatter_twice", A(lax::scatter_add(lax::scatter_add(x, y, z, {{}, {0}, {0}}), y, z, {{}, {0}, {0}})), F({5}), I({3, 1}), F({3})),
      P("dot_i8", A(lax::dot_general(x, y, {{2}, {1}, {0}, {0}}, {.preferred_element_type = jnp::int32})), I8({2, 3, 4}), I8({2, 4, 5})),
      P("dot_bf16", A(lax::dot(x, y)), BF({3, 4}), BF({4, 5})),
      P("dot_f16_f32", A(lax::dot_general(x, y, {{2}, {1}, {0}, {0}}, {.preferred_element_type = jnp::float32})), H({2, 3, 4}), H({2, 4, 5})),
      P("dot_u8", A(lax::dot(x, y)), U({3, 4}), U({4})),
      P("dot_c64", A(lax::dot(x, y)), C({3, 4}), C({4, 5})),
      P("dot_bool", A(lax::dot(x, y)), B({3, 4}), B({4, 5})),
      P("dot_mixed", A(lax::dot_general(x, y, {{1}, {0}})), I8({3, 4}), F({4, 5})),
      P("argmax_bf16", A(lax::argmax(x, 0, jnp::int32)), BF({30, 3})),
      P("argmin_bool", A(lax::argmin(x, 1, jnp::int32)), B({3, 5})),
      P("reduce_sum_f16", A(lax::reduce_sum(x, {0})), H({30, 3})),
      P("reduce_prod_i8", A(lax::reduce_prod(x, {0})), I8({30, 3})),
      P("reduce_max_empty", A(lax::reduce_max(x, {0})), F({0, 3})),
      P("reduce_and_int", A(lax::reduce_and(x, {1})), U({3, 4})),
      // results and programs in programs
      P("results", A(x, x, 1.0, constant()), F({6})),
      P("dead_code", ((void)(x * 2), A(x + 1)), F({3})),
  };
  return all_programs;
}

}  // namespace tenon::test
