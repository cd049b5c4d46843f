// A compiled program: its steps run in order on buffers; small ones on the caller's thread, large
// ones queued.
#pragma once

#include <memory>
#include <vector>

#include "backends/cpu/kernel.h"
#include "backends/cpu/machine_code.h"
#include "backends/cpu/program.h"
#include "runtime/allocation_site.h"
#include "runtime/allocator.h"
#include "tenon/backend.h"

namespace tenon::cpu {

class CpuExecutable final : public Executable {
 public:
  /// `kernels`: one for each graph of the program, found in `code` (null when there is none).
  CpuExecutable(Device device, Program program, Target target, std::vector<Kernel> kernels,
                std::unique_ptr<MachineCode> code);

  const Avals& argument_avals() const override { return program_.arguments; }
  const Avals& result_avals() const override { return program_.results; }
  BufferRefs execute(const BufferRefs& arguments, const ExecuteOptions& options) override;
  int64_t scratch_size_bytes() const override;
  int64_t generated_code_size_bytes() const override { return code_ ? code_->size_bytes() : 0; }
  /// "llvm", "asm" and "object"; generated again.
  std::string generated_code(std::string_view kind) const override;
  detail::Ref<PlannedRun> plan() override;

 private:
  // Memory that a run sees, by number: arguments, results, constants, the arena.
  struct Use {
    int slot;
    int64_t offset_bytes;
    int64_t row_bytes = 0;  // in the memory of a block of rows, where the block's first one lies in front
  };
  struct Call {
    KernelPointer function;
    int64_t units;
    int64_t grain;  // units a thread takes at once
    int64_t stack_bytes;  // of each thread
  };
  struct RunStep {
    const Step* step = nullptr;
    std::vector<Use> uses;
    std::vector<Call> calls;
    const Product* product = nullptr;
    int64_t chunk_bytes = 0;  // partial results

    /// The product of a fusion, then partial results: one block.
    int64_t block_bytes() const;
    KernelPointer body = nullptr;  // of a scan, sort or scatter
    struct Carried {
      Use from, to;
      int64_t bytes;
    };
    std::vector<Carried> carried;  // of a loop
    Use decision{0, 0};            // of a loop
  };
  struct Job;
  class Planned;  // plan.cpp

  /// All memory that a step takes besides its uses.
  int64_t scratch_bytes(const RunStep& step, int threads) const;
  /// Of the step that takes most.
  int64_t most_scratch_bytes(int threads) const;
  int slot_of(const Place& place) const;
  size_t slot_count() const { return program_.arguments.size() + program_.results.size() + program_.constants.size() + 1; }
  Use use_of(const Place& place) const {
    return {slot_of(place), place.kind == Place::temp || place.kind == Place::block ? place.offset_bytes : 0, place.row_bytes};
  }
  /// `seconds` grows by what the steps are estimated to take.
  std::vector<RunStep> prepare(const std::vector<Step>& steps, const std::vector<Kernel>& kernels, double& seconds) const;
  void prepare_control(RunStep& run, double& seconds) const;
  void run(void** slots, int64_t launch) const;
  void run(void** slots, void* arena, int64_t launch = 0) const;
  int64_t run_steps(const std::vector<RunStep>& steps, void** slots) const;  // how many ran
  int64_t run_loop(const RunStep& step, void** slots) const;
  int64_t run_branch(const RunStep& step, void** slots) const;
  void run_step(const RunStep& step, void** slots) const;
  // run_stream.cpp
  struct RowBlock;
  class RightOperands;
  void prepare_stream(const RunStep& run, double& seconds) const;
  int64_t stream_scratch_bytes(const RunStep& run, int threads) const;
  void run_stream(const RunStep& step, void** slots) const;
  runtime::GemmProblem problem_of(const RunStep& step, const RowBlock& block) const;
  void run_product(const std::vector<RunStep>& steps, size_t i, const RowBlock& block, RightOperands& right) const;
  void run_kernel(const RunStep& step, const RowBlock& block, int64_t all_rows) const;

  Device device_;
  Program program_;
  Target target_;
  std::unique_ptr<MachineCode> code_;
  runtime::AllocationSite& temp_site_;
  runtime::AllocationSite& result_site_;
  std::vector<int64_t> result_bytes_;
  std::vector<RunStep> steps_;
  std::vector<std::vector<RunStep>> blocks_;
  std::vector<double> block_seconds_;
  bool is_small_ = true;  // less work than a trip through the queue is worth
  bool has_donation_ = false;
};

}  // namespace tenon::cpu
