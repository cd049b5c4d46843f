#include "ops/threefry.h"

#include "base/promotion.h"

namespace tenon::lax {

static const DType kWord{DType::kUInt32}, kCount{DType::kUInt64};

static Axes leading_axes(int count) {
  Axes axes;
  for (int axis = 0; axis < count; ++axis) axes.push_back(axis);
  return axes;
}

Values threefry2x32(StablehloBuilder& b, const Value& key0, const Value& key1, const Value& count0, const Value& count1) {
  return b.call(threefry2x32_p.name(), {}, {key0, key1, count0, count1},
                [](StablehloBuilder& inner, const Values& x) { return threefry2x32_p.lowering(inner, x, {}); });
}

Values key_words(StablehloBuilder& b, const Value& keys, bool keep_axis) {
  const Value words = keys.as_words();
  Shape limit = words.aval().shape;
  const Shape shape = without_last(limit);
  Shape start(std::vector<int64_t>(limit.size(), 0)), strides(std::vector<int64_t>(limit.size(), 1));
  const size_t last = limit.size() - 1;
  Values out;
  for (int64_t word : {0, 1}) {
    start[last] = word;
    limit[last] = word + 1;
    const Value one = b.slice(words, start, limit, strides);
    out.push_back(keep_axis ? one : b.reshape(one, shape));
  }
  return out;
}

Values counts_of(StablehloBuilder& b, const Shape& shape) {
  if (shape.empty()) {
    const Value high = full_value(b, 0, {{}, kWord});
    return {high, full_value(b, 0, {{}, kWord})};
  }
  const Aval counts{shape, kCount}, words{shape, kWord};
  Values indices;
  for (int axis = 0; axis < shape.ndim(); ++axis) indices.push_back(b.iota(counts, axis));
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    int64_t stride = 1;
    for (int inner = axis + 1; inner < shape.ndim(); ++inner) stride *= shape[inner];
    indices[axis] = b.multiply(full_integer_value(b, stride, counts), indices[axis]);
  }
  Value position = indices[0];
  for (int axis = 1; axis < shape.ndim(); ++axis) position = b.add(position, indices[axis]);
  const Value high = b.shift_right_logical(position, full_integer_value(b, 32, counts));
  const Value low = b.convert(position, kWord);
  return {b.convert(high, kWord), low};
}

Value seed_words(StablehloBuilder& b, const Value& seed) {
  const Aval aval = seed.aval();
  const PromotedType types[] = {{aval.dtype, false}, {kWord, false}};
  const DType dtype = promote_types(types, "random_seed").dtype;  // of seed & uint32
  const Axes axes = leading_axes(aval.ndim());
  Shape shape = aval.shape;
  shape.push_back(1);
  auto word = [&](Value x) {
    if (x.aval().dtype != kWord) x = b.convert(x, kWord);
    return b.broadcast_in_dim(x, shape, axes);
  };
  const Value high = word(b.shift_right_logical(seed, full_integer_value(b, 32, aval)));
  Value low = aval.dtype == dtype ? seed : b.convert(seed, dtype);
  low = word(b.and_(low, full_integer_value(b, 0xffffffff, aval.with_dtype(dtype))));
  return b.concatenate({high, low}, aval.ndim());
}

Values random_words(StablehloBuilder& b, const Value& keys, const Shape& shape) {
  const Shape batch = keys.aval().shape;
  Values words = key_words(b, keys);
  Values counts = counts_of(b, shape);
  if (!batch.empty()) {
    const Shape all = appended(batch, shape);
    Axes inner;
    for (int axis = 0; axis < shape.ndim(); ++axis) inner.push_back(batch.ndim() + axis);
    for (Value& word : words) word = b.broadcast_in_dim(word, all, leading_axes(batch.ndim()));
    for (Value& count : counts) count = b.broadcast_in_dim(count, all, inner);
  }
  return threefry2x32(b, words[0], words[1], counts[0], counts[1]);
}

void check_keys(const char* who, const Aval& operand) {
  if (!operand.dtype.is_prng_key()) fail<TypeError>(who, "takes random keys; got ", operand, "; make one by random::key");
}

Shape appended(Shape first, const Shape& shape) {
  for (int64_t size : shape) first.push_back(size);
  return first;
}
Shape without_last(const Shape& shape) { return Shape(std::vector<int64_t>(shape.begin(), shape.end() - 1)); }

}  // namespace tenon::lax
