// random_fold_in: a new key of a key and a number.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/threefry.h"

namespace tenon::lax {

// x, whose first `ndim` axes become those of `shape`; the others are `rest`.
static Value repeated(StablehloBuilder& b, const Value& x, int ndim, const Shape& shape, const Shape& rest) {
  const Shape all = appended(shape, rest);
  if (x.aval().shape == all) return x;
  Axes axes;
  for (int axis = ndim == 0 ? shape.ndim() : 0; axis < all.ndim(); ++axis) axes.push_back(axis);
  return b.broadcast_in_dim(x, all, axes);
}

static Values lower_random_fold_in(StablehloBuilder& b, const Values& operands, const EqnParams&) {
  auto body = [](StablehloBuilder& inner, const Values& x) -> Values {
    const Value data = seed_words(inner, x[1]);
    const bool scalar = x[0].aval().ndim() == 1;
    const Values key = key_words(inner, x[0], !scalar);
    const Values counts = key_words(inner, data, true);
    const Values words = threefry2x32(inner, key[0], key[1], counts[0], counts[1]);
    return {inner.concatenate(words, words[0].aval().ndim() - 1)};
  };
  // Keys and numbers meet as elementwise operands do.
  const Shape shape = broadcast_shapes("random_fold_in", Avals{operands[0].aval(), operands[1].aval()});
  const Value keys = repeated(b, operands[0].as_words(), operands[0].aval().ndim(), shape, {2});
  const Value numbers = repeated(b, operands[1], operands[1].aval().ndim(), shape, {});
  return {b.call("_threefry_fold_in", {}, {keys, numbers}, body)[0].as_keys()};
}

constinit const Primitive random_fold_in_p{
    .name = "random_fold_in",
    .abstract_eval = [](const Avals& in, const EqnParams&) -> Avals {
      check_count("random_fold_in", in, 2);
      check_keys("random_fold_in", in[0]);
      if (in[1].dtype.code() != DType::kUInt32) fail<TypeError>("random_fold_in", "the number must be uint32; got ", in[1]);
      return {in[0].with_shape(broadcast_shapes("random_fold_in", in))};
    },
    .jvp = jvp_zero,
    .batching = batch_elementwise,
    .lowering = lower_random_fold_in,
};

}  // namespace tenon::lax
