// optimization_barrier: its operands, which no optimization moves or merges across.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive optimization_barrier_p{
    .name = "optimization_barrier",
    .abstract_eval = [](const Avals& in, const EqnParams&) -> Avals { return in; },
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return b.optimization_barrier(x); },
};

Arrays optimization_barrier(const Arrays& xs, Loc loc) {
  detail::SiteScope site(loc);
  return bind_all(optimization_barrier_p, xs);
}
Array optimization_barrier(const Operand& x) { return apply(optimization_barrier_p, x); }

}  // namespace tenon::lax
