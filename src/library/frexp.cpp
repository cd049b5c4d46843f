// frexp: fraction and exponent from the bits. A subnormal is scaled up first (JAX takes it for 0).
#include "base/fail.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {

struct FloatBits {
  DType::Code bits;      // unsigned, of the same width
  int fraction, exponent;  // how many
};
static FloatBits bits_of(DType dtype) {
  switch (dtype.code()) {
    case DType::kFloat16: return {DType::kUInt16, 10, 5};
    case DType::kBFloat16: return {DType::kUInt16, 7, 8};
    case DType::kFloat32: return {DType::kUInt32, 23, 8};
    case DType::kFloat64: return {DType::kUInt64, 52, 11};
    default: fail<TypeError>("frexp", "takes real numbers; got ", dtype);
  }
}

static Array integer_like(const Array& x, uint64_t value) {
  return lax::convert_type(Array(value), x.dtype(), false);
}

static Arrays frexp_body(const Arrays& in) {
  const Array x = detail::promote_dtypes_inexact("frexp", in)[0];
  const FloatBits format = bits_of(x.dtype());
  const uint64_t exponents = (uint64_t{1} << format.exponent) - 1, bias = exponents / 2;
  auto exponent_of = [&](const Array& bits) {
    return lax::bitwise_and(lax::shift_right_logical(bits, integer_like(bits, static_cast<uint64_t>(format.fraction))), integer_like(bits, exponents));
  };
  auto to_bits = [&](const Array& y) { return lax::bitcast_convert_type(y, DType(format.bits)); };

  const Array is_small = lax::eq(exponent_of(to_bits(x)), integer_like(to_bits(x), 0));
  const Array scaled = lax::mul(x, detail::constant_like(x, static_cast<double>(uint64_t{1} << format.fraction)));
  const Array bits = to_bits(lax::select(is_small, scaled, x));
  const Array exponent = exponent_of(bits);
  // The same sign and fraction, with the exponent of [0.5, 1).
  const Array others = lax::bitwise_and(bits, lax::bitwise_not(integer_like(bits, exponents << format.fraction)));
  const Array fraction = lax::bitcast_convert_type(lax::bitwise_or(others, integer_like(bits, (bias - 1) << format.fraction)), x.dtype());

  const Array number = lax::convert_element_type(exponent, int32);
  const int least = static_cast<int>(bias) - 1;
  const Array shift = lax::select(is_small, lax::full_like(number, least + format.fraction), lax::full_like(number, least));
  const Array is_special = lax::bitwise_or(lax::eq(x, detail::constant_like(x, 0)), lax::bitwise_not(lax::is_finite(x)));
  return {lax::select(is_special, x, fraction), lax::select(is_special, lax::full_like(number, 0), lax::sub(number, shift))};
}

std::pair<Array, Array> frexp(const Operand& x) {
  detail::FunctionScope site(x.loc);
  const Arrays parts = detail::call_jitted("frexp", &frexp_body, {x.value});
  return {parts[0], parts[1]};
}

}  // namespace tenon::jnp
