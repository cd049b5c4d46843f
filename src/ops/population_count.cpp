// population_count: how many bits are 1.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive population_count_p{
    .name = "population_count",
    .abstract_eval = unary_rule<"population_count", kInt>,
    .jvp = jvp_zero,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.popcnt(x[0])};
    },
};
Array population_count(const Operand& x) { return apply(population_count_p, x); }

}  // namespace tenon::lax
