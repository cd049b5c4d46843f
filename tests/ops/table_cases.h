// The table of elementwise primitives: each with its function, and inputs of every dtype that hold the
// values at which such functions go wrong. By the public API only; tests/ops/table_test.cpp runs it
// three ways, tests/oracle/table.cpp hands it to JAX.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tenon/tenon.h"

namespace tenon::test {

struct TableOp {
  std::string name;
  int operands;
  Array (*function)(const Arrays& x);
};

inline const std::vector<DType>& table_dtypes() {
  static const std::vector<DType> all = {jnp::bool_,   jnp::int8,     jnp::int16,   jnp::int32,   jnp::int64,
                                         jnp::uint8,   jnp::uint16,   jnp::uint32,  jnp::uint64,  jnp::float16,
                                         jnp::bfloat16, jnp::float32, jnp::float64, jnp::complex64, jnp::complex128};
  return all;
}

/// The part of a complex element is one of these too. Ordinary numbers follow after the special ones.
inline std::vector<double> special_floats(DType dtype) {
  const double inf = std::numeric_limits<double>::infinity();
  double max = 3.4028234663852886e38, normal = 0x1p-126, least = 0x1p-149;
  if (dtype == jnp::float16) max = 65504, normal = 0x1p-14, least = 0x1p-24;
  if (dtype == jnp::bfloat16) max = 3.3895313892515355e38, least = 0x1p-133;
  if (dtype == jnp::float64 || dtype == jnp::complex128) max = 1.7976931348623157e308, normal = 0x1p-1022, least = 0x1p-1074;
  return {0.0,  -0.0, 1.0,    -1.0,  0.5,    -0.5,   1.5,   2.0,     2.5,  -2.5, 3.0,  -3.5,    inf,
          -inf, std::nan(""), max,   -max,   normal, -normal, least, -least, 3.140625, 0.0009765625, -20.25, 88.75,
          -104.5, 710.5, 1e4,  0.9990234375, -0.9990234375, 1.0078125, 0.25};
}

inline double ordinary(uint64_t k) {  // between -4 and 4, without a pattern
  k = (k + 1) * 0x9E3779B97F4A7C15u;
  k = (k ^ (k >> 29)) * 0xBF58476D1CE4E5B9u;
  return static_cast<double>(static_cast<int64_t>((k ^ (k >> 32)) >> 11)) * 0x1p-50 - 4;
}

inline std::vector<int64_t> special_integers(DType dtype) {
  const int bits = dtype.bits();
  const int64_t max = dtype.is_signed() ? static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1) : static_cast<int64_t>(bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1);
  const int64_t min = dtype.is_signed() ? -max - 1 : 0;
  return {0, 1, 2, 3, -1, -2, -3, 7, 10, max, static_cast<int64_t>(static_cast<uint64_t>(max) - 1), min, min + 1, bits - 1, bits, 100, 53, -77};
}

/// `count` elements for operand number `k`: special values first, each beside each of another
/// operand's when there are enough elements.
inline Array table_input(DType dtype, const Shape& shape, int k, uint64_t seed = 0) {
  const auto count = static_cast<size_t>(shape.num_elements());
  // Operand 0 walks fast, operand 1 once for each round of operand 0, and so on.
  const auto pick = [&](size_t i, size_t specials, size_t part) -> size_t {
    size_t index = i + seed * 5;
    for (size_t step = 0; step < static_cast<size_t>(k) * 1 + part; ++step) index /= specials;
    return index;
  };
  const auto number = [&](const std::vector<double>& specials, size_t i, size_t part) {
    const size_t rounds = specials.size() * specials.size();
    if (i >= rounds && (i / 3) % 2 == 0) return ordinary(i * 7 + part * 3 + static_cast<size_t>(k) + seed);
    return specials[pick(i, specials.size(), part) % specials.size()];
  };
  const auto reals = [&](DType type, size_t part) {
    const std::vector<double> specials = special_floats(type);
    std::vector<double> values;
    for (size_t i = 0; i < count; ++i) values.push_back(number(specials, i, part));
    return lax::reshape(jnp::array(values, type), shape);
  };
  if (dtype.is_complex()) {
    const DType part = dtype == jnp::complex64 ? jnp::float32 : jnp::float64;
    return lax::complex(reals(part, 0), reals(part, 1));
  }
  if (dtype.is_floating()) return reals(dtype, 0);
  if (dtype.is_bool()) {
    std::vector<bool> values;
    for (size_t i = 0; i < count; ++i) values.push_back((i >> k & 1) != 0);
    return lax::reshape(jnp::array(values), shape);
  }
  const std::vector<int64_t> specials = special_integers(dtype);
  std::vector<int64_t> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(i >= specials.size() * specials.size() && i % 2 == 0 ? static_cast<int64_t>(i * 2654435761u + static_cast<size_t>(k)) % 1000
                                                                          : specials[pick(i, specials.size(), 0) % specials.size()]);
  return lax::reshape(lax::convert_element_type(jnp::array(values, jnp::int64), dtype), shape);
}

