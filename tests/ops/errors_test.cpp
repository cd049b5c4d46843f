// What operations say about operands that they do not take. Errors are sentences.
#include "support/expect_error.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

Array f(const Shape& shape) { return jnp::ones(shape); }
Array i(const Shape& shape) { return jnp::ones(shape, jnp::int32); }
Array b(const Shape& shape) { return jnp::ones(shape, jnp::bool_); }

TEST(LaxErrors, DtypesThatDiffer) {
  EXPECT_ERROR(TypeError, lax::add(f({3}), i({3})),
               "add: operands must have the same dtype; got f32[3] and i32[3]; convert one, or use the jnp function, which does");
}
TEST(LaxErrors, DtypesThatAreNotTaken) {
  EXPECT_ERROR(TypeError, lax::neg(b({3})), "neg: does not accept dtype bool; accepted dtypes are subtypes of integer, floating, complexfloating; got bool[3]");
  EXPECT_ERROR(TypeError, lax::sin(i({3})), "sin: does not accept dtype int32; accepted dtypes are subtypes of floating, complexfloating; got i32[3]");
  EXPECT_ERROR_HAS(TypeError, f({3}) & f({3}), "and: does not accept dtype float32 at position 0; accepted dtypes at position 0 are subtypes of integer, bool");
  EXPECT_ERROR_HAS(TypeError, b({3}) - b({3}), "sub: does not accept dtype bool at position 0");
}
TEST(LaxErrors, DtypesWithoutAComplexOne) {
  EXPECT_ERROR_HAS(TypeError, lax::conj(jnp::ones({3}, jnp::float16)), "conj: does not accept dtype float16");
  EXPECT_ERROR_HAS(TypeError, lax::complex(jnp::ones({3}, jnp::bfloat16), jnp::ones({3}, jnp::bfloat16)),
                   "complex: does not accept dtype bfloat16");
  EXPECT_ERROR_HAS(TypeError, lax::real(f({3})), "real: does not accept dtype float32; accepted dtypes are subtypes of complexfloating");
}
TEST(LaxErrors, BitcastConvertType) {
  EXPECT_ERROR(ValueError, lax::bitcast_convert_type(jnp::ones({2, 3}, jnp::uint8), jnp::uint32),
               "bitcast_convert_type: the last axis must hold the 4 parts of an element of uint32; got u8[2,3]");
  EXPECT_ERROR_HAS(TypeError, lax::bitcast_convert_type(b({3}), jnp::uint8), "does not support bool or complex values unless");
}
TEST(LaxErrors, ReducePrecision) {
  EXPECT_ERROR(ValueError, lax::reduce_precision(f({3}), 0, 3),
               "reduce_precision: needs exponent_bits >= 1 and mantissa_bits >= 0; got 0 and 3");
}
TEST(LaxErrors, ShapesThatDoNotFit) {
  EXPECT_ERROR(ShapeError, lax::add(f({3}), f({4})),
               "add: shapes do not broadcast: axis 0 has sizes 3 and 4; got f32[3] and f32[4]");
  EXPECT_ERROR(ShapeError, lax::add(f({3}), f({2, 3})),
               "add: operands must have the same number of dimensions or be scalars; got f32[3] and f32[2,3]");
  EXPECT_ERROR(ShapeError, f({2, 3}) + f({2, 2}), "add: shapes do not broadcast: axis 1 has sizes 3 and 2; got f32[2,3] and f32[2,2]");
  EXPECT_ERROR(ShapeError, f({4}) + f({2, 3}), "add: shapes do not broadcast: sizes 4 and 3 meet; got f32[4] and f32[2,3]");
}
TEST(LaxErrors, SizesThatOverflow) {
  const int64_t quarter = int64_t{1} << 62, most = INT64_MAX;
  EXPECT_ERROR_HAS(ShapeError, jnp::tile(f({3, 4}), {1, quarter}), "tile: a size must fit in 63 bits; got 4 * 4611686018427387904");
  EXPECT_ERROR_HAS(ShapeError, lax::tile(f({0, 3}), {most, most}), "must fit in 63 bits");
  EXPECT_ERROR_HAS(ShapeError, lax::split(f({3, 4}), {most, most, 5}, 0), "split: a size must fit in 63 bits");
  EXPECT_ERROR_HAS(ShapeError, jnp::repeat(jnp::zeros({0, 3}), quarter, 1), "repeat: a size must fit in 63 bits");
  Array wide = jnp::zeros({0, quarter});
  EXPECT_ERROR_HAS(ShapeError, jnp::concatenate({wide, wide, wide}, 1), "concatenate: a size must fit in 63 bits");
  EXPECT_EQ(lax::slice(f({3, 4}), {0, 0}, {3, 4}, Shape{most, most}).shape(), (Shape{1, 1}));
  EXPECT_EQ(jnp::max(jnp::zeros({quarter, 0}), {.axis = 0}).shape(), Shape{0});
  EXPECT_ERROR_HAS(OutOfMemoryError, aligned_host_buffer<double>((size_t{1} << 61) + 1), "2305843009213693953 elements of 8 bytes");
}
TEST(LaxErrors, IndexDtypesThatAreTooNarrow) {
  EXPECT_ERROR_HAS(ValueError, lax::argmax(f({300}), 0, jnp::int8), "argmax: int8 does not hold the indices of axis 0");
  EXPECT_EQ(lax::argmax(f({128}), 0, jnp::int8).item<int>(), 0);
  EXPECT_EQ(jnp::sum(jnp::tri(3, 3, INT32_MAX)).item<float>(), 9);
}
TEST(LaxErrors, Transpose) {
  EXPECT_ERROR(ShapeError, lax::transpose(f({2, 3}), {0, 0}),
               "transpose: permutation must hold each axis of the operand once; got permutation (0, 0) for f32[2,3]");
}
TEST(LaxErrors, DotGeneral) {
  EXPECT_ERROR(ShapeError, jnp::matmul(f({3, 4}), f({5, 2})),
               "dot_general: contracting sizes differ: lhs axis 1 is 4, rhs axis 0 is 5; got f32[3,4] and f32[5,2]");
  EXPECT_ERROR(ValueError, jnp::matmul(f({}), f({5})), "matmul: operands need at least one axis; got f32[] and f32[5]");
  EXPECT_ERROR_HAS(ShapeError, jnp::matmul(f({2, 3, 4}), f({5, 4, 2})), "matmul: batch axes do not broadcast");
}
TEST(JnpErrors, Reshape) {
  EXPECT_ERROR(ShapeError, f({6}).reshape({4, 2}),
               "reshape: the number of elements changes; got shape (4, 2) (8 elements) for f32[6] (6 elements)");
  EXPECT_ERROR_HAS(ShapeError, f({6}).reshape({4, -1}), "do not divide");
  EXPECT_ERROR_HAS(TypeError, f({6}).reshape({-1, -1}), "only one size can be -1");
}
TEST(JnpErrors, Axes) {
  EXPECT_ERROR(ValueError, f({2, 3}).sum(2), "sum: axis 2 is out of bounds for an array of dimension 2");
  EXPECT_ERROR_HAS(ValueError, jnp::sum(f({2, 3}), {.axis = {0, -2}}), "sum: axis 0 comes twice");
  EXPECT_ERROR_HAS(ValueError, jnp::squeeze(f({2, 1}), 0), "axis 0 has size 2");
  EXPECT_ERROR_HAS(ValueError, jnp::max(f({0})), "max: a reduction of no elements has no result");
  EXPECT_ERROR_HAS(ValueError, jnp::argmax(f({0})), "argmax: there is no element");
}
TEST(JnpErrors, Joining) {
  EXPECT_ERROR(ShapeError, jnp::concatenate({f({2, 3}), f({3, 2})}),
               "concatenate: shapes may differ along dimension 0 only; got f32[2,3] and f32[3,2]");
  EXPECT_ERROR(ValueError, jnp::concatenate({}), "concatenate: needs at least one array; got none");
  EXPECT_ERROR_HAS(ValueError, jnp::split(f({5}), 2), "does not divide into 2 equal parts");
}
TEST(JnpErrors, Powers) {
  EXPECT_ERROR_HAS(TypeError, jnp::power(i({3}), -1), "an integer cannot be raised to a negative power");
}
TEST(JnpErrors, IntegersThatDoNotFit) {
  EXPECT_ERROR(ValueError, jnp::uint8(300), "array: the integer 300 does not fit in uint8 (0 to 255)");
  EXPECT_ERROR(ValueError, jnp::int8(-129), "array: the integer -129 does not fit in int8 (-128 to 127)");
  EXPECT_ERROR_HAS(ValueError, jnp::uint32(-1), "the integer -1 does not fit in uint32 (0 to 4294967295)");
  EXPECT_ERROR_HAS(ValueError, jnp::array({1, 300}, jnp::uint8), "the integer 300 does not fit in uint8");
  EXPECT_ERROR_HAS(ValueError, jnp::array({{1, 2}, {-3, 4}}, jnp::uint16), "the integer -3 does not fit in uint16");
  EXPECT_ERROR_HAS(ValueError, jnp::full({2}, 300, jnp::int8), "full: the integer 300 does not fit in int8");
  EXPECT_ERROR_HAS(ValueError, jnp::full_like(i({2}), 3000000000), "full_like: the integer 3000000000 does not fit in int32");
  EXPECT_ERROR_HAS(ValueError, i({2}) + 3000000000, "Array: the integer 3000000000 does not fit in int32 (-2147483648 to 2147483647); set the option enable_x64");
  EXPECT_ERROR_HAS(ValueError, f({2}) * 3000000000, "the integer 3000000000 does not fit in int32");
  EXPECT_ERROR_HAS(ValueError, jnp::asarray(3000000000), "the integer 3000000000 does not fit in int32");
  EXPECT_ERROR_HAS(ValueError, jnp::arange(3000000000), "the integer 3000000000 does not fit in int32");
  EXPECT_ERROR_HAS(ValueError, jnp::int32(4294967295u), "the integer 4294967295 does not fit in int32");
}
TEST(JnpErrors, IntegersThatFitTheirDtypeAlone) {
  EXPECT_EQ(jnp::uint32(4294967295u).item<uint32_t>(), 4294967295u);
  EXPECT_EQ(jnp::full({2}, 4294967295u, jnp::uint32)(1).item<uint32_t>(), 4294967295u);
  EXPECT_EQ(jnp::array({4294967295u}, jnp::uint32)(0).item<uint32_t>(), 4294967295u);
  EXPECT_EQ(jnp::int8(-128).item<int>(), -128);
  EXPECT_EQ(jnp::array({300}).astype(jnp::uint8)(0).item<int>(), 44);  // elements of arrays wrap
  EXPECT_EQ(jnp::uint8(jnp::int32(300)).item<int>(), 44);
  EXPECT_EQ((jnp::uint8(1) + 300).item<int>(), 45);  // and so do numbers that take the type of an array, as in JAX
}
TEST(JnpErrors, Data) {
  EXPECT_ERROR_HAS(ValueError, jnp::array({{1.0, 2.0}, {3.0}}), "the lists are not rectangular");
  EXPECT_ERROR_HAS(ValueError, jnp::array({int64_t{3000000000}}), "3000000000 does not fit in int32");
  EXPECT_ERROR_HAS(ValueError, jnp::arange(0, 1, 0), "step must not be 0");
  EXPECT_ERROR_HAS(ShapeError, jnp::zeros({-1}), "sizes must not be negative");
}
TEST(IndexErrors, LargeUnsignedIndicesAreTooLarge) {
  Array x = jnp::arange(3);
  for (Array index : {jnp::array(std::vector<uint32_t>{~0u}), jnp::array(std::vector<uint32_t>{1u << 31})})
    EXPECT_EQ(x(index).to_vector<int>(), std::vector<int>{2});
}
TEST(IndexErrors, AreIndexErrors) {
  EXPECT_ERROR(IndexError, f({3})(1, 2), "index: too many indices: got 2 for f32[3]");
  EXPECT_ERROR_HAS(IndexError, f({3, 4})(ellipsis, ellipsis), "only one ellipsis");
  EXPECT_ERROR_HAS(IndexError, f({0, 3})(0), "index is out of bounds for axis 0 with size 0");
  EXPECT_ERROR_HAS(TypeError, f({3})(f({2})), "an index must be an integer or a slice; got f32[2]");
  EXPECT_ERROR_HAS(ValueError, f({3})(slice({}, {}, 0)), "the step of a slice cannot be zero");
  EXPECT_ERROR_HAS(IndexError, f({3})(jnp::array({true, false})), "a bool index must have the shape of what it indexes");
  EXPECT_ERROR_HAS(IndexError, f({3})(f({3, 1}) > 0), "too many indices: got 2 for f32[3]");
  EXPECT_ERROR_HAS(NonConcreteBooleanIndexError, jit([](Array v) { return v(v > 0); })(f({3})),
                   "index: a bool array must be known to be an index; got a traced bool[3]");
  EXPECT_ERROR_HAS(IndexError, jit([](Array v) { return v(v > 0); })(f({3})), "use jnp::where");
  EXPECT_ERROR_HAS(TypeError, f({3}).at(0).get({.mode = IndexMode::fill, .fill_value = jnp::sum(f({3}))}), "fill_value must be a C++ scalar");
}
TEST(LaxErrors, Scatter) {
  const lax::ScatterDimensionNumbers points{{}, {0}, {0}};
  EXPECT_ERROR(TypeError, lax::scatter(f({5}), i({3, 1}), i({3}), points),
               "scatter: the updates must have the dtype of the operand; got f32[5] and i32[3]; convert them");
  EXPECT_ERROR(TypeError, lax::scatter_add(f({5}), f({3, 1}), f({3}), points), "scatter-add: indices must be integers; got f32[3,1]");
  EXPECT_ERROR_HAS(ShapeError, lax::scatter(f({5}), i({3, 2}), f({3}), points), "must have one entry for each index of a vector");
  EXPECT_ERROR_HAS(ShapeError, lax::scatter(f({5}), i({3, 1}), f({4}), points), "must have the size of axis 0 of the indices");
  EXPECT_ERROR_HAS(ShapeError, lax::scatter(f({5}), i({3, 1}), f({3, 6}), {{1}, {}, {0}}), "the window is larger than the operand along axis 0");
  EXPECT_ERROR_HAS(TypeError, lax::scatter_sub(b({5}), i({3, 1}), b({3}), points), "sub: does not accept dtype bool");
  EXPECT_ERROR_HAS(TypeError, lax::scatter_apply(f({5}), i({3, 1}), [](const Array& x) { return x > 0; }, points, {3}),
                   "scatter_apply: the function must give a scalar of the operand's dtype; got bool[]");
}
TEST(LaxErrors, Order) {
  EXPECT_ERROR(ShapeError, lax::sort(Arrays{f({3}), f({4})}), "sort: arrays must have the same shape; got f32[3] and f32[4]");
  EXPECT_ERROR(ValueError, lax::sort(Arrays{f({3})}, {.num_keys = 2}), "sort: num_keys must be in 1 .. 1; got 2");
  EXPECT_ERROR(ValueError, lax::top_k(f({3}), 4), "top_k: k must be in 0 .. 3; got 4 for f32[3]");
  EXPECT_ERROR_HAS(TypeError, lax::cumsum(b({3})), "cumsum: does not accept dtype bool");
  EXPECT_ERROR_HAS(ValueError, lax::cummax(f({3}), 1), "cummax: axis 1 is out of bounds");
  EXPECT_ERROR_HAS(TypeError, lax::cumlogsumexp(i({3})), "cumlogsumexp: does not accept dtype int32; accepted dtypes are subtypes of floating");
}
TEST(LaxErrors, BlocksAndPadding) {
  EXPECT_ERROR(TypeError, lax::dynamic_update_slice(f({5}), i({2}), {0}),
               "dynamic_update_slice: the update must have the dtype of the operand; got f32[5] and i32[2]; convert it");
  EXPECT_ERROR_HAS(ShapeError, lax::dynamic_update_slice(f({5}), f({6}), {0}), "the update is larger than the operand along axis 0");
  EXPECT_ERROR_HAS(ValueError, lax::dynamic_update_slice(f({5}), f({2}), {0, 0}), "needs one index for each axis; got 2");
  EXPECT_ERROR(ShapeError, lax::pad(f({2}), 0.0f, {{-2, -1, 0}}),
               "pad: axis 0 would have the size -1; got padding_config ((-2, -1, 0),) for f32[2]");
  EXPECT_ERROR_HAS(ValueError, lax::pad(f({2}), 0.0f, {{0, 0, -1}}), "interior padding must not be negative");
  EXPECT_ERROR_HAS(TypeError, lax::pad(f({2}), i({}), {{0, 0, 0}}), "pad: operands must have the same dtype");
}
TEST(LaxErrors, Reduce) {
  auto add = [](const Array& x, const Array& y) { return x + y; };
  EXPECT_ERROR(TypeError, lax::reduce(f({3}), jnp::int32(0), add, {0}),
               "reduce: an initial value must have the dtype of its array; got f32[3] and i32[]");
  EXPECT_ERROR_HAS(ShapeError, lax::reduce(f({3}), f({1}), add, {0}), "initial values must be scalars");
  EXPECT_ERROR_HAS(TypeError, lax::reduce(f({3}), jnp::float32(0), [](const Array& x, const Array& y) { return x < y; }, {0}),
                   "the function must give a scalar of each array's dtype; got bool[]");
}
TEST(Errors, OfAnEmptyArray) {
  EXPECT_ERROR_HAS(ValueError, jnp::sin(Array()), "empty");
  EXPECT_ERROR_HAS(ValueError, Array() + 1.0, "empty");
}

}  // namespace
}  // namespace tenon
