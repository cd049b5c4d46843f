// Integers in a range.
#include "base/fail.h"
#include "base/promotion.h"
#include "library/random/key.h"

namespace tenon::random {
namespace {

struct Limits {
  int64_t least;
  uint64_t greatest;
};
Limits limits_of(DType dtype) {
  const int bits = dtype.bits();
  if (dtype.is_unsigned()) return {0, ~uint64_t{0} >> (64 - bits)};
  return {INT64_MIN >> (64 - bits), static_cast<uint64_t>(INT64_MAX) >> (64 - bits)};
}
Array unsigned_literal(uint64_t value, DType dtype, bool weak = false) { return Array(detail::make_scalar(value, dtype, weak)); }

// Converted with values moved into the range of `dtype`, where a conversion alone wraps.
Array clipped(const Array& x, DType dtype) {
  const Limits own = limits_of(x.dtype()), other = limits_of(dtype);
  const Array low(detail::make_scalar(std::max(own.least, other.least), x.dtype(), x.weak_type()));
  const Array high = unsigned_literal(std::min(own.greatest, other.greatest), x.dtype(), x.weak_type());
  return lax::convert_element_type(jnp::clip(x, low, high), dtype);
}

// As the method of NumPy's arrays: the operands are x, max, min.
Array clip_method(const Array& x, int64_t low, int64_t high) {
  auto body = [](const Arrays& in) -> Arrays { return {jnp::minimum(in[1], jnp::maximum(in[2], in[0]))}; };
  return detail::call_jitted("clip", body, {x, Array(high), Array(low)})[0];
}

Array random_integers(const Array& key, Array low, Array high, const Shape& shape, DType dtype) {
  if (!low.dtype().is_integer()) low = lax::convert_element_type(low, default_int());
  if (!high.dtype().is_integer()) high = lax::convert_element_type(high, default_int());
  const Array greatest = unsigned_literal(limits_of(dtype).greatest, dtype);
  const Array out_of_range = lax::gt(high, clipped(greatest, high.dtype()));
  low = clipped(low, dtype);
  high = clipped(high, dtype);
  low = broadcast_to_rank(low, shape.ndim());
  high = broadcast_to_rank(high, shape.ndim());
  const int bits = dtype.bits();
  const DType word = bits == 32 ? jnp::uint32 : jnp::uint64;
  const Arrays keys = split_in_two(key);
  const Array higher = random_bits(keys[0], bits, shape), lower = random_bits(keys[1], bits, shape);
  // Two draws, so that the remainder by the span is nearly unbiased.
  Array span = lax::convert_element_type(jnp::subtract(high, low), word);
  const Array is_empty = jnp::less_equal(high, low);
  span = lax::select(is_empty, lax::full_like(span, integer_literal(1, word)), span);
  const Array wraps = jnp::bitwise_and(out_of_range, jnp::greater(high, low));
  const Array one_more = lax::add(span, integer_literal(1, word));
  span = lax::select(wraps, one_more, span);
  Array multiplier = lax::rem(integer_literal(int64_t{1} << (bits / 2), word), span);
  multiplier = lax::rem(lax::mul(multiplier, multiplier), span);
  const Array upper = lax::mul(lax::rem(higher, span), multiplier);
  const Array offset = lax::rem(lax::add(upper, lax::rem(lower, span)), span);
  return lax::add(low, lax::convert_element_type(offset, dtype));
}

}  // namespace

Array randint(const Operand& key, const Shape& shape, const Operand& minval, const Operand& maxval, std::optional<DType> dtype) {
  detail::FunctionScope site(key.loc);
  const Array typed = check_key("randint", key.value).key;
  const DType type = canonical_dtype(dtype.value_or(jnp::int64));
  if (!type.is_integer()) fail<TypeError>("randint", "dtype must be an integer dtype; got ", type);
  check_shape("randint", shape, minval.value);
  check_shape("randint", shape, maxval.value);
  Array low = minval.value, high = maxval.value;
  const DType sampled = type.bits() < 32 ? jnp::int32 : type;
  if (sampled != type) {
    const Limits limits = limits_of(type);
    low = clip_method(jnp::astype(low, sampled), limits.least, static_cast<int64_t>(limits.greatest));
    high = clip_method(jnp::astype(high, sampled), limits.least, static_cast<int64_t>(limits.greatest) + 1);
  }
  auto body = [&](const Arrays& in) -> Arrays { return {random_integers(in[0], in[1], in[2], shape, sampled)}; };
  return jnp::astype(detail::call_jitted("_randint", body, {typed, low, high}, shape.num_elements())[0], type);
}

}  // namespace tenon::random
