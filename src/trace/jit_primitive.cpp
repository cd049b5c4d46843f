#include "trace/jit_primitive.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "base/fail.h"
#include "trace/jaxpr_trace.h"

namespace tenon::detail {
namespace {

Avals jit_abstract_eval(const Avals& operands, const EqnParams& params) {
  const auto& jaxpr = params.get<Jaxpr>("jaxpr");
  TENON_CHECK(operands.size() == jaxpr.invars().size(), params.at("name").str());
  return jaxpr.out_avals();
}

// Jaxprs called while the outermost trace of this thread is open, by name.
struct CalledJaxprs {
  int depth = 0;
  std::unordered_map<std::string, std::deque<Jaxpr>> by_name;
};
thread_local CalledJaxprs t_called;

// The one of `known` that has the structure of `jaxpr`; `jaxpr` itself joins where there is none.
Jaxpr known_or_new(std::deque<Jaxpr>& known, const Jaxpr& jaxpr) {
  for (const Jaxpr& other : known)
    if (same_structure(jaxpr, other)) return other;
  known.push_back(jaxpr);
  return jaxpr;
}

}  // namespace

constinit const Primitive jit_p{
    .name = "jit",
    .abstract_eval = jit_abstract_eval,
    .effects = [](const EqnParams& params) { return params.get<Jaxpr>("jaxpr").effects(); },
    .call_like = true,
};

CalledJaxprsScope::CalledJaxprsScope() { ++t_called.depth; }
CalledJaxprsScope::~CalledJaxprsScope() {
  if (--t_called.depth == 0) t_called.by_name.clear();
}

Arrays bind_jit(const std::string& name, const Jaxpr& jaxpr, Arrays operands) {
  Jaxpr closed = hoist_tracers(jaxpr, operands);
  if (t_called.depth > 0) closed = known_or_new(t_called.by_name[name], closed);
  return bind_all(jit_p, operands, {{"jaxpr", closed}, {"name", name}});
}

// Evaluated programs are found again by the identity of their jaxprs: one object for those of one structure.
static Jaxpr known_jaxpr(const std::string& name, const Jaxpr& jaxpr) {
  constexpr size_t kMaxPerName = 64;
  static std::mutex mutex;
  static auto* known = new std::unordered_map<std::string, std::deque<Jaxpr>>;
  std::lock_guard lock(mutex);
  std::deque<Jaxpr>& alike = (*known)[name];
  const Jaxpr found = known_or_new(alike, jaxpr);
  if (alike.size() > kMaxPerName) alike.pop_front();
  return found;
}

// Large values go through one fused program instead of one after the other; tracing costs some 20 us.
static constexpr int64_t kWorthFusing = 1 << 16;

Arrays call_jitted(const char* name, FunctionRef<Arrays(const Arrays&)> body, const Arrays& operands, int64_t elements) {
  const bool evaluates = is_evaluating();
  for (const Array& operand : operands) elements = std::max(elements, operand.size());
  if (evaluates && elements < kWorthFusing) return body(operands);
  Avals avals;
  for (const Array& operand : operands) avals.push_back(operand.aval());
  const Jaxpr jaxpr = trace_to_jaxpr(body, avals, name, name);
  if (!evaluates) return bind_jit(name, jaxpr, operands);
  if (!jaxpr.consts().empty()) return body(operands);  // a program for these values alone
  return bind_all(jit_p, operands, {{"jaxpr", known_jaxpr(name, jaxpr)}, {"name", name}});
}

Jaxpr trace_body(const char* who, FunctionRef<Arrays(const Arrays&)> body, const Avals& avals) {
  Jaxpr jaxpr = trace_to_jaxpr(body, avals, who, who);
  for (const Array& constant : jaxpr.consts())
    if (constant.is_tracer())
      fail<TypeError>(who, "the function captures a traced ", constant.aval(), "; it may use its arguments and known values only");
  return is_evaluating() && jaxpr.consts().empty() ? known_jaxpr(who, jaxpr) : jaxpr;
}

}  // namespace tenon::detail
