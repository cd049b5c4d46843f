// Elements for the table of primitives: the values at which functions go wrong, and ordinary ones.
#include <cmath>
#include <limits>

#include "support/table.h"
#include "tenon/detail/host.h"

namespace tenon::test {
namespace {

uint64_t mixed(uint64_t k) {
  k = (k + 1) * 0x9E3779B97F4A7C15u;
  k = (k ^ (k >> 29)) * 0xBF58476D1CE4E5B9u;
  return k ^ (k >> 32);
}
double ordinary(uint64_t k) { return static_cast<double>(static_cast<int64_t>(mixed(k) >> 11)) * 0x1p-50 - 4; }  // in [-4, 4)

std::vector<double> special_floats(DType dtype) {
  const double inf = std::numeric_limits<double>::infinity();
  double max = 3.4028234663852886e38, normal = 0x1p-126, least = 0x1p-149;
  if (dtype == jnp::float16) max = 65504, normal = 0x1p-14, least = 0x1p-24;
  if (dtype == jnp::bfloat16) max = 3.3895313892515355e38, least = 0x1p-133;
  if (dtype == jnp::float64 || dtype == jnp::complex128) max = 1.7976931348623157e308, normal = 0x1p-1022, least = 0x1p-1074;
  return {0.0,  -0.0,  1.0,  -1.0, 0.5,    -0.5,    1.5,    2.0,      2.5,          -2.5,   3.0,
          -3.5, inf,   -inf, NAN,  max,    -max,    normal, -normal,  least,        -least, 3.140625,
          0.0009765625, -20.25, 88.75, -104.5, 710.5, 1e4, 0.9990234375, -0.9990234375, 1.0078125, 0.25};
}

std::vector<int64_t> special_integers(DType dtype) {
  const int bits = dtype.bits();
  const uint64_t all = ~uint64_t{0} >> (64 - bits);
  const int64_t max = static_cast<int64_t>(dtype.is_signed() ? all >> 1 : all), min = dtype.is_signed() ? -max - 1 : 0;
  return {0, 1, 2, 3, -1, -2, -3, 7, 10, max, static_cast<int64_t>(static_cast<uint64_t>(max) - 1), min, min + 1, bits - 1, bits, 100, 53, -77};
}

std::vector<double> floats(std::string_view set, DType dtype) {
  std::vector<double> values;
  if (set == "plain")
    for (int k = -11; k < 12; ++k) values.push_back(k / 4.0);
  else if (set == "dots")
    for (int k = -4; k < 5; ++k) values.push_back(k / 2.0);
  else if (set == "factors")
    values = {1.0, -1.0, 0.5, 2.0, 1.25, 0.75};
  else
    values = special_floats(dtype);
  return values;
}

std::vector<int64_t> integers(std::string_view set, DType dtype) {
  if (set == "plain") return {-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5};
  if (set == "dots") return {0, 1, -1, 7, -128, std::numeric_limits<int32_t>::max(), int64_t{1} << 62};
  if (set == "factors") return {1, -1, 3, 2, 5};
  return special_integers(dtype);
}

// Which value of a set stands at place i of part `part` (operands, and in complex ones real and imaginary parts).
// Part 0 walks fast, part 1 shifts by one for each round of part 0, so that all pairs come; others jump.
size_t pick(const TableCase& c, size_t i, size_t part, size_t count) {
  if (c.values != "pairs" || part > 1) return mixed(i * 8 + part) % count;
  return part == 0 ? i % count : (i / count + 7 * i) % count;
}

template <class Number>
std::vector<Number> numbers(const TableCase& c, const std::vector<Number>& values, size_t size, size_t part) {
  std::vector<Number> out;
  const size_t pairs = values.size() * values.size(), first = c.values == "pairs" ? size * 5 : 0;
  for (size_t i = 0; i < size; ++i) {
    const bool is_ordinary = c.values == "pairs" && i >= pairs && (i / 3) % 2 == 0;
    if (is_ordinary && std::is_same_v<Number, double>) out.push_back(static_cast<Number>(ordinary(i * 7 + part)));
    else if (is_ordinary) out.push_back(static_cast<Number>(mixed(i * 7 + part) % 1000));
    else out.push_back(values[pick(c, i + first, part, values.size())]);
  }
  return out;
}

}  // namespace

const std::vector<DType>& table_dtypes() {
  static const std::vector<DType> all = {jnp::bool_,    jnp::int8,    jnp::int16,   jnp::int32,   jnp::int64,     jnp::uint8,
                                         jnp::uint16,   jnp::uint32,  jnp::uint64,  jnp::float16, jnp::bfloat16,  jnp::float32,
                                         jnp::float64,  jnp::complex64, jnp::complex128, DType(DType::kKeyFry)};
  return all;
}

Array table_elements(const TableCase& c, const Shape& shape, int k) {
  const auto size = static_cast<size_t>(shape.num_elements());
  const DType dtype = c.dtype;
  const auto first = static_cast<size_t>(k);
  if (dtype.is_prng_key()) {
    std::vector<uint32_t> words;
    for (size_t i = 0; i < 2 * size; ++i) words.push_back(static_cast<uint32_t>(mixed(i * 8 + first)));
    return detail::array_from_host(words.data(), {shape, dtype, false});
  }
  if (dtype.is_complex()) {
    const DType part = dtype == jnp::complex64 ? jnp::float32 : jnp::float64;
    const Array re = jnp::array(numbers(c, floats(c.values, dtype), size, 2 * first), part);
    return lax::complex(lax::reshape(re, shape), lax::reshape(jnp::array(numbers(c, floats(c.values, dtype), size, 2 * first + 1), part), shape));
  }
  if (dtype.is_floating()) return lax::reshape(jnp::array(numbers(c, floats(c.values, dtype), size, first), dtype), shape);
  if (dtype.is_bool()) {
    std::vector<bool> values;
    for (size_t i = 0; i < size; ++i) values.push_back((c.values == "pairs" ? i >> k : mixed(i * 8 + first)) & 1);
    return lax::reshape(jnp::array(values), shape);
  }
  return lax::reshape(lax::convert_element_type(jnp::array(numbers(c, integers(c.values, dtype), size, first), jnp::int64), dtype), shape);
}

}  // namespace tenon::test
