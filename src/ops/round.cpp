// round: the nearest integer, by one of two rules for halves.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive round_p{
    .name = "round",
    .abstract_eval = unary_rule<"round", kFloat>,
    .jvp = jvp_zero,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      bool even = params.get<int64_t>("rounding_method") == static_cast<int64_t>(RoundingMethod::to_nearest_even);
      return {even ? b.round_nearest_even(x[0]) : b.round_nearest_afz(x[0])};
    },
};
Array round(const Operand& x, RoundingMethod method) {
  return apply(round_p, x, {{"rounding_method", static_cast<int64_t>(method)}});
}

}  // namespace tenon::lax
