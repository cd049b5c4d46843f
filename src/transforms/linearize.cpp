#include "transforms/linearize.h"

#include <algorithm>

#include "base/fail.h"
#include "core/flags.h"
#include "core/jaxpr_cache.h"
#include "core/nodes.h"
#include "core/rearrange.h"
#include "tenon/detail/rules.h"
#include "transforms/jaxpr.h"
#include "transforms/pass.h"

namespace tenon::detail {
namespace {

class LinearizeTracer final : public Tracer {
 public:
  LinearizeTracer(TraceRef trace, Array primal, Array tangent)
      : Tracer(std::move(trace), primal.aval()), primal(std::move(primal)), tangent(std::move(tangent)) {}
  const Array primal, tangent;
};

const LinearizeTracer* own(const LinearizeTrace& trace, const Array& x) {
  const Tracer* tracer = tracer_of(x);
  return tracer && tracer->trace.get() == &trace ? static_cast<const LinearizeTracer*>(tracer) : nullptr;
}

bool belongs_to(const Array& x, const Trace& trace) {
  const Tracer* tracer = tracer_of(x);
  return tracer && tracer->trace.get() == &trace;
}

// Operations on tangents are recorded, all others go to the trace below.
class RuleTrace final : public Trace {
 public:
  RuleTrace(TraceRef below, Ref<JaxprTrace> tangents) : below_(std::move(below)), tangents_(std::move(tangents)) {}
  Arrays process(const Primitive& primitive, const Arrays& operands, const EqnParams& params) override {
    if (touches_tangents(operands)) return tangents_->process(primitive, operands, params);
    TraceScope scope(below_);
    return bind_all(primitive, operands, params);
  }
  Arrays process_custom_jvp(const CustomJvpRef& function, const Arrays& operands) override {
    if (touches_tangents(operands)) return function->call(operands);
    TraceScope scope(below_);
    return current_trace().process_custom_jvp(function, operands);
  }
  Arrays process_custom_vjp(const CustomVjpRef& function, const Arrays& operands) override {
    if (touches_tangents(operands)) return function->call(operands);
    TraceScope scope(below_);
    return current_trace().process_custom_vjp(function, operands);
  }
  bool records() const override { return below_ && below_->records(); }
  std::string describe(const Tracer&) const override { return ""; }
  std::string name() const override { return "grad"; }
  TraceRef tangents() const { return tangents_; }

 private:
  bool touches_tangents(const Arrays& operands) const {
    return std::ranges::any_of(operands, [&](const Array& x) { return belongs_to(x, *tangents_); });
  }
  TraceRef below_;
  Ref<JaxprTrace> tangents_;
};

// Is every wanted result there?
bool covers(const std::vector<bool>& there, const std::vector<bool>& wanted) {
  for (size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] && !there[i]) return false;
  return true;
}
std::vector<bool> all(size_t count) { return std::vector<bool>(count, true); }

}  // namespace

Arrays recorded_tangents(const Tangents& tangents, const std::vector<bool>& flags) {
  const auto* rules = dynamic_cast<const RuleTrace*>(&current_trace());
  TraceScope scope(rules ? rules->tangents() : current_trace_ref());
  Arrays out;
  for (size_t i = 0; i < tangents.size(); ++i)
    if (flags[i]) out.push_back(instantiate(tangents[i]));
  return out;
}

LinearizeTrace::LinearizeTrace(TraceRef below, Ref<JaxprTrace> tangents)
    : below_(below), tangents_(tangents), rules_(make_ref<RuleTrace>(below, tangents)) {}

Array LinearizeTrace::join(Array primal, Tangent tangent) {
  if (tangent.is_zero() || tangent.aval().dtype.code() == DType::kFloat0) return primal;
  return Array(make_ref<LinearizeTracer>(TraceRef(this), std::move(primal), tangent.value()));
}
Array LinearizeTrace::primal(const Array& x) const {
  const LinearizeTracer* tracer = own(*this, x);
  return tracer ? tracer->primal : x;
}
Tangent LinearizeTrace::tangent(const Array& x) const {
  const LinearizeTracer* tracer = own(*this, x);
  return tracer ? Tangent(tracer->tangent) : zero_like(x);
}

Dual LinearizeTrace::split(const Arrays& operands) const {
  Dual out;
  for (const Array& x : operands) {
    out.primals.push_back(primal(x));
    out.tangents.push_back(tangent(x));
  }
  return out;
}
Arrays LinearizeTrace::joined(JvpResult result) {
  Arrays out;
  for (size_t i = 0; i < result.primals.size(); ++i) out.push_back(join(std::move(result.primals[i]), std::move(result.tangents[i])));
  return out;
}

Arrays LinearizeTrace::process(const Primitive& primitive, const Arrays& operands, const EqnParams& params) {
  const Dual x = split(operands);
  if (x.is_constant()) {
    TraceScope scope(below_);
    return bind_all(primitive, x.primals, params);
  }
  auto rule = primitive.linearize ? primitive.linearize : primitive.jvp;
  if (!rule) fail<UnimplementedError>("grad", "the operation ", primitive.name(), " has no rule of differentiation");
  TraceScope scope(rules_);
  JvpResult result = rule(primitive, x.primals, x.tangents, params);
  if (tangents_->marks_calls() && current_call() != 0) mark_passes(x.tangents, result.tangents);
  return joined(std::move(result));
}

