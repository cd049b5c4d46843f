// A region is one parallel_for. Regions live in a fixed table that is never freed, so a helper that
// comes late finds a closed region and goes; nobody waits for a helper that has not joined.
//
//   caller   fills a region, opens it, wakes helpers, takes chunks, closes it, waits for those
//   inside helper   looks through the table for open regions, joins, takes chunks, leaves
#include "runtime/thread_pool.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/options.h"
#include "runtime/float_mode.h"
#include "runtime/process.h"
#include "runtime/spin.h"
#include "runtime/trace_hook.h"
#include "tenon/error.h"

namespace tenon::runtime {
namespace {

constexpr int kRegions = 32;      // regions open at once; a caller that finds none free works alone
constexpr int kSpinPauses = 400;  // about 10 us on Zen 3: longer than a futex round trip (5 us)

thread_local bool t_inside = false;
thread_local bool t_worker = false;
thread_local int t_size = 0;  // of the innermost PoolSizeScope

struct InsideScope {
  bool saved = std::exchange(t_inside, true);
  ~InsideScope() { t_inside = saved; }
};

// Waits until `done(value)`: spins for a while when that may help, then sleeps.
template <class T, class Done>
void wait_until(const std::atomic<T>& atomic, bool spin, Done done) {
  for (int i = 0; spin && i < kSpinPauses; ++i) {
    if (done(atomic.load(std::memory_order_acquire))) return;
    cpu_pause();
  }
  for (T value; !done(value = atomic.load(std::memory_order_acquire));) {
    atomic.wait(value, std::memory_order_acquire);
  }
}

struct alignas(64) Region {
  // Helpers that may still join << 16 | helpers inside.
  static constexpr uint32_t kJoin = 1u << 16;
  static constexpr uint32_t kInside = kJoin - 1;
  std::atomic<uint32_t> state{0};
  std::atomic<bool> taken{false};

  int64_t units = 0;
  int64_t grain = 1;
  int64_t chunks = 0;
  const ChunkBody* body = nullptr;
  const TraceEvent* event = nullptr;  // whose chunks they are, when somebody wants to know

  SpinLock error_lock;
  int64_t error_chunk = 0;
  std::exception_ptr error;

  alignas(64) std::atomic<int64_t> next{0};

  void run_chunk(int64_t chunk) {
    const int64_t begin = chunk * grain;
    (*body)(begin, std::min(grain, units - begin) + begin);
  }

  void take_chunks(const TraceEvent* traced = nullptr) noexcept {
    InsideScope inside;
    for (int64_t chunk; (chunk = next.fetch_add(1, std::memory_order_relaxed)) < chunks;) {
      TraceSpan span(traced);
      try {
        run_chunk(chunk);
      } catch (...) {
        std::lock_guard lock(error_lock);
        if (!error || chunk < error_chunk) {
          error = std::current_exception();
          error_chunk = chunk;
        }
        next.store(chunks, std::memory_order_relaxed);  // lower chunks have all begun
      }
    }
  }

