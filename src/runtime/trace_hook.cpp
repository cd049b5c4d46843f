#include "runtime/trace_hook.h"

#include <utility>

namespace tenon::runtime {

static thread_local TraceListener* t_listener = nullptr;

TraceListener* detail::listener_of_this_thread() noexcept { return t_listener; }

TraceListenerScope::TraceListenerScope(TraceListener& listener) noexcept : previous_(std::exchange(t_listener, &listener)) {
  detail::trace_listeners.fetch_add(1, std::memory_order_relaxed);
}
TraceListenerScope::~TraceListenerScope() {
  detail::trace_listeners.fetch_sub(1, std::memory_order_relaxed);
  t_listener = previous_;
}

}  // namespace tenon::runtime