// A tangent that leaves a library call as it came has an equation all the same: its cotangent is added when the call has its turn.
void LinearizeTrace::mark_passes(const Tangents& in, Tangents& out) {
  for (Tangent& t : out) {
    const auto same = [&](const Tangent& x) { return !x.is_zero() && x.value().node_ref() == t.value().node_ref(); };
    if (!t.is_zero() && std::ranges::any_of(in, same)) t = tangents_->process(pass_p, {t.value()}, {})[0];
  }
}

Arrays LinearizeTrace::process_custom_jvp(const CustomJvpRef& function, const Arrays& operands) {
  Dual x = split(operands);
  if (x.is_constant()) {
    TraceScope scope(below_);
    return current_trace().process_custom_jvp(function, x.primals);
  }
  TraceScope scope(rules_);
  if (!function->symbolic_zeros)
    for (Tangent& t : x.tangents) t = instantiate(t);
  JvpResult result = function->jvp(x.primals, x.tangents);
  for (const Array& y : result.primals)
    if (belongs_to(y, *tangents_))
      fail<ValueError>(function->rule_name, "the value that the rule of ", function->name,
                       " returns depends on a tangent; only the tangent it returns may");
  for (Tangent& t : result.tangents)
    if (!t.is_zero() && !belongs_to(t.value(), *tangents_)) {
      // A constant: zero for every tangent, or a mistake that only the user can mend.
      t = Tangent::zero(t.aval());
    }
  return joined(std::move(result));
}

Arrays LinearizeTrace::process_custom_vjp(const CustomVjpRef& function, const Arrays& operands) {
  const Dual x = split(operands);
  CustomVjp::Forward forward;
  {
    TraceScope scope(below_);
    if (x.is_constant()) return current_trace().process_custom_vjp(function, x.primals);
    forward = function->forward(x.primals);
  }
  TraceScope scope(tangents_);
  Tangents out = function->record_linear(function, forward.residuals, x.tangents, avals_of(forward.results));
  return joined({std::move(forward.results), std::move(out)});
}

std::string LinearizeTrace::describe(const Tracer& tracer) const {
  return describe_behind(static_cast<const LinearizeTracer&>(tracer).primal);
}
Array LinearizeTrace::concrete_value(const Tracer& tracer) const {
  return concrete_behind(static_cast<const LinearizeTracer&>(tracer).primal);
}
std::string LinearizeTrace::tracer_str(const Tracer& tracer) const {
  return "GradTracer(primal=" + static_cast<const LinearizeTracer&>(tracer).primal.str() +
         ", typeof(tangent)=" + tangent_aval(tracer.aval()).str_short() + ")";
}

Linearized linearize_flat(FunctionRef<Arrays(const Arrays&)> function, const Arrays& primals, const std::vector<bool>& active) {
  auto tangents = make_ref<JaxprTrace>("grad", std::vector<std::string>{});
  if (!current_trace().records()) tangents->capture_scalars();
  tangents->mark_calls();
  auto trace = make_ref<LinearizeTrace>(current_trace_ref(), tangents);
  EndOf end_trace{*trace}, end_tangents{*tangents};
  Arrays inputs;
  for (size_t i = 0; i < primals.size(); ++i) {
    const ShapedArray aval = tangent_aval(primals[i].aval());
    const Array t = tangents->add_input(aval);
    inputs.push_back(active[i] && aval.dtype.code() != DType::kFloat0 ? trace->join(primals[i], t) : primals[i]);
  }
  Arrays results;
  {
    TraceScope scope(trace);
    SiteReset site;
    results = function(inputs);
  }
  Linearized out;
  Arrays nonzero;
  for (const Array& result : results) {
    out.primals.push_back(trace->primal(result));
    const Tangent t = trace->tangent(result);
    out.nonzero.push_back(!t.is_zero());
    if (!t.is_zero()) nonzero.push_back(t.value());
  }
  const Jaxpr jaxpr = tangents->finish(nonzero, "");
  out.tangents = dead_code_eliminated(jaxpr, all(nonzero.size()), true).jaxpr;
  return out;
}

