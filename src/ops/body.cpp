#include "ops/body.h"

#include <map>
#include <mutex>

#include "core/nodes.h"

namespace tenon::lax {

static Var scalar_variable(DType dtype) {
  auto node = tenon::detail::make_ref<tenon::detail::VarNode>();
  node->aval = Aval{{}, dtype, false};
  return Var(node);
}

Jaxpr binary_body(const Primitive& primitive, DType dtype) {
  static std::mutex mutex;
  static auto* bodies = new std::map<std::pair<const Primitive*, int>, Jaxpr>;
  std::lock_guard lock(mutex);
  Jaxpr& body = (*bodies)[{&primitive, static_cast<int>(dtype.code())}];
  if (body.is_empty()) {
    auto node = tenon::detail::make_ref<tenon::detail::JaxprNode>();
    node->invars = {scalar_variable(dtype), scalar_variable(dtype)};
    node->outvars = {scalar_variable(dtype)};
    node->eqns.emplace_back(primitive, node->invars, node->outvars, EqnParams{});
    body = Jaxpr(tenon::detail::Ref<const tenon::detail::JaxprNode>(node));
  }
  return body;
}

static Value constant_value(StablehloBuilder& b, const Array& array) {
  const tenon::detail::ArrayNode& node = array.node("lower");
  if (node.kind() == tenon::detail::ArrayNode::Kind::scalar)
    return b.constant_array(node.aval(), static_cast<const tenon::detail::ScalarNode&>(node).bytes);
  return b.constant_array(node.aval(), tenon::detail::buffer_of(array, "lower")->host_data());
}

Values lower_body(StablehloBuilder& b, const Jaxpr& body, const Values& arguments) {
  std::map<const void*, Value> values;
  auto value_of = [&](const Var& var) { return var.is_literal() ? constant_value(b, var.literal()) : values.at(var.id()); };
  TENON_CHECK(arguments.size() == body.invars().size(), "arguments of a body");
  for (size_t i = 0; i < arguments.size(); ++i) values[body.invars()[i].id()] = arguments[i];
  for (size_t i = 0; i < body.consts().size(); ++i) values[body.constvars()[i].id()] = constant_value(b, body.consts()[i]);
  for (const Eqn& eqn : body.eqns()) {
    Values operands;
    for (const Var& var : eqn.invars()) operands.push_back(value_of(var));
    const Param* called = eqn.params().find("jaxpr");
    if (!eqn.primitive().lowering && !(called && called->is<Jaxpr>()))
      fail<UnimplementedError>(eqn.primitive().name(), "no lowering rule; write one in src/ops/", eqn.primitive().name(), ".cpp");
    const Values results = eqn.primitive().lowering ? eqn.primitive().lowering(b, operands, eqn.params())
                                                    : lower_body(b, called->get<Jaxpr>(), operands);
    for (size_t i = 0; i < results.size(); ++i) values[eqn.outvars()[i].id()] = results[i];
  }
  Values out;
  for (const Var& var : body.outvars()) out.push_back(value_of(var));
  return out;
}

}  // namespace tenon::lax
