#include "trace/jaxpr_trace.h"

#include <algorithm>
#include <unordered_set>

#include "base/fail.h"
#include "core/named_jaxprs.h"
#include "core/nodes.h"
#include "trace/called_jaxprs.h"

namespace tenon::detail {
namespace {

// A value of a program that is being recorded: a variable.
class JaxprTracer final : public Tracer {
 public:
  JaxprTracer(TraceRef trace, Var var) : Tracer(std::move(trace), var.aval()), var(std::move(var)) {}
  const Var var;
};

Var make_var(const ShapedArray& aval, Array literal = {}) {
  auto node = make_ref<VarNode>();
  node->aval = aval;
  node->literal = std::move(literal);
  return Var(node);
}

}  // namespace

JaxprTrace::JaxprTrace(std::string name, std::vector<std::string> arg_names)
    : name_(std::move(name)), arg_names_(std::move(arg_names)), jaxpr_(make_ref<JaxprNode>()) {}

Array JaxprTrace::add_input(const ShapedArray& aval) {
  Var var = make_var(aval);
  jaxpr_->invars.push_back(var);
  return Array(make_ref<JaxprTracer>(TraceRef(this), var));
}

Var JaxprTrace::constant(const Array& array) {
  auto [at, fresh] = constants_.try_emplace(array.node_ref().get());
  if (fresh) {
    at->second = make_var(array.aval());
    jaxpr_->constvars.push_back(at->second);
    jaxpr_->consts.push_back(array);
  }
  return at->second;
}

Var JaxprTrace::var_of(const Array& array, std::string_view who) {
  switch (array.node("operand").kind()) {
    case ArrayNode::Kind::scalar:
      if (captures_residuals_ && static_cast<const ScalarNode&>(array.node("operand")).is_residual) return constant(array);
      return captures_scalars_ ? constant(array_of(buffer_of(array, "constant"), array.aval())) : make_var(array.aval(), array);
    case ArrayNode::Kind::concrete: return constant(array);
    case ArrayNode::Kind::tracer: {
      Tracer* tracer = tracer_of(array);
      if (tracer->trace.get() == this) return static_cast<JaxprTracer*>(tracer)->var;
      if (tracer->trace->ended())
        fail<UnexpectedTracerError>(who, "a traced ", array.aval(), " is used after its trace (", tracer->trace->name(),
                                    ") has ended; return it from the function instead of storing it outside");
      return constant(array);
    }
    case ArrayNode::Kind::abstract:
      fail<TypeError>(who, "a ShapeDtype stands for an argument and has no value; got ", array.aval());
  }
  TENON_CHECK(false);
}

Arrays JaxprTrace::process(const Primitive& primitive, const Arrays& operands, const EqnParams& params) {
  TENON_CHECK(!ended(), name_);
  Avals avals;
  Vars invars, outvars;
  avals.reserve(operands.size());
  invars.reserve(operands.size());
  for (const Array& operand : operands) {
    avals.push_back(operand.aval());
    invars.push_back(var_of(operand, primitive.name.text));
  }
  Arrays results;
  for (ShapedArray& aval : primitive.abstract_eval(avals, params)) {
    outvars.push_back(make_var(aval));
    results.emplace_back(make_ref<JaxprTracer>(TraceRef(this), outvars.back()));
  }
  Effects effects = primitive.effects ? primitive.effects(params) : Effects::none;
  jaxpr_->effects = jaxpr_->effects | effects;
  jaxpr_->eqns.emplace_back(primitive, std::move(invars), std::move(outvars), params, current_source(), effects,
                             marks_calls_ ? current_call() : 0);
  return results;
}

Jaxpr JaxprTrace::finish(const Arrays& results, std::string function_name) {
  for (const Array& result : results) jaxpr_->outvars.push_back(var_of(result, name_));
  for (const Array& constant : jaxpr_->consts)
    if (const Tracer* tracer = tracer_of(constant); tracer && tracer->trace->ended())
      fail<UnexpectedTracerError>(name_, "a traced ", constant.aval(), " is used after its trace (", tracer->trace->name(),
                                  ") has ended, or under it: make it an argument of the function that captures it");
  jaxpr_->name = std::move(function_name);
  jaxpr_->arg_names = arg_names_;
  end();
  return Jaxpr(Ref<const JaxprNode>(std::exchange(jaxpr_, nullptr)));
}

std::string JaxprTrace::describe(const Tracer& tracer) const {
  std::string where = site_str(tracer.made_at);
  std::string out = where.empty() ? "" : " (made at " + where + ")";
  if (!jaxpr_) return out;
  // Backwards over the equations: everything that the value is computed from.
  std::unordered_set<const void*> needed{static_cast<const JaxprTracer&>(tracer).var.id()};
  for (auto eqn = jaxpr_->eqns.rbegin(); eqn != jaxpr_->eqns.rend(); ++eqn) {
    bool used = false;
    for (const Var& v : eqn->outvars()) used |= needed.contains(v.id());
    if (used)
      for (const Var& v : eqn->invars()) needed.insert(v.id());
  }
  std::vector<std::string> arguments;
  for (size_t i = 0; i < jaxpr_->invars.size(); ++i)
    if (needed.contains(jaxpr_->invars[i].id()))
      arguments.push_back(i < arg_names_.size() && !arg_names_[i].empty() ? arg_names_[i] : "#" + std::to_string(i));
  if (arguments.empty()) return out;
  return out + text(", which depends on argument", arguments.size() > 1 ? "s " : " ", arguments);
}

Jaxpr trace_to_jaxpr(FunctionRef<Arrays(const Arrays&)> body, const Avals& avals, const std::string& caller,
                     const std::string& function_name, const std::vector<std::string>& arg_names) {
  auto trace = make_ref<JaxprTrace>(caller, arg_names);
  Arrays inputs;
  for (const ShapedArray& aval : avals) inputs.push_back(trace->add_input(aval));
  // However the body is left, its tracers are dead afterwards.
  struct End {
    JaxprTrace& trace;
    ~End() { trace.end(); }
  } end{*trace};
  TraceScope scope(trace);
  SiteReset site;
  NameStackReset names;
  CalledJaxprsScope called;
  return trace->finish(body(inputs), function_name);
}

Jaxpr hoist_tracers(const Jaxpr& jaxpr, Arrays& operands) {
  bool captured = false;
  for (const Array& value : jaxpr.consts()) captured |= value.is_tracer();
  if (!captured) return jaxpr;
  auto node = make_ref<JaxprNode>(*jaxpr.id());
  node->constvars.clear();
  node->consts.clear();
  for (size_t i = 0; i < jaxpr.consts().size(); ++i) {
    const Array& value = jaxpr.consts()[i];
    if (value.is_tracer()) {
      node->invars.push_back(jaxpr.constvars()[i]);
      if (!node->arg_names.empty()) node->arg_names.emplace_back();
      operands.push_back(value);
    } else {
      node->constvars.push_back(jaxpr.constvars()[i]);
      node->consts.push_back(value);
    }
  }
  return Jaxpr(Ref<const JaxprNode>(node));
}

// Equal, programs among them by what they do.
static bool same_params(const EqnParams& a, const EqnParams& b) {
  if (a.size() != b.size()) return false;
  for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y) {
    if (x->name != y->name) return false;
    if (x->value == y->value) continue;
    const std::vector<Jaxpr> programs = jaxprs_of(x->value), others = jaxprs_of(y->value);
    const bool like = x->value.is<Jaxpr>() == y->value.is<Jaxpr>() && x->value.is<std::vector<Jaxpr>>() == y->value.is<std::vector<Jaxpr>>();
    if (programs.empty() || !like || !std::ranges::equal(programs, others, same_structure)) return false;
  }
  return true;
}

