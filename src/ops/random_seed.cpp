// random_seed: the key that an integer makes.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/threefry.h"

namespace tenon::lax {

constinit const Primitive random_seed_p{
    .name = "random_seed",
    .abstract_eval = [](const Avals& in, const EqnParams&) -> Avals {
      check_count("random_seed", in, 1);
      if (!in[0].dtype.is_integer()) fail<TypeError>("random_seed", "a seed must be an integer; got ", in[0]);
      return {{in[0].shape, DType(DType::kKeyFry)}};
    },
    .jvp = jvp_zero,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {seed_words(b, x[0]).as_keys()}; },
};

}  // namespace tenon::lax
