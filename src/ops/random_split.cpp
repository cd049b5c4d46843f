// random_split: an array of new keys for each key.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/threefry.h"

namespace tenon::lax {

static Values lower_random_split(StablehloBuilder& b, const Values& keys, const EqnParams& params) {
  auto body = [&](StablehloBuilder& inner, const Values& x) -> Values {
    const Values words = random_words(inner, x[0].as_keys(), params.get<Shape>("shape"));
    const Shape shape = words[0].aval().shape;
    Shape with_axis = shape;
    with_axis.push_back(1);
    Axes axes;
    for (int axis = 0; axis < shape.ndim(); ++axis) axes.push_back(axis);
    const Value first = inner.broadcast_in_dim(words[0], with_axis, axes);
    const Value second = inner.broadcast_in_dim(words[1], with_axis, axes);
    return {inner.concatenate({first, second}, shape.ndim())};
  };
  return {b.call("_threefry_split", params, {keys[0].as_words()}, body)[0].as_keys()};
}

constinit const Primitive random_split_p{
    .name = "random_split",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      check_count("random_split", in, 1);
      check_keys("random_split", in[0]);
      return {{appended(in[0].shape, params.get<Shape>("shape")), in[0].dtype}};
    },
    .jvp = jvp_zero,
    .batching = batch_unary,
    .lowering = lower_random_split,
};

}  // namespace tenon::lax
