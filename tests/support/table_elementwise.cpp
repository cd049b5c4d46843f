// Rows of the table: elementwise primitives.
#include "support/table.h"

namespace tenon::test {
namespace {

template <int count>
Arrays operands(const TableCase& c) {
  Arrays all;
  for (int k = 0; k < count; ++k) all.push_back(table_elements(c, c.shape, k));
  return all;
}

// A bitcast to a larger dtype makes one element of several.
template <int bits>
Arrays parts(const TableCase& c) {
  Shape shape = c.shape;
  if (!c.dtype.is_prng_key() && bits > c.dtype.bits()) shape.push_back(bits / c.dtype.bits());
  return {table_elements(c, shape, 0)};
}

// A small order as a float, and a point.
Arrays order_and_point(const TableCase& c) {
  if (c.dtype.is_prng_key()) return operands<2>(c);
  const Array whole = table_elements({jnp::int32, c.shape, "plain"}, c.shape, 1);
  return {lax::convert_element_type(lax::rem(lax::abs(whole), lax::full_like(whole, 5)), c.dtype), table_elements(c, c.shape, 0)};
}

template <int64_t choices>
Arrays choice(const TableCase& c) {
  const TableCase indices{choices == 2 ? jnp::bool_ : jnp::int32, c.shape, "special"};
  Arrays all = {table_elements(indices, c.shape, 5)};
  if (choices > 2) all[0] = lax::rem(lax::abs(lax::shift_right_logical(all[0], Array(jnp::int32(1)))), Array(jnp::int32(choices)));
  for (int k = 0; k < choices; ++k) all.push_back(table_elements(c, c.shape, k));
  return all;
}

}  // namespace

#define TENON_FUNCTION(...) [](const Arrays& x) -> Arrays { return {__VA_ARGS__}; }
#define TENON_FORM(form, count, ...) {form, TableShapes::elementwise, operands<count>, TENON_FUNCTION(__VA_ARGS__)}
#define TENON_UNARY(name) TENON_FORM(#name, 1, lax::name(x[0]))
#define TENON_BINARY(name) TENON_FORM(#name, 2, lax::name(x[0], x[1]))
#define TENON_NEAR(name) {#name, TableShapes::elementwise, operands<1>, TENON_FUNCTION(lax::name(x[0])), 8}
#define TENON_CONVERT(type) TENON_FORM("convert_element_type " #type, 1, lax::convert_element_type(x[0], jnp::type))
#define TENON_BITCAST(type, bits) \
  {"bitcast_convert_type " #type, TableShapes::elementwise, parts<bits>, TENON_FUNCTION(lax::bitcast_convert_type(x[0], jnp::type))}

void append_elementwise_rows(std::vector<TableRow>& rows) {
  const std::vector<TableRow> own = {
      TENON_UNARY(abs),
      TENON_NEAR(acos),
      TENON_NEAR(acosh),
      TENON_BINARY(add),
      TENON_BINARY(add_any),
      TENON_FORM("and", 2, lax::bitwise_and(x[0], x[1])),
      TENON_NEAR(asin),
      TENON_NEAR(asinh),
      TENON_NEAR(atan),
      {"atan2", TableShapes::elementwise, operands<2>, TENON_FUNCTION(lax::atan2(x[0], x[1])), 8},
      TENON_NEAR(atanh),
      TENON_BITCAST(uint8, 8), TENON_BITCAST(int16, 16), TENON_BITCAST(float16, 16), TENON_BITCAST(float32, 32), TENON_BITCAST(int64, 64),
      TENON_NEAR(cbrt),
      TENON_UNARY(ceil),
      TENON_FORM("clamp", 3, lax::clamp(x[0], x[1], x[2])),
      TENON_UNARY(clz),
      TENON_BINARY(complex),
      TENON_UNARY(conj),
      TENON_CONVERT(bool_), TENON_CONVERT(int8), TENON_CONVERT(int16), TENON_CONVERT(int32), TENON_CONVERT(int64),
      TENON_CONVERT(uint8), TENON_CONVERT(uint16), TENON_CONVERT(uint32), TENON_CONVERT(uint64), TENON_CONVERT(float16),
      TENON_CONVERT(bfloat16), TENON_CONVERT(float32), TENON_CONVERT(float64), TENON_CONVERT(complex64), TENON_CONVERT(complex128),
      TENON_UNARY(copy),
      TENON_FORM("custom_jvp_call", 1, nn::relu(x[0])),
      TENON_NEAR(cos),
      TENON_NEAR(cosh),
      TENON_NEAR(digamma),
      TENON_BINARY(div),
      TENON_BINARY(eq),
      TENON_NEAR(erf),
      TENON_NEAR(erf_inv),
      TENON_NEAR(erfc),
      TENON_NEAR(exp),
      TENON_NEAR(exp2),
      TENON_NEAR(expm1),
      TENON_UNARY(floor),
      TENON_BINARY(ge),
      TENON_BINARY(gt),
      TENON_UNARY(imag),
      TENON_FORM("integer_pow 3", 1, lax::integer_pow(x[0], 3)),
      TENON_FORM("integer_pow 5", 1, lax::integer_pow(x[0], 5)),
      {"integer_pow -2", TableShapes::elementwise, operands<1>, TENON_FUNCTION(lax::integer_pow(x[0], -2)), 8},
      TENON_UNARY(is_finite),
      TENON_FORM("jit", 2, jit([](const Array& a, const Array& b) { return lax::select(lax::ne(a, b), a, b); })(x[0], x[1])),
      TENON_BINARY(le),
      TENON_NEAR(lgamma),
      TENON_NEAR(log),
      TENON_NEAR(log1p),
      TENON_NEAR(log2),
      TENON_NEAR(logistic),
      TENON_BINARY(lt),
      TENON_BINARY(max),
      TENON_BINARY(min),
      TENON_BINARY(mul),
      TENON_BINARY(ne),
      TENON_UNARY(neg),
      TENON_BINARY(nextafter),
      TENON_FORM("not", 1, lax::bitwise_not(x[0])),
      TENON_UNARY(one_minus_square),
      TENON_FORM("optimization_barrier", 1, lax::optimization_barrier(x[0])),
      TENON_FORM("or", 2, lax::bitwise_or(x[0], x[1])),
      {"polygamma", TableShapes::elementwise, operands<2>, TENON_FUNCTION(lax::polygamma(x[0], x[1])), 8},
      {"polygamma order", TableShapes::elementwise, order_and_point, TENON_FUNCTION(lax::polygamma(x[0], x[1])), 8},
      TENON_UNARY(population_count),
      {"pow", TableShapes::elementwise, operands<2>, TENON_FUNCTION(lax::pow(x[0], x[1])), 8},
      {"pow int32", TableShapes::elementwise,
       [](const TableCase& c) -> Arrays { return {table_elements(c, c.shape, 0), table_elements({jnp::int32, c.shape, "plain"}, c.shape, 1)}; },
       TENON_FUNCTION(lax::pow(x[0], x[1])), 8},
      TENON_UNARY(real),
      TENON_FORM("reduce_precision 5 10", 1, lax::reduce_precision(x[0], 5, 10)),
      TENON_FORM("reduce_precision 5 7", 1, lax::reduce_precision(x[0], 5, 7)),
      TENON_FORM("reduce_precision 8 7", 1, lax::reduce_precision(x[0], 8, 7)),
      TENON_FORM("reduce_precision 4 3", 1, lax::reduce_precision(x[0], 4, 3)),
      TENON_FORM("reduce_precision 11 52", 1, lax::reduce_precision(x[0], 11, 52)),
      TENON_BINARY(rem),
      TENON_UNARY(round),
      TENON_FORM("round even", 1, lax::round(x[0], lax::RoundingMethod::to_nearest_even)),
      TENON_NEAR(rsqrt),
      {"select_n", TableShapes::elementwise, choice<2>, TENON_FUNCTION(lax::select_n(x[0], {x[1], x[2]}))},
      {"select_n int32", TableShapes::elementwise, choice<3>, TENON_FUNCTION(lax::select_n(x[0], {x[1], x[2], x[3]}))},
      TENON_BINARY(shift_left),
      TENON_BINARY(shift_right_arithmetic),
      TENON_BINARY(shift_right_logical),
      TENON_UNARY(sign),
      TENON_NEAR(sin),
      TENON_NEAR(sinh),
      TENON_NEAR(sqrt),
      TENON_UNARY(square),
      TENON_UNARY(stop_gradient),
      TENON_BINARY(sub),
      TENON_NEAR(tan),
      TENON_NEAR(tanh),
      TENON_FORM("xor", 2, lax::bitwise_xor(x[0], x[1])),
      {"zeta", TableShapes::elementwise, operands<2>, TENON_FUNCTION(lax::zeta(x[0], x[1])), 8},
  };
  rows.insert(rows.end(), own.begin(), own.end());
}

}  // namespace tenon::test
