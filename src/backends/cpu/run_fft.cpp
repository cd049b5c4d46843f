#include "backends/cpu/run_fft.h"

#include "runtime/allocator.h"
#include "runtime/thread_pool.h"

namespace tenon::cpu {

void run_fft(const FftStep& step, void* const* buffers) {
  runtime::Allocation middle;
  if (step.transform->middle_bytes() > 0) middle = runtime::Allocation(step.transform->middle_bytes());
  step.transform->run(buffers[0], buffers[1], middle.data(), [](int64_t count, int64_t grain, size_t scratch_bytes, const auto& body) {
    runtime::parallel_for(count, grain, [&](int64_t begin, int64_t end) {
      const runtime::Allocation scratch(static_cast<int64_t>(scratch_bytes));
      body(begin, end, scratch.data());
    });
  });
}

int64_t fft_scratch_bytes(const FftStep& step, int threads) { return step.transform->middle_bytes() + step.transform->scratch_bytes(threads); }

}  // namespace tenon::cpu