bool same_structure(const Jaxpr& a, const Jaxpr& b) {
  if (a == b) return true;
  if (a.eqns().size() != b.eqns().size() || a.invars().size() != b.invars().size() ||
      a.outvars().size() != b.outvars().size() || a.consts().size() != b.consts().size())
    return false;
  std::unordered_map<const void*, const void*> pairs;
  auto bind_all_vars = [&](const Vars& x, const Vars& y) {
    if (x.size() != y.size()) return false;
    for (size_t i = 0; i < x.size(); ++i) {
      if (x[i].aval() != y[i].aval()) return false;
      pairs[x[i].id()] = y[i].id();
    }
    return true;
  };
  auto same_uses = [&](const Vars& x, const Vars& y) {
    if (x.size() != y.size()) return false;
    for (size_t i = 0; i < x.size(); ++i) {
      if (x[i].is_literal() != y[i].is_literal()) return false;
      if (x[i].is_literal() ? x[i].aval() != y[i].aval() || x[i].str() != y[i].str() : pairs[x[i].id()] != y[i].id()) return false;
    }
    return true;
  };
  for (size_t i = 0; i < a.consts().size(); ++i)
    if (a.consts()[i].node_ref() != b.consts()[i].node_ref()) return false;
  if (!bind_all_vars(a.constvars(), b.constvars()) || !bind_all_vars(a.invars(), b.invars())) return false;
  for (size_t i = 0; i < a.eqns().size(); ++i) {
    const Eqn &x = a.eqns()[i], &y = b.eqns()[i];
    if (&x.primitive() != &y.primitive() || !same_params(x.params(), y.params()) || !same_uses(x.invars(), y.invars()) ||
        !bind_all_vars(x.outvars(), y.outvars()))
      return false;
  }
  return same_uses(a.outvars(), b.outvars());
}

}  // namespace tenon::detail
