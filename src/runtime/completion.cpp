#include "runtime/completion.h"

#include "runtime/dispatcher.h"
#include "runtime/process.h"
#include "runtime/spin.h"
#include "runtime/trace_hook.h"
#include "tenon/error.h"

namespace tenon::runtime {
namespace {

constexpr int kSpinPauses = 400;  // as in thread_pool.cpp

std::atomic<UnobservedErrorHook> g_hook{nullptr};

}  // namespace

Failure::~Failure() {
  if (is_observed_.load(std::memory_order_relaxed)) return;
  if (UnobservedErrorHook hook = g_hook.load()) hook(error_);
}

void Failure::raise() const { std::rethrow_exception(error()); }

std::exception_ptr Failure::error() const noexcept {
  is_observed_.store(true, std::memory_order_relaxed);
  return error_;
}

Completion::Completion() noexcept : state_(kPending), fork_generation_(fork_generation()) {}

Completion::Completion(Ref<Failure> failure) noexcept
    : state_(kFailed), fork_generation_(fork_generation()), failure_(std::move(failure)) {}

void Completion::wait_done() const {
  if (is_done()) return;
  if (Dispatcher::on_dispatch_thread()) {
    Dispatcher::get().run_queued_until(*this);
    if (is_done()) return;
  }
  if (fork_generation_ != fork_generation()) {
    throw RuntimeError(
        "wait: the result was still being computed when the process forked, and the "
        "child does not have the thread that computes it; wait for results before "
        "fork()");
  }
  TraceSpan span(TraceEventKind::wait, "wait");
  for (int i = 0; i < kSpinPauses; ++i) {
    if (is_done()) return;
    cpu_pause();
  }
  while (!is_done()) state_.wait(kPending, std::memory_order_acquire);
}

void Completion::wait() const {
  wait_done();
  if (const Failure* failed = failure()) failed->raise();
}

void Completion::set_ready() noexcept { finish(kReady); }

void Completion::set_failed(Ref<Failure> failure) noexcept {
  failure_ = std::move(failure);
  finish(kFailed);
}

void Completion::set_failed(std::exception_ptr error) noexcept {
  set_failed(make_ref<Failure>(std::move(error)));
}

// The caller holds a reference: a waiter may drop its own as soon as it sees the new state.
void Completion::finish(State state) noexcept {
  state_.store(state, std::memory_order_release);
  state_.notify_all();
}

}  // namespace tenon::runtime

tenon::UnobservedErrorHook tenon::set_unobserved_error_hook(UnobservedErrorHook hook) noexcept { return runtime::g_hook.exchange(hook); }
