// Floating numbers: uniform, and what is computed from uniform ones.
#include <cmath>
#include <limits>

#include "base/fail.h"
#include "base/promotion.h"
#include "core/nodes.h"
#include "library/random/key.h"

namespace tenon::random {

Array literal(double value, DType dtype) { return Array(detail::make_scalar(value, dtype, false)); }
Array integer_literal(int64_t value, DType dtype) { return Array(detail::make_scalar(value, dtype, false)); }

Array broadcast_to_rank(const Array& x, int ndim) {
  if (x.ndim() >= ndim) return x;
  return lax::expand_dims(x, detail::axis_range(0, ndim - x.ndim()));
}

void check_shape(const char* who, const Shape& shape, const Array& parameter) {
  const Shape own = parameter.shape();
  bool fits = own.size() <= shape.size();
  for (size_t i = 0; fits && i < own.size(); ++i)
    fits = own[own.size() - 1 - i] == 1 || own[own.size() - 1 - i] == shape[shape.size() - 1 - i];
  if (!fits) fail<ValueError>(who, "a parameter must broadcast to the shape ", shape, "; got ", parameter.aval());
}

DType floating_dtype(const char* who, std::optional<DType> dtype) {
  const DType type = canonical_dtype(dtype.value_or(jnp::float64));
  if (!type.is_floating()) fail<ValueError>(who, "dtype must be floating; got ", type);
  return type;
}

namespace {

// Bits of the significand without the hidden one, and 1.0, of a floating dtype.
struct FloatLayout {
  int mantissa;
  int64_t one;
};
FloatLayout layout_of(DType dtype) {
  switch (dtype.code()) {
    case DType::kBFloat16: return {7, 0x3f80};
    case DType::kFloat16: return {10, 0x3c00};
    case DType::kFloat32: return {23, 0x3f800000};
    case DType::kFloat64: return {52, 0x3ff0000000000000};
    default: fail<UnimplementedError>("uniform", "no numbers of dtype ", dtype);
  }
}
DType unsigned_of(int bits) { return bits == 16 ? jnp::uint16 : bits == 32 ? jnp::uint32 : jnp::uint64; }

double smallest_normal(DType dtype) {
  switch (dtype.code()) {
    case DType::kFloat16: return 0x1p-14;
    case DType::kFloat64: return std::numeric_limits<double>::min();
    default: return std::numeric_limits<float>::min();
  }
}

// Random bits as the significand of a number in [1, 2), moved to [minval, maxval).
Array uniform_body(const Array& key, const Array& minval, const Array& maxval, const Shape& shape, DType dtype) {
  Array low = lax::convert_element_type(minval, dtype), high = lax::convert_element_type(maxval, dtype);
  low = broadcast_to_rank(low, shape.ndim());
  high = broadcast_to_rank(high, shape.ndim());
  const FloatLayout layout = layout_of(dtype);
  const DType word = unsigned_of(dtype.bits());
  const int random_bit_count = layout.mantissa < 8 ? 8 : dtype.bits();
  Array words = random_bits(key, random_bit_count, shape);
  if (random_bit_count != dtype.bits()) words = lax::convert_element_type(words, word);
  words = lax::shift_right_logical(words, integer_literal(random_bit_count - layout.mantissa, word));
  words = lax::bitwise_or(words, integer_literal(layout.one, word));
  const Array numbers = lax::sub(lax::bitcast_convert_type(words, dtype), literal(1, dtype));
  const Array moved = jnp::add(jnp::multiply(numbers, jnp::subtract(high, low)), low);
  return lax::max(low, lax::reshape(moved, shape));
}

}  // namespace

Array uniform_jitted(const Array& key, const Shape& shape, DType dtype, const Array& minval, const Array& maxval, bool max_first) {
  check_shape("uniform", shape, minval);
  check_shape("uniform", shape, maxval);
  auto body = [&](const Arrays& in) -> Arrays { return {uniform_body(in[0], in[max_first ? 2 : 1], in[max_first ? 1 : 2], shape, dtype)}; };
  return detail::call_jitted("_uniform", body, {key, max_first ? maxval : minval, max_first ? minval : maxval}, shape.num_elements())[0];
}

Array uniform(const Operand& key, const Shape& shape, const UniformOptions& options) {
  detail::FunctionScope site(key.loc);
  const Array typed = check_key("uniform", key.value).key;
  return uniform_jitted(typed, shape, floating_dtype("uniform", options.dtype), options.minval, options.maxval);
}
Array uniform(const Operand& key, const Shape& shape, std::optional<DType> dtype) {
  return uniform(key, shape, UniformOptions{.dtype = dtype});
}

// The number after -1 in the direction of 0.
static double after_minus_one(DType dtype) { return -1 + std::ldexp(1.0, -layout_of(dtype).mantissa - 1); }

static Array real_normal(const Array& key, const Shape& shape, DType dtype) {
  auto body = [&](const Arrays& in) -> Arrays {
    const Array u = uniform_jitted(in[0], shape, dtype, literal(after_minus_one(dtype), dtype), literal(1, dtype));
    return {lax::mul(literal(std::sqrt(2.0), dtype), lax::erf_inv(u))};
  };
  return detail::call_jitted("_normal_real", body, {key}, shape.num_elements())[0];
}

static Array imaginary_unit(DType dtype) {
  auto node = detail::make_ref<detail::ScalarNode>(Aval{{}, dtype});
  const double parts[2] = {0, 1};
  detail::convert_elements(parts, DType(DType::kComplex128), node->bytes, dtype, 1);
  return Array(node);
}

Array normal(const Operand& key, const Shape& shape, std::optional<DType> dtype) {
  detail::FunctionScope site(key.loc);
  const Array typed = check_key("normal", key.value).key;
  const DType type = canonical_dtype(dtype.value_or(jnp::float64));
  if (!type.is_inexact()) fail<ValueError>("normal", "dtype must be floating or complex; got ", type);
  auto body = [&](const Arrays& in) -> Arrays {
    if (!type.is_complex()) return {real_normal(in[0], shape, type)};
    const DType real = type.code() == DType::kComplex64 ? jnp::float32 : jnp::float64;
    const Arrays keys = split_in_two(in[0]);
    const Array re = lax::convert_element_type(real_normal(keys[0], shape, real), type);
    const Array im = lax::convert_element_type(real_normal(keys[1], shape, real), type);
    return {jnp::divide(jnp::add(re, jnp::multiply(imaginary_unit(type), im)), literal(std::sqrt(2.0), type))};
  };
  return detail::call_jitted("_normal", body, {typed}, shape.num_elements())[0];
}

Array gumbel(const Operand& key, const Shape& shape, std::optional<DType> dtype) {
  detail::FunctionScope site(key.loc);
  const Array typed = check_key("gumbel", key.value).key;
  const DType type = floating_dtype("gumbel", dtype);
  auto body = [&](const Arrays& in) -> Arrays {
    const Array u = uniform_jitted(in[0], shape, type, literal(smallest_normal(type), type), Array(1.0), true);
    return {-jnp::log(-jnp::log(u))};
  };
  return detail::call_jitted("_gumbel", body, {typed}, shape.num_elements())[0];
}

Array bernoulli(const Operand& key, const Operand& p, const std::optional<Shape>& shape) {
  detail::FunctionScope site(key.loc);
  const Array typed = check_key("bernoulli", key.value).key;
  const DType dtype = p.value.dtype();
  if (!dtype.is_floating()) fail<TypeError>("bernoulli", "the probability must be floating; got ", p.value.aval());
  const Shape result = shape.value_or(p.value.shape());
  check_shape("bernoulli", result, p.value);
  auto body = [&](const Arrays& in) -> Arrays {
    return {jnp::less(uniform_jitted(in[0], result, dtype, Array(0.0), Array(1.0)), in[1])};
  };
  return detail::call_jitted("_bernoulli", body, {typed, lax::convert_element_type(p.value, dtype)}, result.num_elements())[0];
}

Array categorical(const Operand& key, const Operand& logits, const CategoricalOptions& options) {
  detail::FunctionScope site(key.loc);
  const Array typed = check_key("categorical", key.value).key;
  const Array& x = logits.value;
  const int axis = static_cast<int>(detail::canonical_axis("categorical", options.axis, x.ndim()));
  std::vector<int64_t> batch = x.shape().dims();
  batch.erase(batch.begin() + axis);
  const Shape shape = options.shape.value_or(Shape(batch));
  const size_t extra = shape.size() - std::min(shape.size(), batch.size());
  for (size_t i = 0; i < batch.size(); ++i)
    if (shape.size() < batch.size() || (batch[i] != 1 && batch[i] != shape[extra + i]))
      fail<ValueError>("categorical", "shape must end in that of the logits without axis ", axis, ", ", Shape(batch), "; got ", shape);
  std::vector<int64_t> noise = shape.dims();
  noise.insert(noise.begin() + static_cast<std::ptrdiff_t>(extra) + axis, x.shape()[axis]);
  const Array g = gumbel(typed, Shape(noise), x.dtype());
  const Array wide = extra == 0 ? x : lax::expand_dims(x, detail::axis_range(0, static_cast<int64_t>(extra)));
  return jnp::argmax(g + wide, {.axis = static_cast<int>(extra) + axis});
}

}  // namespace tenon::random
