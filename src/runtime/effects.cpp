#include "runtime/effects.h"

#include <mutex>
#include <utility>
#include <vector>

#include "runtime/dispatcher.h"
#include "runtime/process.h"

namespace tenon::runtime {
namespace {

struct Runs {
  std::mutex mutex;
  std::vector<Ref<Completion>> pending;
  Ref<Completion> failed;  // the first

  void drop_ended() {
    std::erase_if(pending, [&](const Ref<Completion>& run) {
      if (run->failure() && !failed) failed = run;
      return run->is_done();
    });
  }
};

Runs* g_runs = nullptr;

// A child of fork knows nothing of its parent's runs, which end elsewhere.
Runs& runs() {
  static const bool made = [] {
    g_runs = new Runs;
    on_fork({.prepare = [] { g_runs->mutex.lock(); },
             .parent = [] { g_runs->mutex.unlock(); },
             .child = [] { g_runs = new Runs; }});
    return true;
  }();
  static_cast<void>(made);
  return *g_runs;
}

}  // namespace

void follow_effects(const Ref<Completion>& run) {
  if (!run) return;
  Runs& all = runs();
  std::lock_guard lock(all.mutex);
  all.drop_ended();
  all.pending.push_back(run);
}

void wait_for_effects() {
  if (Dispatcher::on_dispatch_thread()) return;
  Runs& all = runs();
  std::unique_lock lock(all.mutex);
  const std::vector<Ref<Completion>> pending = all.pending;
  lock.unlock();
  for (const Ref<Completion>& run : pending) run->wait_done();
  lock.lock();
  all.drop_ended();
  const Ref<Completion> failed = std::exchange(all.failed, {});
  lock.unlock();
  if (failed) failed->wait();
}

}  // namespace tenon::runtime
