// Asynchronous execution: work in, a completion out. One thread does the queued work in order;
// small work runs on the caller's thread when all it needs is ready. With the option
// cpu_enable_async_dispatch off, all work does.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/completion.h"
#include "runtime/float_mode.h"

namespace tenon::runtime {

/// Work that waits in the queue.
class Task {
 public:
  virtual ~Task() = default;
  /// Runs when the dependencies are ready. What it throws goes to the completion.
  virtual void run() = 0;

  std::vector<Ref<Completion>> dependencies;
  Ref<Completion> completion;
  int threads = 0;  // of the pool while it runs: those of the thread that submitted it
};

enum class DispatchMode : uint8_t {
  inline_if_ready,  // small work: on this thread, unless a dependency is pending
  queued,           // large work: always to the queue
  synchronous,      // waits for the dependencies, then on this thread
};

class Dispatcher {
 public:
  /// Tasks in flight; submit waits while there are more.
  static constexpr int kMaxInFlight = 32;

  /// The dispatcher of this process. Its thread starts with the first task.
  static Dispatcher& get();

  /// Runs `body()` when all `dependencies` (null ones are ready) are. Returns the completion of
  /// the body, null when it has already run well. When a dependency has failed the body does not
  /// run and its failure is handed on. Errors of the body are stored, never thrown here.
  ///
  /// `body` is moved to the heap only when it is queued.
  template <class F>
  Ref<Completion> dispatch(DispatchMode mode, std::span<const Ref<Completion>> dependencies,
                           F&& body) {
    if (should_queue(mode, dependencies)) {
      auto task = std::make_unique<BodyTask<std::decay_t<F>>>(std::forward<F>(body));
      task->dependencies.assign(dependencies.begin(), dependencies.end());
      task->completion = make_ref<Completion>();
      Ref<Completion> completion = task->completion;
      submit(std::move(task));
      return completion;
    }
    try {
      for (const Ref<Completion>& dependency : dependencies) {
        if (!dependency) continue;
        dependency->wait_done();
        if (dependency->failure()) return make_ref<Completion>(dependency->share_failure());
      }
      FloatModeScope float_mode;
      body();
    } catch (...) {
      return make_ref<Completion>(make_ref<Failure>(std::current_exception()));
    }
    return {};
  }

  /// Queues a task. Waits while kMaxInFlight are queued, but not on the dispatch thread.
  void submit(std::unique_ptr<Task> task);

  /// True when no task is queued or running: then no program that runs later reads or writes a
  /// buffer that this thread sees.
  bool is_idle() const noexcept;
  /// Returns when every task submitted before has run. Not on the dispatch thread.
  void wait_idle();

  static bool on_dispatch_thread() noexcept;
  /// On the dispatch thread: runs queued tasks until `completion` is done or the queue is empty.
  void run_queued_until(const Completion& completion);

  struct State;  // in the .cpp

 private:
  template <class F>
  struct BodyTask : Task {
    template <class G>
    explicit BodyTask(G&& g) : body(std::forward<G>(g)) {}
    void run() override { body(); }
    F body;
  };

  Dispatcher();
  bool should_queue(DispatchMode mode,
                    std::span<const Ref<Completion>> dependencies) const noexcept;
  State* state_;
};

}  // namespace tenon::runtime
