#include "runtime/trace_hook.h"

#include <utility>

namespace tenon::runtime {

static thread_local TraceListener* t_listener = nullptr;
static thread_local const TraceEvent* t_event = nullptr;
static std::atomic<int64_t> g_launches{0};

TraceHook set_trace_hook(TraceHook hook) noexcept {
  const TraceHook before = detail::trace_hook.exchange(hook, std::memory_order_acq_rel);
  detail::trace_users.fetch_add((hook ? 1 : 0) - (before ? 1 : 0), std::memory_order_relaxed);
  return before;
}

const TraceEvent* current_trace_event() noexcept {
  return detail::trace_users.load(std::memory_order_relaxed) > 0 ? t_event : nullptr;
}

int64_t detail::next_launch() noexcept {
  return detail::trace_hook.load(std::memory_order_relaxed) ? g_launches.fetch_add(1, std::memory_order_relaxed) + 1 : 0;
}

TraceListenerScope::TraceListenerScope(TraceListener& listener) noexcept : previous_(std::exchange(t_listener, &listener)) {
  detail::trace_users.fetch_add(1, std::memory_order_relaxed);
}
TraceListenerScope::~TraceListenerScope() {
  detail::trace_users.fetch_sub(1, std::memory_order_relaxed);
  t_listener = previous_;
}

void TraceSpan::begin(const TraceEvent& event) noexcept {
  hook_ = detail::trace_hook.load(std::memory_order_acquire);
  listener_ = t_listener;
  if (!hook_ && !listener_) return;
  event_ = event, outer_ = t_event;
  if (hook_ && event.executable) t_event = &event_;
  if (hook_) begun_ = hook_(event_, 0);
  if (listener_) listener_->on_event(event_, true);
}

void TraceSpan::begin_chunk(const TraceEvent& event) noexcept {
  hook_ = detail::trace_hook.load(std::memory_order_acquire);
  if (!hook_) return;
  event_ = event, event_.kind = TraceEventKind::chunk, outer_ = t_event;
  begun_ = hook_(event_, 0);
}

void TraceSpan::end() noexcept {
  if (listener_) listener_->on_event(event_, false);
  if (hook_) hook_(event_, begun_);
  t_event = outer_;
}

}  // namespace tenon::runtime
