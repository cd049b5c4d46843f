// Runs that allocate nothing: the arena, scratch and results that the caller's memory cannot hold are there before.
#include <algorithm>
#include <cstring>

#include "backends/cpu/executable.h"
#include "base/fail.h"
#include "runtime/float_mode.h"
#include "runtime/scratch.h"
#include "runtime/thread_pool.h"

namespace tenon::cpu {

using runtime::Allocation;

class CpuExecutable::Planned final : public PlannedRun {
 public:
  explicit Planned(CpuExecutable& executable)
      : executable_(&executable),
        slots_(executable.slot_count()),
        arena_(executable.program_.temp_bytes > 0 ? Allocation(executable.program_.temp_bytes) : Allocation()),
        reserve_(kSlack + 2 * executable.most_scratch_bytes(1)) {
    for (int64_t bytes : executable.result_bytes_) results_.emplace_back(bytes);
  }

  void run(const void* const* arguments, void* const* results) noexcept override {
    const runtime::FloatModeScope float_mode;
    const runtime::PoolSizeScope alone(1);
    const runtime::ReserveScope reserve(reserve_);
    const Program& program = executable_->program_;
    const size_t count = program.arguments.size();
    for (size_t i = 0; i < count; ++i) slots_[i] = const_cast<void*>(arguments[i]);
    for (size_t k = 0; k < results_.size(); ++k) {
      slots_[count + k] = is_usable(arguments, results, k) ? results[k] : results_[k].data();
      const Place& place = program.result_places[k];
      if (place.kind != Place::argument) continue;  // else the program writes over its argument: over a copy
      const auto from = static_cast<size_t>(place.index);
      std::memcpy(slots_[count + k], slots_[from], static_cast<size_t>(executable_->result_bytes_[k]));
      slots_[from] = slots_[count + k];
    }
    executable_->run(slots_.data(), arena_.data());
    for (size_t k = 0; k < results_.size(); ++k)
      if (slots_[count + k] != results[k]) std::memcpy(results[k], slots_[count + k], static_cast<size_t>(executable_->result_bytes_[k]));
  }

 private:
  static constexpr int64_t kSlack = 64 << 10;

  /// Aligned as kernels rely on, and apart from what is read and from other results.
  bool is_usable(const void* const* arguments, void* const* results, size_t k) const noexcept {
    const auto begin = [](const void* memory) { return reinterpret_cast<uintptr_t>(memory); };
    const uintptr_t first = begin(results[k]), last = first + static_cast<uintptr_t>(executable_->result_bytes_[k]);
    if (first % runtime::kAlignmentBytes != 0) return false;
    const auto overlaps = [&](const void* memory, int64_t bytes) { return begin(memory) < last && first < begin(memory) + static_cast<uintptr_t>(bytes); };
    const Program& program = executable_->program_;
    for (size_t i = 0; i < program.arguments.size(); ++i)
      if (overlaps(arguments[i], program.arguments[i].nbytes())) return false;
    for (size_t other = 0; other < results_.size(); ++other)
      if (other != k && overlaps(results[other], executable_->result_bytes_[other])) return false;
    return true;
  }

  const detail::Ref<CpuExecutable> executable_;
  std::vector<void*> slots_;
  Allocation arena_;
  runtime::ScratchReserve reserve_;
  std::vector<Allocation> results_;
};

detail::Ref<PlannedRun> CpuExecutable::plan() {
  const auto check = [&](const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      if (step.kind == Step::stream)
        fail<UnimplementedError>("plan", step.name, " of ", program_.name, " hands rows on, and allocates while it runs; compile it with {.config = {{\"disable_passes\", \"stream-rows\"}}}");
      const bool allocates = step.kind == Step::scan || step.kind == Step::sort || step.kind == Step::scatter || step.kind == Step::fft || step.kind == Step::host;
      if (allocates) fail<UnimplementedError>("plan", step.name, " of ", program_.name, " allocates while it runs; call the compiled program instead");
    }
  };
  check(program_.steps);
  for (const std::vector<Step>& block : program_.blocks) check(block);
  if (program_.has_effects) fail<UnimplementedError>("plan", program_.name, " calls the host; call the compiled program instead");
  return detail::make_ref<Planned>(*this);
}

}  // namespace tenon::cpu
