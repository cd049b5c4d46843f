#include "transforms/jvp.h"

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

bool all_zero(const Tangents& tangents) {
  for (const Tangent& tangent : tangents)
    if (!tangent.is_zero()) return false;
  return true;
}

}  // namespace

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

Arrays JvpTrace::process(const Primitive& primitive, const Arrays& operands, const EqnParams& params) {
  Arrays primals;
  Tangents tangents;
  for (const Array& x : operands) {
    primals.push_back(primal(x));
    tangents.push_back(tangent(x));
  }
  TraceScope scope(below_);
  if (all_zero(tangents)) return bind_all(primitive, primals, params);
  if (!primitive.jvp) fail<UnimplementedError>("jvp", "the operation ", primitive.name(), " has no rule of differentiation");
  JvpResult result = primitive.jvp(primitive, primals, tangents, params);
  Arrays out;
  for (size_t i = 0; i < result.primals.size(); ++i) out.push_back(join(std::move(result.primals[i]), result.tangents[i]));
  return out;
}

Arrays JvpTrace::process_custom_jvp(const CustomJvpRef& function, const Arrays& operands) {
  Arrays primals;
  Tangents tangents;
  for (const Array& x : operands) {
    primals.push_back(primal(x));
    tangents.push_back(tangent(x));
  }
  TraceScope scope(below_);
  if (all_zero(tangents)) return current_trace().process_custom_jvp(function, primals);
  if (!function->symbolic_zeros)
    for (Tangent& t : tangents) t = instantiate(t);
  JvpResult result = function->jvp(primals, tangents);
  Arrays out;
  for (size_t i = 0; i < result.primals.size(); ++i) out.push_back(join(std::move(result.primals[i]), result.tangents[i]));
  return out;
}

Arrays JvpTrace::process_custom_vjp(const CustomVjpRef& function, const Arrays& operands) {
  Arrays primals;
  Tangents tangents;
  for (const Array& x : operands) {
    primals.push_back(primal(x));
    tangents.push_back(tangent(x));
  }
  TraceScope scope(below_);
  if (all_zero(tangents)) return current_trace().process_custom_vjp(function, primals);
  CustomVjp::Forward forward = function->forward(primals);
  Tangents out = function->record_linear(function, forward.residuals, tangents, avals_of(forward.results));
  Arrays joined;
  for (size_t i = 0; i < forward.results.size(); ++i) joined.push_back(join(std::move(forward.results[i]), std::move(out[i])));
  return joined;
}

std::string JvpTrace::describe(const Tracer& tracer) const { return describe_behind(static_cast<const JvpTracer&>(tracer).primal); }
Array JvpTrace::concrete_value(const Tracer& tracer) const { return concrete_behind(static_cast<const JvpTracer&>(tracer).primal); }
std::string JvpTrace::tracer_str(const Tracer& tracer) const {
  const auto& own = static_cast<const JvpTracer&>(tracer);
  return "JVPTracer(primal=" + own.primal.str() + ", tangent=" + own.tangent.str() + ")";
}

JvpResult jvp_flat(FunctionRef<Arrays(const Arrays&)> function, const Arrays& primals, const Tangents& tangents) {
  auto trace = make_ref<JvpTrace>(current_trace_ref());
  struct End {
    Trace& trace;
    ~End() { trace.end(); }
  } end{*trace};
  Arrays inputs;
  for (size_t i = 0; i < primals.size(); ++i) inputs.push_back(trace->join(primals[i], tangents[i]));
  Arrays results;
  {
    TraceScope scope(trace);
    SiteReset site;
    results = function(inputs);
  }
  JvpResult out;
  for (const Array& result : results) {
    out.primals.push_back(trace->primal(result));
    out.tangents.push_back(trace->tangent(result));
  }
  return out;
}

}  // namespace tenon::detail
