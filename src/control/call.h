// Programs that are called: rules of operations whose whole effect is a jaxpr, which is their parameter `jaxpr` or `call_jaxpr`.
#pragma once

#include "tenon/primitive.h"

namespace tenon::detail {

/// EqnParams: call_jaxpr (Jaxpr). Operands are its inputs. Lowers as the jaxpr in its place; in a jaxpr it is one equation,
/// which keeps its identity.
extern constinit const Primitive eval_jaxpr_p;

/// The results of `jaxpr`. Throws TypeError where the operands are not of the types of its inputs.
Avals called_avals(const char* who, const Jaxpr& jaxpr, const Avals& operands);

JvpResult call_jvp(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params);
JvpResult call_linearize(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params);
Cotangents call_transpose(const Primitive& self, const Cotangents& cotangents, const LinearOperands& operands, const EqnParams& params);
BatchResult call_batching(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes, const EqnParams& params);
PrunedEqn call_prune(const Eqn& eqn, const std::vector<bool>& used);

}  // namespace tenon::detail
