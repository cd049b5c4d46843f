#include "trace/called_jaxprs.h"

#include <deque>
#include <mutex>
#include <unordered_map>

#include "base/fail.h"
#include "core/rearrange.h"
#include "core/trace.h"
#include "tenon/detail/jitted.h"
#include "trace/jaxpr_trace.h"

namespace tenon::detail {
namespace {

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

CalledJaxprsScope::CalledJaxprsScope() { ++t_called.depth; }
CalledJaxprsScope::~CalledJaxprsScope() {
  if (--t_called.depth == 0) t_called.by_name.clear();
}

Jaxpr called_jaxpr(const std::string& name, const Jaxpr& jaxpr) {
  return t_called.depth > 0 ? known_or_new(t_called.by_name[name], jaxpr) : jaxpr;
}

Jaxpr evaluated_jaxpr(const std::string& name, const Jaxpr& jaxpr) {
  constexpr size_t kMaxPerName = 64;
  static std::mutex mutex;
  static auto* known = new std::unordered_map<std::string, std::deque<Jaxpr>>;
  std::lock_guard lock(mutex);
  std::deque<Jaxpr>& alike = (*known)[name];
  const Jaxpr found = known_or_new(alike, jaxpr);
  if (alike.size() > kMaxPerName) alike.pop_front();
  return found;
}

Jaxpr trace_body(const char* who, FunctionRef<Arrays(const Arrays&)> body, const Avals& avals) {
  Jaxpr jaxpr = trace_to_jaxpr(body, avals, who, who);
  for (const Array& constant : jaxpr.consts())
    if (constant.is_tracer())
      fail<TypeError>(who, "the function captures a traced ", constant.aval(), "; it may use its arguments and known values only");
  return is_evaluating() && jaxpr.consts().empty() ? evaluated_jaxpr(who, jaxpr) : jaxpr;
}

Jaxpr trace_closed(const char* who, FunctionRef<Arrays(const Arrays&)> body, const Avals& avals, Arrays& captured) {
  const Jaxpr jaxpr = trace_to_jaxpr(body, avals, who, who);
  captured = jaxpr.consts();
  return with_constants_as_inputs(jaxpr);
}

Jaxpr shared_jaxpr(const char* who, const void* identity, const Jaxpr& jaxpr) {
  if (is_evaluating()) return evaluated_jaxpr(who, jaxpr);
  if (!identity) return jaxpr;
  return called_jaxpr(text(who, " ", reinterpret_cast<uintptr_t>(identity)), jaxpr);
}

}  // namespace tenon::detail
