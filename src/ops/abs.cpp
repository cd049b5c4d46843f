// abs: |x|; of a complex number a real one.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive abs_p{
    .name = "abs",
    .abstract_eval = [](const Avals& in, const Params& params) -> Avals {
      Avals out = unary_rule<"abs", kSigned | kInexact>(in, params);
      out[0].dtype = real_dtype(out[0].dtype);
      return out;
    },
    .lowering = [](StablehloBuilder& b, const Values& x, const Params&) -> Values { return {b.abs(x[0])}; },
};
Array abs(const Operand& x) { return apply(abs_p, x); }

}  // namespace tenon::lax