static LinearizedJaxpr make_linearized(const Jaxpr& jaxpr, const std::vector<bool>& nonzero, const std::vector<bool>& instantiated,
                                       const std::vector<bool>& forwardable) {
  auto forward = make_ref<JaxprTrace>("grad", std::vector<std::string>{});
  auto tangents = make_ref<JaxprTrace>("grad", std::vector<std::string>{});
  tangents->capture_residuals();
  auto trace = make_ref<LinearizeTrace>(forward, tangents);
  EndOf end_trace{*trace}, end_forward{*forward}, end_tangents{*tangents};
  Arrays inputs, primals;
  for (size_t i = 0; i < nonzero.size(); ++i) {
    primals.push_back(forward->add_input(jaxpr.invars()[i].aval()));
    inputs.push_back(nonzero[i] ? trace->join(primals[i], tangents->add_input(tangent_aval(primals[i].aval()))) : primals[i]);
  }
  Arrays outputs, nonzero_tangents;
  LinearizedJaxpr out;
  {
    SiteReset site;
    NameStackReset names;
    Arrays results;
    {
      TraceScope scope(trace);
      results = eval_jaxpr(jaxpr, inputs);
    }
    TraceScope scope(tangents);
    for (size_t i = 0; i < results.size(); ++i) {
      outputs.push_back(trace->primal(results[i]));
      Tangent t = trace->tangent(results[i]);
      if (t.is_zero() && !instantiated.empty() && instantiated[i] && t.aval().dtype.code() != DType::kFloat0) t = instantiate(t);
      out.nonzero.push_back(!t.is_zero());
      if (!t.is_zero()) nonzero_tangents.push_back(t.value());
    }
  }
  const Jaxpr recorded = tangents->finish(nonzero_tangents, jaxpr.id()->name);
  const Jaxpr linear = dead_code_eliminated(recorded, all(nonzero_tangents.size()), true).jaxpr;
  out.tangents = with_constants_as_inputs(linear);
  for (const Array& residual : linear.consts()) {
    const auto input = std::ranges::find(primals, residual.node_ref(), [](const Array& x) { return x.node_ref(); });
    const auto at = static_cast<size_t>(input - primals.begin());
    const bool forwards = input != primals.end() && (forwardable.empty() || forwardable[at]);
    out.forwarded.push_back(forwards ? static_cast<int>(at) : -1);
    if (!forwards) outputs.push_back(residual);
  }
  const size_t count = outputs.size();
  out.forward = dead_code_eliminated(forward->finish(outputs, jaxpr.id()->name), all(count), true).jaxpr;
  return out;
}

LinearizedJaxpr linearize_jaxpr(const Jaxpr& jaxpr, const std::vector<bool>& nonzero, const std::vector<bool>& instantiate,
                                const std::vector<bool>& forwardable) {
  if (any_of(instantiate)) {  // one object where nothing has to be instantiated: else nested programs are done again at every level
    LinearizedJaxpr plain = linearize_jaxpr(jaxpr, nonzero, {}, forwardable);
    if (covers(plain.nonzero, instantiate)) return plain;
  } else if (!instantiate.empty()) {
    return linearize_jaxpr(jaxpr, nonzero, {}, forwardable);
  }
  static JaxprCache<LinearizedJaxpr>* cache = new JaxprCache<LinearizedJaxpr>;
  return cache->get(jaxpr, key_of({nonzero, instantiate, forwardable}),
                    [&] { return make_linearized(jaxpr, nonzero, instantiate, forwardable); });
}

static JvpJaxpr make_jvp(const Jaxpr& jaxpr, const std::vector<bool>& nonzero, const std::vector<bool>& instantiated) {
  Avals avals = jaxpr.in_avals();
  const size_t count = avals.size();
  for (size_t i = 0; i < count; ++i)
    if (nonzero[i]) avals.push_back(tangent_aval(avals[i]));
  JvpJaxpr out;
  auto body = [&](const Arrays& inputs) {
    Arrays primals(inputs.begin(), inputs.begin() + static_cast<ptrdiff_t>(count));
    Tangents tangents;
    size_t next = count;
    for (size_t i = 0; i < count; ++i) tangents.push_back(nonzero[i] ? Tangent(inputs[next++]) : zero_like(primals[i]));
    JvpResult result = jvp_flat([&](const Arrays& x) { return eval_jaxpr(jaxpr, x); }, primals, tangents);
    out.nonzero.clear();
    for (Tangent& t : result.tangents) {
      const size_t i = out.nonzero.size();
      if (t.is_zero() && !instantiated.empty() && instantiated[i] && t.aval().dtype.code() != DType::kFloat0) t = instantiate(t);
      out.nonzero.push_back(!t.is_zero());
      if (!t.is_zero()) result.primals.push_back(t.value());
    }
    return result.primals;
  };
  out.jaxpr = trace_to_jaxpr(body, avals, "jvp", jaxpr.id()->name);
  return out;
}

JvpJaxpr jvp_jaxpr(const Jaxpr& jaxpr, const std::vector<bool>& nonzero, const std::vector<bool>& instantiate) {
  if (any_of(instantiate)) {
    JvpJaxpr plain = jvp_jaxpr(jaxpr, nonzero);
    if (covers(plain.nonzero, instantiate)) return plain;
  } else if (!instantiate.empty()) {
    return jvp_jaxpr(jaxpr, nonzero);
  }
  static JaxprCache<JvpJaxpr>* cache = new JaxprCache<JvpJaxpr>;
  return cache->get(jaxpr, key_of({nonzero, instantiate}), [&] { return make_jvp(jaxpr, nonzero, instantiate); });
}

}  // namespace tenon::detail
