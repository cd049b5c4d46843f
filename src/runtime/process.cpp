#include "runtime/process.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>

namespace tenon::runtime {
namespace {

// The numbers in a one-line file such as "max 100000"; -1 where a word is not a number.
bool read_two(const char* path, int64_t (&values)[2]) {
  std::FILE* file = std::fopen(path, "re");
  if (!file) return false;
  char words[2][32] = {};
  const int count = std::fscanf(file, "%31s %31s", words[0], words[1]);
  std::fclose(file);
  for (int i = 0; i < 2; ++i) {
    long long value = -1;
    if (i >= count || std::sscanf(words[i], "%lld", &value) != 1) value = -1;
    values[i] = value;
  }
  return count > 0;
}

std::atomic<uint32_t> g_fork_generation{0};

// Constructed when the library is loaded, so that children of every fork are counted.
const bool g_counts_forks = [] {
  return pthread_atfork(nullptr, nullptr,
                        [] { g_fork_generation.fetch_add(1, std::memory_order_relaxed); }) == 0;
}();

}  // namespace

int available_processors() noexcept {
  int count = 0;
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
#endif
  if (count <= 0) count = static_cast<int>(std::thread::hardware_concurrency());
  int64_t quota[2];  // microseconds of CPU time per period
  if (read_two("/sys/fs/cgroup/cpu.max", quota) && quota[0] > 0 && quota[1] > 0) {
    count = std::min<int64_t>(count, (quota[0] + quota[1] - 1) / quota[1]);
  }
  return std::max(count, 1);
}

int64_t available_memory_bytes() noexcept {
  int64_t bytes = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  int64_t limit[2];
  if (read_two("/sys/fs/cgroup/memory.max", limit) && limit[0] > 0) {
    bytes = std::min(bytes, limit[0]);
  }
  return bytes;
}

uint32_t fork_generation() noexcept { return g_fork_generation.load(std::memory_order_relaxed); }

void on_fork(const ForkHandlers& handlers) noexcept {
  static_cast<void>(g_counts_forks);
  pthread_atfork(handlers.prepare, handlers.parent, handlers.child);
}

}  // namespace tenon::runtime
