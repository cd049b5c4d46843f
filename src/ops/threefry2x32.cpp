// threefry2x32: two words of random bits for two words of a key and two of a count.
// Lowers to a loop of five steps of four rounds, as on JAX's CPU; the key's words and the rotations
// rotate through the loop's variables.
#include "base/promotion.h"
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/threefry.h"

namespace tenon::lax {
namespace {

constexpr int64_t kParity = 0x1BD11BDA;  // from the cipher Threefish

Avals threefry2x32_abstract_eval(const Avals& in, const EqnParams&) {
  check_count("threefry2x32", in, 4);
  for (const Aval& x : in)
    if (x.dtype.code() != DType::kUInt32) fail<TypeError>("threefry2x32", "operands must be uint32; got ", in);
  const Aval out{broadcast_shapes("threefry2x32", in), in[0].dtype};
  return {out, out};
}

Value spread(StablehloBuilder& b, const Value& x, const Shape& shape) {
  const Shape own = x.aval().shape;
  if (own == shape) return x;
  Axes axes;
  for (int axis = 0; axis < own.ndim(); ++axis) axes.push_back(axis);
  return b.broadcast_in_dim(x, shape, axes);
}

// The loop's variables: counter, index, two words, three words of the key, two lists of rotations.
Values step(StablehloBuilder& b, const Values& v, const Shape& shape, DType index_dtype) {
  const DType word{DType::kUInt32};
  const Value next_index = b.add(v[1], b.constant_integer(1, index_dtype));
  Values rotations;
  for (int64_t k = 0; k < 4; ++k) rotations.push_back(b.reshape(b.slice(v[7], Shape{k}, Shape{k + 1}, Shape{1}), {}));
  Value x = v[2], y = v[3];
  for (const Value& rotation : rotations) {
    x = b.add(x, y);
    const Value left = b.shift_left(y, spread(b, rotation, shape));
    const Value rest = b.subtract(b.constant_integer(32, word), rotation);
    const Value right = b.shift_right_logical(y, spread(b, rest, shape));
    y = b.xor_(x, b.or_(left, right));
  }
  x = b.add(x, spread(b, v[4], shape));
  y = b.add(y, spread(b, v[5], shape));
  const Value number = b.convert(b.add(v[1], b.constant_integer(1, index_dtype)), word);
  y = b.add(y, spread(b, number, shape));
  const Value next_counter = b.add(v[0], b.constant_integer(1, index_dtype));
  return {next_counter, next_index, x, y, v[5], v[6], v[4], v[8], v[7]};
}

Values lower_threefry2x32(StablehloBuilder& b, const Values& operands, const EqnParams&) {
  const DType word{DType::kUInt32}, index_dtype = default_int();
  Avals avals;
  for (const Value& x : operands) avals.push_back(x.aval());
  const Shape shape = broadcast_shapes("threefry2x32", avals);
  Values in = operands;
  const bool one_key = avals[0].shape.empty() && avals[1].shape.empty();
  for (size_t i = one_key ? 2 : 0; i < in.size(); ++i) in[i] = spread(b, in[i], shape);
  const Value even = b.constant_integers({13, 15, 26, 6}, word), odd = b.constant_integers({17, 29, 16, 24}, word);
  const Value mixed = b.xor_(in[0], in[1]);
  const Value third = b.xor_(mixed, full_integer_value(b, kParity, mixed.aval()));
  auto shifted = [&](const Value& count, const Value& key) {
    const Value y = spread(b, key, shape);
    return b.add(spread(b, count, shape), y);
  };
  const Value x = shifted(in[2], in[0]);
  const Value y = shifted(in[3], in[1]);
  const Value index = b.constant_integer(0, index_dtype), counter = b.constant_integer(0, index_dtype);
  const Values start = {counter, index, x, y, in[1], third, in[0], even, odd};
  Avals types;
  for (const Value& v : start) types.push_back(v.aval());
  auto condition = [&](StablehloBuilder& inner, const Values& v) -> Values {
    return {inner.compare(v[0], inner.constant_integer(5, index_dtype), ComparisonDirection::LT)};
  };
  auto body = [&](StablehloBuilder& inner, const Values& v) { return step(inner, v, shape, index_dtype); };
  const Values end = b.while_(start, {types, condition}, {types, body});
  return {end[2], end[3]};
}

}  // namespace

constinit const Primitive threefry2x32_p{
    .name = "threefry2x32", .abstract_eval = threefry2x32_abstract_eval, .jvp = jvp_zero, .batching = batch_elementwise, .lowering = lower_threefry2x32, .outlined = true};

}  // namespace tenon::lax
