// random_wrap and random_unwrap: two words as a key, and back. They move nothing.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/threefry.h"

namespace tenon::lax {

constinit const Primitive random_wrap_p{
    .name = "random_wrap",
    .abstract_eval = [](const Avals& in, const EqnParams&) -> Avals {
      check_count("random_wrap", in, 1);
      const Aval& words = in[0];
      if (words.dtype.code() != DType::kUInt32)
        fail<TypeError>("random key", "the data of a key must be uint32; got ", words, "; make one by random::key");
      if (words.shape.empty() || words.shape.back() != 2)
        fail<TypeError>("random key", "the data of a key must have a last axis of size 2; got ", words);
      return {{without_last(words.shape), DType(DType::kKeyFry)}};
    },
    .jvp = jvp_zero,
    .batching = [](const Primitive& self, const BatchAxis&, const Arrays& x, const std::vector<int>& axes, const EqnParams& params) -> BatchResult {
      return {{bind(self, {move_axis(x[0], axes[0], 0)}, params)}, {0}};
    },
    .lowering = [](StablehloBuilder&, const Values& x, const EqnParams&) -> Values { return {x[0].as_keys()}; },
};

constinit const Primitive random_unwrap_p{
    .name = "random_unwrap",
    .abstract_eval = [](const Avals& in, const EqnParams&) -> Avals {
      check_count("random_unwrap", in, 1);
      check_keys("random_unwrap", in[0]);
      Shape shape = in[0].shape;
      shape.push_back(2);
      return {{shape, DType(DType::kUInt32)}};
    },
    .jvp = jvp_zero,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder&, const Values& x, const EqnParams&) -> Values { return {x[0].as_words()}; },
};

}  // namespace tenon::lax
