// optimization_barrier: its operands, which no optimization moves or merges across.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

// The symbolic zeros among them stay out.
static Tangents barrier_of(const Primitive& self, const Tangents& tangents) {
  Arrays values;
  for (const Tangent& tangent : tangents)
    if (!tangent.is_zero()) values.push_back(tangent.value());
  const Arrays results = bind_all(self, values);
  Tangents out;
  size_t next = 0;
  for (const Tangent& tangent : tangents) out.push_back(tangent.is_zero() ? tangent : Tangent(results[next++]));
  return out;
}

static JvpResult jvp_barrier(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const Arrays results = bind_all(self, primals, params);
  return {results, barrier_of(self, tangents)};
}

constinit const Primitive optimization_barrier_p{
    .name = "optimization_barrier",
    .abstract_eval = [](const Avals& in, const EqnParams&) -> Avals { return in; },
    .jvp = jvp_barrier,
    .transpose = [](const Primitive& self, const Cotangents& ct, const LinearOperands&, const EqnParams&) -> Cotangents {
      return barrier_of(self, ct);
    },
    .batching = [](const Primitive& self, const BatchAxis&, const Arrays& x, const std::vector<int>& axes, const EqnParams& params) -> BatchResult {
      return {bind_all(self, x, params), axes};
    },
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return b.optimization_barrier(x); },
};

Arrays optimization_barrier(const Arrays& xs, Loc loc) {
  detail::SiteScope site(loc);
  return bind_all(optimization_barrier_p, xs);
}
Array optimization_barrier(const Operand& x) { return apply(optimization_barrier_p, x); }

}  // namespace tenon::lax
