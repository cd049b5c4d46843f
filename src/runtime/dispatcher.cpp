#include "runtime/dispatcher.h"

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

#include "base/options.h"
#include "runtime/float_mode.h"
#include "runtime/process.h"
#include "runtime/thread_pool.h"
#include "tenon/error.h"

namespace tenon::runtime {
namespace {

thread_local bool t_dispatching = false;

void run_task(Task& task) noexcept {
  for (const Ref<Completion>& dependency : task.dependencies) {
    if (!dependency) continue;
    try {
      dependency->wait_done();
    } catch (...) {
      return task.completion->set_failed(std::current_exception());
    }
    if (dependency->failure()) return task.completion->set_failed(dependency->share_failure());
  }
  try {
    PoolSizeScope size(task.threads);
    task.run();
  } catch (...) {
    return task.completion->set_failed(std::current_exception());
  }
  task.completion->set_ready();
}

}  // namespace

struct Dispatcher::State {
  std::mutex mutex;
  std::condition_variable work;   // a task was queued, or it is time to stop
  std::condition_variable space;  // a task has run
  std::deque<std::unique_ptr<Task>> queue;
  uint64_t submitted = 0;  // tasks so far
  uint64_t finished = 0;   // all tasks before this number, except those that run nested
  std::atomic<int64_t> in_flight{0};
  bool started = false;
  bool stopping = false;
  std::thread thread;

  // Runs the first task, if there is one. `lock` is released meanwhile.
  bool run_one(std::unique_lock<std::mutex>& lock) {
    if (queue.empty()) return false;
    std::unique_ptr<Task> task = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    space.notify_all();  // there is room again
    run_task(*task);
    task.reset();  // drops arguments before anyone believes that we are idle
    in_flight.fetch_sub(1, std::memory_order_release);
    lock.lock();
    ++finished;
    space.notify_all();
    return true;
  }

  void loop() {
    t_dispatching = true;
    pthread_setname_np(pthread_self(), "tenon-dispatch");
    FloatModeScope float_mode;
    std::unique_lock lock(mutex);
    for (;;) {
      if (run_one(lock)) continue;
      if (stopping) return;
      work.wait(lock);
    }
  }

  void start() {
    sigset_t all, saved;  // signals are the host's
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &saved);
    try {
      thread = std::thread([this] { loop(); });
      started = true;
    } catch (...) {  // no thread to be had: submit runs the task itself
    }
    pthread_sigmask(SIG_SETMASK, &saved, nullptr);
  }

  // At exit: queued work is finished, since it may have effects that somebody counts on.
  void stop() {
    {
      std::lock_guard lock(mutex);
      stopping = true;
    }
    work.notify_all();
    if (!t_dispatching && thread.joinable()) thread.join();
  }
};

namespace {
Dispatcher* g_dispatcher = nullptr;
Dispatcher::State* g_state = nullptr;  // never freed: work may be queued while the process exits
}  // namespace

Dispatcher::Dispatcher() : state_(new State) {
  ThreadPool::get();  // stops after us
  g_dispatcher = this;
  g_state = state_;
  std::atexit([] { g_state->stop(); });
  // The child has no dispatch thread and does not do the parent's work: it starts with an empty
  // queue, and leaves the old one alone.
  on_fork({.prepare = [] { g_state->mutex.lock(); },
           .parent = [] { g_state->mutex.unlock(); },
           .child =
               [] {
                 g_dispatcher->state_ = g_state = new State;
                 t_dispatching = false;
               }});
}

Dispatcher& Dispatcher::get() {
  static auto* dispatcher = new Dispatcher;
  return *dispatcher;
}

bool Dispatcher::on_dispatch_thread() noexcept { return t_dispatching; }

// On the dispatch thread (code called by a program) everything is done at once: what it waits for
// could not run before it returns.
bool Dispatcher::should_queue(DispatchMode mode,
                              std::span<const Ref<Completion>> dependencies) const noexcept {
  if (mode == DispatchMode::synchronous || t_dispatching) return false;
  if (!options().cpu_enable_async_dispatch) return false;
  if (mode == DispatchMode::queued) return true;
  for (const Ref<Completion>& dependency : dependencies) {
    if (dependency && !dependency->is_done()) return true;
  }
  return false;
}

void Dispatcher::submit(std::unique_ptr<Task> task) {
  State& state = *state_;
  task->threads = ThreadPool::get().size();
  std::unique_lock lock(state.mutex);
  if (!state.started && !state.stopping) state.start();
  if (!state.started || state.stopping) {  // exiting, or no thread: queued work, then this
    lock.unlock();
    run_task(*task);
    return;
  }
  if (!t_dispatching) {
    state.space.wait(lock, [&] { return static_cast<int>(state.queue.size()) < kMaxInFlight; });
  }
  state.queue.push_back(std::move(task));
  ++state.submitted;
  state.in_flight.fetch_add(1, std::memory_order_relaxed);
  lock.unlock();
  state.work.notify_one();
}

bool Dispatcher::is_idle() const noexcept {
  return state_->in_flight.load(std::memory_order_acquire) == 0;
}

void Dispatcher::wait_idle() {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  const uint64_t target = state.submitted;
  state.space.wait(lock, [&] { return state.finished >= target; });
}

void Dispatcher::run_queued_until(const Completion& completion) {
  std::unique_lock lock(state_->mutex);
  while (!completion.is_done() && state_->run_one(lock)) {
  }
}

}  // namespace tenon::runtime