/// `shape`, with a further axis where a bitcast makes one element of several.
inline Shape table_shape(const TableOp& op, DType dtype, Shape shape) {
  if (!op.name.starts_with("bitcast_")) return shape;
  const int parts = DType::parse(op.name.substr(8)).bits() / dtype.bits();
  if (parts > 1) shape.push_back(parts);
  return shape;
}

#define TENON_UNARY(name) {#name, 1, [](const Arrays& x) { return lax::name(x[0]); }}
#define TENON_BINARY(name) {#name, 2, [](const Arrays& x) { return lax::name(x[0], x[1]); }}
#define TENON_CONVERT(type) {"convert_" #type, 1, [](const Arrays& x) { return lax::convert_element_type(x[0], jnp::type); }}
#define TENON_BITCAST(type) {"bitcast_" #type, 1, [](const Arrays& x) { return lax::bitcast_convert_type(x[0], jnp::type); }}

inline const std::vector<TableOp>& table_ops() {
  static const std::vector<TableOp> all = {
      TENON_UNARY(neg), TENON_UNARY(sign), TENON_UNARY(floor), TENON_UNARY(ceil), TENON_UNARY(round),
      {"round_even", 1, [](const Arrays& x) { return lax::round(x[0], lax::RoundingMethod::to_nearest_even); }},
      TENON_UNARY(is_finite), TENON_UNARY(abs), TENON_UNARY(exp), TENON_UNARY(exp2), TENON_UNARY(expm1), TENON_UNARY(log),
      TENON_UNARY(log1p), TENON_UNARY(log2), TENON_UNARY(sin), TENON_UNARY(cos), TENON_UNARY(tan), TENON_UNARY(asin),
      TENON_UNARY(acos), TENON_UNARY(atan), TENON_UNARY(sinh), TENON_UNARY(cosh), TENON_UNARY(tanh), TENON_UNARY(asinh),
      TENON_UNARY(acosh), TENON_UNARY(atanh), TENON_UNARY(logistic), TENON_UNARY(sqrt), TENON_UNARY(rsqrt),
      TENON_UNARY(cbrt), TENON_UNARY(erf), TENON_UNARY(erfc), TENON_UNARY(erf_inv), TENON_UNARY(lgamma),
      TENON_UNARY(digamma), TENON_UNARY(square), TENON_UNARY(bitwise_not), TENON_UNARY(population_count), TENON_UNARY(clz),
      TENON_UNARY(real), TENON_UNARY(imag), TENON_UNARY(conj), TENON_UNARY(copy), TENON_UNARY(stop_gradient),
      {"integer_pow_3", 1, [](const Arrays& x) { return lax::integer_pow(x[0], 3); }},
      {"integer_pow_5", 1, [](const Arrays& x) { return lax::integer_pow(x[0], 5); }},
      {"integer_pow_-2", 1, [](const Arrays& x) { return lax::integer_pow(x[0], -2); }},
      {"reduce_precision_5_10", 1, [](const Arrays& x) { return lax::reduce_precision(x[0], 5, 10); }},
      {"reduce_precision_8_7", 1, [](const Arrays& x) { return lax::reduce_precision(x[0], 8, 7); }},
      {"reduce_precision_4_3", 1, [](const Arrays& x) { return lax::reduce_precision(x[0], 4, 3); }},
      {"reduce_precision_11_52", 1, [](const Arrays& x) { return lax::reduce_precision(x[0], 11, 52); }},
      TENON_CONVERT(bool_), TENON_CONVERT(int8), TENON_CONVERT(int16), TENON_CONVERT(int32), TENON_CONVERT(int64),
      TENON_CONVERT(uint8), TENON_CONVERT(uint16), TENON_CONVERT(uint32), TENON_CONVERT(uint64), TENON_CONVERT(float16),
      TENON_CONVERT(bfloat16), TENON_CONVERT(float32), TENON_CONVERT(float64), TENON_CONVERT(complex64),
      TENON_CONVERT(complex128),
      TENON_BITCAST(uint8), TENON_BITCAST(int16), TENON_BITCAST(float16), TENON_BITCAST(float32), TENON_BITCAST(int64),
      TENON_BINARY(add), TENON_BINARY(sub), TENON_BINARY(mul), TENON_BINARY(div), TENON_BINARY(rem), TENON_BINARY(max),
      TENON_BINARY(min), TENON_BINARY(pow), TENON_BINARY(atan2), TENON_BINARY(nextafter), TENON_BINARY(bitwise_and),
      TENON_BINARY(bitwise_or), TENON_BINARY(bitwise_xor), TENON_BINARY(shift_left), TENON_BINARY(shift_right_arithmetic),
      TENON_BINARY(shift_right_logical), TENON_BINARY(eq), TENON_BINARY(ne), TENON_BINARY(lt), TENON_BINARY(le),
      TENON_BINARY(gt), TENON_BINARY(ge), TENON_BINARY(complex),
      {"clamp", 3, [](const Arrays& x) { return lax::clamp(x[0], x[1], x[2]); }},
      {"select_n", 2, [](const Arrays& x) { return lax::select_n(lax::eq(x[0], x[1]), {x[0], x[1]}); }},
  };
  return all;
}
#undef TENON_UNARY
#undef TENON_BINARY
#undef TENON_CONVERT
#undef TENON_BITCAST

}  // namespace tenon::test
