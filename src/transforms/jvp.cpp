#include "transforms/jvp.h"

#include <algorithm>

#include "base/fail.h"
#include "core/nodes.h"
#include "tenon/detail/rules.h"

namespace tenon::detail {
namespace {

class JvpTracer final : public Tracer {
 public:
  JvpTracer(TraceRef trace, Array primal, Array tangent)
      : Tracer(std::move(trace), primal.aval()), primal(std::move(primal)), tangent(std::move(tangent)) {}
  const Array primal, tangent;
};

const JvpTracer* own(const JvpTrace& trace, const Array& x) {
  const Tracer* tracer = tracer_of(x);
  return tracer && tracer->trace.get() == &trace ? static_cast<const JvpTracer*>(tracer) : nullptr;
}

}  // namespace

bool Dual::is_constant() const {
  return std::ranges::all_of(tangents, [](const Tangent& t) { return t.is_zero(); });
}

Array concrete_behind(const Array& x) {
  const Tracer* tracer = tracer_of(x);
  return tracer ? tracer->trace->concrete_value(*tracer) : x;
}
std::string describe_behind(const Array& x) {
  const Tracer* tracer = tracer_of(x);
  return tracer ? tracer->trace->describe(*tracer) : "";
}

Array JvpTrace::join(Array primal, Tangent tangent) {
  if (tangent.is_zero() || tangent.aval().dtype.code() == DType::kFloat0) return primal;
  return Array(make_ref<JvpTracer>(TraceRef(this), std::move(primal), tangent.value()));
}
Array JvpTrace::primal(const Array& x) const {
  const JvpTracer* tracer = own(*this, x);
  return tracer ? tracer->primal : x;
}
Tangent JvpTrace::tangent(const Array& x) const {
  const JvpTracer* tracer = own(*this, x);
  return tracer ? Tangent(tracer->tangent) : zero_like(x);
}

Dual JvpTrace::split(const Arrays& operands) const {
  Dual out;
  for (const Array& x : operands) {
    out.primals.push_back(primal(x));
    out.tangents.push_back(tangent(x));
  }
  return out;
}
Arrays JvpTrace::joined(JvpResult result) {
  Arrays out;
  for (size_t i = 0; i < result.primals.size(); ++i) out.push_back(join(std::move(result.primals[i]), std::move(result.tangents[i])));
  return out;
}

Arrays JvpTrace::process(const Primitive& primitive, const Arrays& operands, const EqnParams& params) {
  const Dual x = split(operands);
  TraceScope scope(below_);
  if (x.is_constant()) return bind_all(primitive, x.primals, params);
  if (!primitive.jvp) fail<UnimplementedError>("jvp", "the operation ", primitive.name(), " has no rule of differentiation");
  return joined(primitive.jvp(primitive, x.primals, x.tangents, params));
}

Arrays JvpTrace::process_custom_jvp(const CustomJvpRef& function, const Arrays& operands) {
  Dual x = split(operands);
  TraceScope scope(below_);
  if (x.is_constant()) return current_trace().process_custom_jvp(function, x.primals);
  if (!function->symbolic_zeros)
    for (Tangent& t : x.tangents) t = instantiate(t);
  return joined(function->jvp(x.primals, x.tangents));
}

Arrays JvpTrace::process_custom_vjp(const CustomVjpRef& function, const Arrays& operands) {
  const Dual x = split(operands);
  TraceScope scope(below_);
  if (x.is_constant()) return current_trace().process_custom_vjp(function, x.primals);
  CustomVjp::Forward forward = function->forward(x.primals);
  Tangents out = function->record_linear(function, forward.residuals, x.tangents, avals_of(forward.results));
  return joined({std::move(forward.results), std::move(out)});
}

std::string JvpTrace::describe(const Tracer& tracer) const { return describe_behind(static_cast<const JvpTracer&>(tracer).primal); }
Array JvpTrace::concrete_value(const Tracer& tracer) const { return concrete_behind(static_cast<const JvpTracer&>(tracer).primal); }
std::string JvpTrace::tracer_str(const Tracer& tracer) const {
  const auto& own = static_cast<const JvpTracer&>(tracer);
  return "JVPTracer(primal=" + own.primal.str() + ", tangent=" + own.tangent.str() + ")";
}

JvpResult jvp_flat(FunctionRef<Arrays(const Arrays&)> function, const Arrays& primals, const Tangents& tangents) {
  auto trace = make_ref<JvpTrace>(current_trace_ref());
  EndOf end{*trace};
  Arrays inputs;
  for (size_t i = 0; i < primals.size(); ++i) inputs.push_back(trace->join(primals[i], tangents[i]));
  Arrays results;
  {
    TraceScope scope(trace);
    SiteReset site;
    results = function(inputs);
  }
  Dual out = trace->split(results);
  return {std::move(out.primals), std::move(out.tangents)};
}

}  // namespace tenon::detail
