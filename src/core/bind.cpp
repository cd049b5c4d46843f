// bind: hands an operation to the current trace.
#include <algorithm>

#include "base/fail.h"
#include "core/nodes.h"
#include "core/trace.h"

namespace tenon {
namespace detail {
namespace {

// Stands in until src/api has installed the evaluating trace.
class NoTrace final : public Trace {
 public:
  Arrays process(const Primitive& primitive, const Arrays&, const EqnParams&) override {
    throw InternalError(primitive.name() + ": no evaluating trace is installed");
  }
  Arrays process_custom_jvp(const CustomJvpRef& function, const Arrays& operands) override { return function->call(operands); }
  Arrays process_custom_vjp(const CustomVjpRef& function, const Arrays& operands) override { return function->call(operands); }
  std::string describe(const Tracer&) const override { return ""; }
  std::string name() const override { return "nothing"; }
};

TraceRef& base_trace() {
  static TraceRef* trace = new TraceRef(new NoTrace);
  return *trace;
}
thread_local TraceRef t_trace;  // empty: the base trace
thread_local std::vector<BatchAxis> t_axes;  // named ones, the innermost last

}  // namespace

void set_base_trace(Trace* trace) { base_trace() = TraceRef(trace); }
Trace& current_trace() { return t_trace ? *t_trace : *base_trace(); }
const TraceRef& current_trace_ref() { return t_trace; }
bool is_evaluating() { return !t_trace; }

NamedAxisScope::NamedAxisScope(const BatchAxis& axis) : named_(!axis.name.empty()) {
  if (named_) t_axes.push_back(axis);
}
NamedAxisScope::~NamedAxisScope() {
  if (named_) t_axes.pop_back();
}
bool is_axis_bound(std::string_view name) {
  return std::ranges::any_of(t_axes, [&](const BatchAxis& axis) { return axis.name == name; });
}
int64_t size_of_axis(std::string_view name) {
  for (auto axis = t_axes.rbegin(); axis != t_axes.rend(); ++axis)
    if (axis->name == name) return axis->size;
  TENON_CHECK(false, name);
}

TraceScope::TraceScope(TraceRef trace) : previous_(std::exchange(t_trace, std::move(trace))) {}
TraceScope::~TraceScope() { t_trace = std::move(previous_); }
EvaluationScope::EvaluationScope() : previous_(std::exchange(t_trace, TraceRef())) {}
EvaluationScope::~EvaluationScope() { t_trace = std::move(previous_); }

}  // namespace detail

Arrays bind_all(const Primitive& primitive, const Arrays& operands, const EqnParams& params) {
  for (const Array& operand : operands) {
    if (operand.is_empty())
      fail<ValueError>(primitive.name(), "an operand is an empty Array; give it a value first");
    detail::check_default_int(operand.node("bind"));
    detail::Tracer* tracer = detail::tracer_of(operand);
    if (tracer && tracer->trace->ended())
      fail<UnexpectedTracerError>(
          primitive.name(), "a traced ", operand.aval(), " is used after its trace (", tracer->trace->name(),
          ") has ended; it was made ", tracer->made_at.line() ? "at " + detail::site_str(tracer->made_at) : "there",
          "; return it from the function instead of storing it outside");
  }
  return detail::current_trace().process(primitive, operands, params);
}

Array bind(const Primitive& primitive, const Arrays& operands, const EqnParams& params) {
  Arrays results = bind_all(primitive, operands, params);
  TENON_CHECK(results.size() == 1, primitive.name(), " has ", results.size(), " results");
  return std::move(results[0]);
}

}  // namespace tenon