  bool join() noexcept {
    uint32_t value = state.load(std::memory_order_relaxed);
    while (value >= kJoin) {
      if (state.compare_exchange_weak(value, value - kJoin + 1, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }
  void leave() noexcept {
    if ((state.fetch_sub(1, std::memory_order_release) & kInside) == 1) state.notify_all();
  }
  // No one joins any more; returns when those inside have left.
  void close(bool spin) noexcept {
    if ((state.fetch_and(kInside, std::memory_order_acquire) & kInside) == 0) return;
    wait_until(state, spin, [](uint32_t value) { return (value & kInside) == 0; });
  }
};

}  // namespace

struct ThreadPool::State {
  Region regions[kRegions];
  std::atomic<uint32_t> epoch{0};  // +1 for each opened region; idle workers wait on it
  std::atomic<bool> stopping{false};
  std::atomic<Executor*> executor{nullptr};
  int processors = available_processors();

  std::mutex start_mutex;
  std::atomic<int> started{0};
  std::vector<std::thread> workers;

  // Spinning with more threads than processors only keeps those from working who could.
  bool spin() const noexcept { return started.load(std::memory_order_relaxed) < processors; }

  // Joins what is open until nothing is. Callable from any thread, at any time.
  static void help(void* context) noexcept {
    auto& state = *static_cast<State*>(context);
    FloatModeScope float_mode;
    for (bool found = true; found;) {
      found = false;
      for (Region& region : state.regions) {
        if (!region.join()) continue;
        region.take_chunks(region.event);
        region.leave();
        found = true;
      }
    }
  }

  void work(int index) noexcept {
    t_worker = true;
    char name[16] = "tenon-";
    int digit = 6;
    if (index >= 100) name[digit++] = static_cast<char>('0' + index / 100 % 10);
    if (index >= 10) name[digit++] = static_cast<char>('0' + index / 10 % 10);
    name[digit] = static_cast<char>('0' + index % 10);
    pthread_setname_np(pthread_self(), name);
    // A body may fork; the child's only thread is then this one, and has nothing to wait for.
    const uint32_t generation = fork_generation();
    while (!stopping.load(std::memory_order_relaxed) && fork_generation() == generation) {
      const uint32_t seen = epoch.load(std::memory_order_acquire);
      help(this);
      if (stopping.load(std::memory_order_acquire) || fork_generation() != generation) break;
      wait_until(epoch, spin(), [seen](uint32_t value) { return value != seen; });
    }
  }

  // Starts threads until `count` run. Where the system refuses one, work goes on with fewer.
  void start(int count) {
    std::lock_guard lock(start_mutex);
    if (stopping.load(std::memory_order_relaxed)) return;
    sigset_t all, saved;  // signals are the host's: no thread of ours takes one
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &saved);
    try {
      workers.reserve(count);
      while (static_cast<int>(workers.size()) < count) {
        workers.emplace_back([this, index = static_cast<int>(workers.size())] { work(index); });
      }
    } catch (...) {
    }
    pthread_sigmask(SIG_SETMASK, &saved, nullptr);
    started.store(count, std::memory_order_release);  // also when refused: do not try each time
  }

  void wake(int helpers) {
    if (Executor* host = executor.load(std::memory_order_acquire)) {
      host->request(helpers, &State::help, this);
      return;
    }
    if (started.load(std::memory_order_acquire) < helpers) start(helpers);
    epoch.fetch_add(1, std::memory_order_release);
    if (2 * helpers >= started.load(std::memory_order_relaxed)) {
      epoch.notify_all();
    } else {
      for (int i = 0; i < helpers; ++i) epoch.notify_one();
    }
  }

  // At exit: lets workers finish their chunk and go. Regions go on, inline.
  void stop() {
    stopping.store(true, std::memory_order_release);
    epoch.fetch_add(1, std::memory_order_release);
    epoch.notify_all();
    if (t_worker) return;  // exit() called by a body: cannot wait for ourselves
    std::lock_guard lock(start_mutex);
    for (std::thread& worker : workers) worker.join();
    workers.clear();
  }
};

namespace {
ThreadPool* g_pool = nullptr;
ThreadPool::State* g_state = nullptr;  // never freed: late helpers and exit handlers may look at it
}  // namespace

ThreadPool::ThreadPool() : state_(new State) {
  g_pool = this;
  g_state = state_;
  std::atexit([] { g_state->stop(); });
  // A child has no workers. It gets a state of its own and starts threads when it needs them; the
  // parent's state stays untouched in the child, where the forking thread may be inside a region.
  on_fork({.prepare = [] { g_state->start_mutex.lock(); },
           .parent = [] { g_state->start_mutex.unlock(); },
           .child =
               [] {
                 g_pool->state_ = g_state = new State;  // the host's threads are gone as well
               }});
}

ThreadPool& ThreadPool::get() {
  static auto* pool = new ThreadPool;
  return *pool;
}

int ThreadPool::size() const noexcept {
  int64_t size = t_size;
  if (size == 0) {
    if (Executor* host = state_->executor.load(std::memory_order_acquire)) {
      size = host->concurrency();
    } else {
      size = options().num_threads;
      if (size <= 0) size = state_->processors;
    }
  }
  return static_cast<int>(std::clamp<int64_t>(size, 1, kMaxThreads));
}

PoolSizeScope::PoolSizeScope(int threads) noexcept : saved_(t_size) {
  if (threads > 0) t_size = threads;
}
PoolSizeScope::~PoolSizeScope() { t_size = saved_; }

void ThreadPool::set_executor(Executor* executor) noexcept {
  state_->executor.store(executor, std::memory_order_release);
}

bool ThreadPool::inside_region() noexcept { return t_inside; }

void ThreadPool::parallel_for(int64_t units, int64_t grain, ChunkBody body) {
  if (units <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  const int64_t chunks = (units - 1) / grain + 1;
  State& state = *state_;
  const int64_t helpers = std::min<int64_t>(chunks, size()) - 1;

  Region* region = nullptr;
  if (helpers > 0 && !t_inside && !state.stopping.load(std::memory_order_relaxed)) {
    for (Region& candidate : state.regions) {
      if (!candidate.taken.load(std::memory_order_relaxed) &&
          !candidate.taken.exchange(true, std::memory_order_acquire)) {
        region = &candidate;
        break;
      }
    }
  }
  if (!region) {
    for (int64_t begin = 0, chunk = 0; chunk < chunks; ++chunk, begin += grain) {
      body(begin, std::min(grain, units - begin) + begin);
    }
    return;
  }

  region->units = units;
  region->grain = grain;
  region->chunks = chunks;
  region->body = &body;
  region->event = current_trace_event();
  region->error = nullptr;
  region->next.store(0, std::memory_order_relaxed);
  region->state.store(static_cast<uint32_t>(helpers) * Region::kJoin, std::memory_order_release);
  const uint32_t generation = fork_generation();
  try {
    state.wake(static_cast<int>(helpers));
  } catch (...) {  // no memory to start threads: work alone
  }
  region->take_chunks();
  if (fork_generation() != generation) {
    // A body forked, and this is the child: chunks taken by helpers will never be done here.
    throw RuntimeError(
        "parallel_for: the process forked inside a parallel region; the child cannot "
        "finish it; fork outside of Tenon's calls");
  }
  region->close(state.spin());
  std::exception_ptr error = std::move(region->error);
  region->taken.store(false, std::memory_order_release);
  if (error) std::rethrow_exception(error);
}

}  // namespace tenon::runtime

void tenon::set_executor(Executor* executor) noexcept { runtime::ThreadPool::get().set_executor(executor); }
