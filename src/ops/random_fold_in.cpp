// random_fold_in: a new key of a key and a number.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/threefry.h"

namespace tenon::lax {

static Values lower_random_fold_in(StablehloBuilder& b, const Values& operands, const EqnParams&) {
  auto body = [](StablehloBuilder& inner, const Values& x) -> Values {
    const Value data = seed_words(inner, x[1]);
    const bool scalar = x[0].aval().ndim() == 1;
    const Values key = key_words(inner, x[0], !scalar);
    const Values counts = key_words(inner, data, true);
    const Values words = threefry2x32(inner, key[0], key[1], counts[0], counts[1]);
    return {inner.concatenate(words, words[0].aval().ndim() - 1)};
  };
  return {b.call("_threefry_fold_in", {}, {operands[0].as_words(), operands[1]}, body)[0].as_keys()};
}

constinit const Primitive random_fold_in_p{
    .name = "random_fold_in",
    .abstract_eval = [](const Avals& in, const EqnParams&) -> Avals {
      check_count("random_fold_in", in, 2);
      check_keys("random_fold_in", in[0]);
      if (in[1].dtype.code() != DType::kUInt32) fail<TypeError>("random_fold_in", "the number must be uint32; got ", in[1]);
      if (in[0].shape != in[1].shape)
        fail<ShapeError>("random_fold_in", "takes one number for each key; got ", in[0], " and ", in[1]);
      return {in[0]};
    },
    .jvp = jvp_zero,
    .batching = batch_elementwise,
    .lowering = lower_random_fold_in,
};

}  // namespace tenon::lax
