#include "ops/dual.h"

#include <algorithm>
#include <unordered_map>

#include "base/fail.h"
#include "ops/batch.h"
#include "ops/differentiate.h"

namespace tenon::lax {

Dual constant(const Array& value) { return {value, zero_like(value)}; }

Duals apply_all(const Primitive& primitive, const Duals& operands, const EqnParams& params) {
  Arrays primals;
  Tangents tangents;
  for (const Dual& operand : operands) {
    primals.push_back(operand.primal);
    tangents.push_back(operand.tangent);
  }
  Duals out;
  if (std::ranges::all_of(tangents, [](const Tangent& tangent) { return tangent.is_zero(); })) {
    for (const Array& result : bind_all(primitive, primals, params)) out.push_back(constant(result));
    return out;
  }
  if (!primitive.jvp)
    fail<UnimplementedError>(primitive.name(), "no rule of differentiation; write one in src/ops/", primitive.name(), ".cpp");
  JvpResult results = primitive.jvp(primitive, primals, tangents, params);
  for (size_t i = 0; i < results.primals.size(); ++i) out.push_back({results.primals[i], results.tangents[i]});
  return out;
}
Dual apply(const Primitive& primitive, const Duals& operands, const EqnParams& params) {
  return apply_all(primitive, operands, params).at(0);
}

Dual slice_along(const Dual& x, int axis, int64_t start, int64_t limit, int64_t stride) {
  Shape starts(std::vector<int64_t>(x.primal.shape().size(), 0)), limits = x.primal.shape();
  Shape strides(std::vector<int64_t>(limits.size(), 1));
  starts[axis] = start;
  limits[axis] = limit;
  strides[axis] = stride;
  return apply(slice_p, {x}, {{"limit_indices", limits}, {"start_indices", starts}, {"strides", strides}});
}

Duals apply_body(const Jaxpr& body, const Duals& operands) {
  std::unordered_map<const void*, Dual> values;
  auto value_of = [&](const Var& var) { return var.is_literal() ? constant(var.literal()) : values.at(var.id()); };
  const Vars constvars = body.constvars(), invars = body.invars();
  const Arrays consts = body.consts();
  for (size_t i = 0; i < consts.size(); ++i) values.insert_or_assign(constvars[i].id(), constant(consts[i]));
  for (size_t i = 0; i < operands.size(); ++i) values.insert_or_assign(invars[i].id(), operands[i]);
  for (const Eqn& eqn : body.eqns()) {
    const Primitive& primitive = eqn.primitive();
    Duals arguments, results;
    for (const Var& var : eqn.invars()) arguments.push_back(value_of(var));
    const Param* called = eqn.params().find("jaxpr");
    if (primitive.call_like && called && called->is<Jaxpr>()) {
      results = apply_body(called->get<Jaxpr>(), arguments);
    } else {
      for (const Var& var : eqn.invars())
        if (!var.aval().shape.empty() || primitive.batching == nullptr || !jaxprs_in_params(eqn.params()).empty())
          fail<UnimplementedError>("reduce", "no derivative by a function that is not elementwise; it uses ", primitive.name());
      results = apply_all(primitive, arguments, eqn.params());
    }
    for (size_t i = 0; i < results.size(); ++i) values.insert_or_assign(eqn.outvars()[i].id(), results[i]);
  }
  Duals out;
  for (const Var& var : body.outvars()) out.push_back(value_of(var));
  return out;
}

}  // namespace tenon::lax
