#include "runtime/machine/machine.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include "base/fail.h"
#include "runtime/machine/probe_table.h"
#include "runtime/thread_pool.h"

namespace tenon::runtime {

// What one measurement takes: long beside the clock and the start of threads, short beside the patience of a caller.
static constexpr int64_t kProbeFlops = 4 << 20;
static constexpr int64_t kProbeBytes = 4 << 20;
static constexpr double kProbeSeconds = 1e-3;
// Main memory is where twice the last cache does not fit, in bounds.
static constexpr int64_t kMinMemoryBytes = 48 << 20, kMaxMemoryBytes = 128 << 20;
static constexpr int64_t kCountUnit = 64;  // of the probes' arrays

static const MachineProbes& probes() {
#if defined(__x86_64__)
  static constexpr const MachineProbes* kProbes[] = {&kBaselineProbes, &kAvx2Probes, &kAvx512Probes};
  return *kProbes[static_cast<int>(best_instruction_set())];
#else
  return kBaselineProbes;
#endif
}

double best_seconds(int least, double budget_seconds, tenon::detail::FunctionRef<void()> work) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  const Clock::time_point start = Clock::now();
  for (int count = 0;; ++count) {
    const Clock::time_point begin = Clock::now();
    if (count >= least && std::chrono::duration<double>(begin - start).count() > budget_seconds) return best;
    work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
}

/// One unit of work for each thread.
static void on_threads(int threads, tenon::detail::FunctionRef<void(int64_t)> work) {
  const PoolSizeScope scope(threads);
  parallel_for(threads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) work(i);
  });
}

double measure_region(int threads) {
  if (threads <= 1) return 0;
  return best_seconds(20, kProbeSeconds, [&] { on_threads(threads, [](int64_t) {}); });
}

template <class T>
static double measure_flops(int threads, int64_t flops, void (*multiply_add)(int64_t, T*)) {
  const int64_t rounds = kProbeFlops / flops;
  const double seconds = best_seconds(5, kProbeSeconds, [&] {
    on_threads(threads, [&](int64_t) {
      T numbers[16] = {T(0.5), T(1)};
      multiply_add(rounds, numbers);
    });
  });
  return static_cast<double>(threads * rounds * flops) / seconds;
}

/// Of the data cache of this level that the first processor sees; `otherwise` where nothing says it. (sysconf gives the caches
/// of all processors of a socket together on some machines.)
static int64_t cache_bytes(int level, int64_t otherwise) {
  for (int index = 0; index < 8; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    int found = 0;
    std::string type, size;
    std::ifstream(folder + "level") >> found;
    std::ifstream(folder + "type") >> type;
    std::ifstream(folder + "size") >> size;  // "512K"
    if (found != level || type == "Instruction" || size.empty()) continue;
    const int64_t unit = size.back() == 'K' ? 1 << 10 : size.back() == 'M' ? 1 << 20 : 1;
    const int64_t bytes = std::strtoll(size.c_str(), nullptr, 10) * unit;
    if (bytes > 0) return bytes;
  }
  return otherwise;
}

namespace {

/// Pages that nothing else has touched.
class Pages {
 public:
  explicit Pages(int64_t size_bytes) : size_bytes_(size_bytes) {
    data_ = mmap(nullptr, static_cast<size_t>(size_bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data_ == MAP_FAILED) fail<OutOfMemoryError>("roofline", "no memory to measure its bandwidth with; got ", size_bytes, " bytes");
    madvise(data_, static_cast<size_t>(size_bytes), MADV_HUGEPAGE);
  }
  ~Pages() { munmap(data_, static_cast<size_t>(size_bytes_)); }
  Pages(const Pages&) = delete;
  float* data() const { return static_cast<float*>(data_); }

 private:
  void* data_;
  int64_t size_bytes_;
};

}  // namespace

/// Bytes a second of c = a + b, where each thread has arrays of its own of `thread_bytes` in all.
static double measure_bandwidth(int threads, float* memory, int64_t thread_bytes, bool around_caches) {
  const int64_t count = std::max(kCountUnit, thread_bytes / 3 / static_cast<int64_t>(sizeof(float)) / kCountUnit * kCountUnit);
  const int64_t bytes = 3 * count * static_cast<int64_t>(sizeof(float));
  const int64_t repeats = std::max<int64_t>(1, kProbeBytes / bytes);
  const auto add = around_caches ? probes().add_around_caches : probes().add;
  const double seconds = best_seconds(3, kProbeSeconds, [&] {
    on_threads(threads, [&](int64_t i) {
      float* own = memory + i * 3 * count;
      for (int64_t k = 0; k < repeats; ++k) add(own, own + count, own + 2 * count, count);
    });
  });
  return static_cast<double>(threads * repeats * bytes) / seconds;
}

std::vector<MachineRates> measure_machine(std::span<const int> threads) {
  const int64_t l1 = cache_bytes(1, 32 << 10), l2 = cache_bytes(2, 512 << 10), l3 = cache_bytes(3, 0);
  const int most = *std::ranges::max_element(threads);
  const int64_t memory_bytes = std::max(most * l2, std::clamp(2 * std::max(most * l2, l3), kMinMemoryBytes, kMaxMemoryBytes));
  const Pages pages(memory_bytes);
  on_threads(most, [&](int64_t i) {  // so that every page is there
    const int64_t share = memory_bytes / static_cast<int64_t>(sizeof(float)) / most;
    std::fill_n(pages.data() + i * share, share, 1.0f);
  });
  std::vector<MachineRates> all;
  for (const int n : threads) {
    MachineRates& rates = all.emplace_back();
    rates.f32_flops = measure_flops(n, probes().f32_flops, probes().multiply_add_f32);
    rates.f64_flops = measure_flops(n, probes().f64_flops, probes().multiply_add_f64);
    const auto bandwidth = [&](int64_t thread_bytes, bool around_caches) { return measure_bandwidth(n, pages.data(), thread_bytes, around_caches); };
    // Three quarters of a cache: others and the stack have the rest.
    rates.memories.push_back({"L1", n * l1, bandwidth(l1 / 4 * 3, false)});
    rates.memories.push_back({"L2", n * l2, bandwidth(l2 / 4 * 3, false)});
    if (l3 > n * l2) rates.memories.push_back({"L3", l3, bandwidth(std::min(memory_bytes, std::max(2 * n * l2, l3 / 4)) / n, false)});
    rates.memories.push_back({"memory", std::numeric_limits<int64_t>::max(), bandwidth(memory_bytes / n, true)});
  }
  return all;
}

}  // namespace tenon::runtime
