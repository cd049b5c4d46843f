#include "backends/cpu/run_fft.h"

#include "runtime/thread_pool.h"

namespace tenon::cpu {

void run_fft(const FftStep& step, void* const* buffers) {
  step.transform->run(buffers[0], buffers[1], [](int64_t count, int64_t grain, const auto& body) {
    runtime::parallel_for(count, grain, body);
  });
}

}  // namespace tenon::cpu
