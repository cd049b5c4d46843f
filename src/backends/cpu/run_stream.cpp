// Streams (passes/stream_rows.cpp): products and kernels on a block of rows after the other, blocks on any thread.
//
// A kernel's units are rows, or as many parts of each; it indexes whole arrays. So the memory of a block is given to it
// as if it were the whole array's, by an address so far in front that the block's first row lies where it is.
#include <algorithm>
#include <optional>
#include <vector>

#include "backends/cpu/executable.h"
#include "base/fail.h"
#include "llvm/ADT/SmallVector.h"
#include "runtime/gemm/gemm.h"
#include "runtime/thread_pool.h"

namespace tenon::cpu {

// So that threads end together.
static constexpr int64_t kChunksPerThread = 4;

struct CpuExecutable::RowBlock {
  void* const* slots;       // with the thread's memory for rows
  int64_t batch, in_batch;  // the first row
  int64_t first_row, rows;  // of all

  char* at(const Use& use) const { return static_cast<char*>(slots[use.slot]) + use.offset_bytes - first_row * use.row_bytes; }
};

// A masked row of weights ends in zeros, whose products with finite numbers are +0 or -0. A sum that such a zero is added
// to stays what it is, but for -0, which may become +0: results are looked through for it.
template <class Bits>
static int64_t nonzero_columns(const void* matrix, int64_t rows, int64_t columns) {
  constexpr int64_t kAtOnce = 64;
  int64_t end = 0;
  for (int64_t i = rows; i-- > 0 && end < columns;) {  // under a causal mask the last row is the longest
    const Bits* row = static_cast<const Bits*>(matrix) + i * columns;
    int64_t last = columns;
    while (last - kAtOnce >= end) {
      const Bits* part = row + (last - kAtOnce);
      Bits any = 0;
      for (int64_t k = 0; k < kAtOnce; ++k) any |= part[k];
      if (any != 0) break;
      last -= kAtOnce;
    }
    while (last > end && row[last - 1] == 0) --last;
    end = last;
  }
  return end;
}
template <class Bits>
static bool is_all_finite(const void* numbers, int64_t bytes, Bits exponent) {
  const auto* x = static_cast<const Bits*>(numbers);
  bool finite = true;
  for (int64_t i = 0; i < bytes / static_cast<int64_t>(sizeof(Bits)); ++i) finite &= (x[i] & exponent) != exponent;
  return finite;
}
template <class Bits>
static bool holds_negative_zero(const void* numbers, int64_t count) {
  const auto* x = static_cast<const Bits*>(numbers);
  bool found = false;
  for (int64_t i = 0; i < count; ++i) found |= x[i] == Bits{1} << (8 * sizeof(Bits) - 1);
  return found;
}
// So few are not worth the search for -0.
static constexpr int64_t kMinZeroColumns = 16;

/// Right operands of a stream's products in the order that the GEMM reads: those of the batch that a thread works on, or
/// those that all batches share.
class CpuExecutable::RightOperands {
 public:
  /// `shared`: those of all batches, which are packed already; null: these are they.
  RightOperands(const CpuExecutable& executable, const std::vector<RunStep>& steps, const RightOperands* shared)
      : executable_(executable), steps_(steps), shared_(shared), packed_(steps.size()), finite_(steps.size()) {}

  void pack(const RowBlock& block) {
    if (batch_ == block.batch) return;
    batch_ = block.batch;
    for (size_t k = 0; k < steps_.size(); ++k) {
      if (steps_[k].step->kind != Step::gemm || is_shared(k) != !shared_) continue;
      const runtime::GemmProblem problem = executable_.problem_of(steps_[k], block);
      const int64_t bytes = runtime::packed_b_bytes(problem);
      if (bytes == 0) continue;
      if (!packed_[k].data()) packed_[k] = runtime::Allocation(bytes);
      runtime::pack_gemm_b(problem, packed_[k].data());
      finite_[k].reset();
    }
  }
  const void* packed(size_t step) const { return numbers(step).data(); }
  /// Whether a packed operand is; looked up once.
  bool is_finite(size_t step) {
    if (!finite_[step]) {
      const bool is_double = steps_[step].step->gemm_step.type.itemsize() == 8;
      finite_[step] = is_double ? is_all_finite<uint64_t>(packed(step), numbers(step).size_bytes(), 0x7ff0000000000000)
                                : is_all_finite<uint32_t>(packed(step), numbers(step).size_bytes(), 0x7f800000);
    }
    return *finite_[step];
  }

 private:
  bool is_shared(size_t step) const { return steps_[step].step->gemm_step.batches == 1; }
  const runtime::Allocation& numbers(size_t step) const { return shared_ && is_shared(step) ? shared_->packed_[step] : packed_[step]; }

  const CpuExecutable& executable_;
  const std::vector<RunStep>& steps_;
  const RightOperands* shared_;
  std::vector<runtime::Allocation> packed_;
  std::vector<std::optional<bool>> finite_;
  int64_t batch_ = -1;
};

/// The product of a block's rows.
runtime::GemmProblem CpuExecutable::problem_of(const RunStep& step, const RowBlock& block) const {
  const GemmStep& g = step.step->gemm_step;
  const bool is_batched = g.batches > 1;
  const int64_t left = is_batched ? block.batch * g.a_batch_stride + block.in_batch * g.a_row_stride : block.first_row * g.a_row_stride;
  runtime::GemmProblem problem =
      gemm_problem(g, target_.instruction_set, block.at(step.uses[0]) + left * g.type.itemsize(),
                   block.at(step.uses[1]) + (is_batched ? block.batch * g.b_batch_stride * g.type.itemsize() : 0),
                   block.at(step.uses[2]) + block.first_row * g.n * g.result_type.itemsize());
  problem.batches = 1;
  problem.m = block.rows;
  return problem;
}

void CpuExecutable::prepare_stream(const RunStep& run, double& seconds) const {
  const StreamStep& stream = run.step->stream_step;
  for (const RunStep& step : blocks_[static_cast<size_t>(stream.body)]) {
    for (const Call& call : step.calls) {
      if (call.units % (stream.batches * stream.rows) != 0)
        fail<InternalError>("cpu", step.step->name, " has ", call.units, " units of work, which are not parts of its ",
                            stream.batches * stream.rows, " rows");
    }
  }
  seconds += block_seconds_[static_cast<size_t>(stream.body)];
}

// Blocks that a thread takes at once.
static int64_t grain_of(const StreamStep& stream, int threads) {
  const int64_t in_batch = stream.blocks_in_batch();
  return std::clamp<int64_t>(stream.batches * in_batch / (kChunksPerThread * threads), 1, in_batch);
}

int64_t CpuExecutable::stream_scratch_bytes(const RunStep& run, int threads) const {
  const StreamStep& stream = run.step->stream_step;
  int64_t shared = 0, own = stream.block_bytes, most = 0;
  for (const RunStep& step : blocks_[static_cast<size_t>(stream.body)]) {
    for (const Call& call : step.calls) most = std::max(most, call.stack_bytes);
    if (step.step->kind != Step::gemm) continue;
    const GemmStep& g = step.step->gemm_step;
    runtime::GemmProblem problem = gemm_problem(g, target_.instruction_set, nullptr, nullptr, nullptr);
    problem.batches = 1, problem.m = stream.block_rows;
    const int64_t packed = runtime::packed_b_bytes(problem);
    (g.batches == 1 ? shared : own) += packed;
    if (packed > 0) problem.packed_b = &problem;  // not read
    most = std::max(most, runtime::gemm_scratch_bytes(problem, 1));
  }
  const int64_t grain = grain_of(stream, threads), chunks = (stream.batches * stream.blocks_in_batch() + grain - 1) / grain;
  return shared + std::min<int64_t>(threads, chunks) * (own + most);
}

void CpuExecutable::run_stream(const RunStep& step, void** slots) const {
  const StreamStep& stream = step.step->stream_step;
  const std::vector<RunStep>& steps = blocks_[static_cast<size_t>(stream.body)];
  const int64_t in_batch = stream.blocks_in_batch(), blocks = stream.batches * in_batch;
  RightOperands shared(*this, steps, nullptr);
  shared.pack({slots, 0, 0, 0, stream.rows});
  runtime::parallel_for(blocks, grain_of(stream, runtime::ThreadPool::get().size()), [&](int64_t begin, int64_t end) {
    const runtime::Allocation memory(stream.block_bytes);
    llvm::SmallVector<void*, 16> own(slots, slots + slot_count());
    own.push_back(memory.data());
    RightOperands right(*this, steps, &shared);
    for (int64_t k = begin; k < end; ++k) {
      const int64_t batch = k / in_batch, first = k % in_batch * stream.block_rows;
      const RowBlock block{own.data(), batch, first, batch * stream.rows + first, std::min(stream.block_rows, stream.rows - first)};
      right.pack(block);
      for (size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].step->kind == Step::gemm) run_product(steps, i, block, right);
        else run_kernel(steps[i], block, stream.batches * stream.rows);
      }
    }
  });
}

void CpuExecutable::run_product(const std::vector<RunStep>& steps, size_t i, const RowBlock& block, RightOperands& right) const {
  const RunStep& step = steps[i];
  const GemmStep& g = step.step->gemm_step;
  runtime::GemmProblem problem = problem_of(step, block);
  problem.packed_b = right.packed(i);
  if (g.columns_after_row < g.n) problem.n_end = std::max<int64_t>(0, block.in_batch + block.rows + g.columns_after_row);
  const bool may_end_in_zeros = problem.packed_b && step.uses[0].row_bytes > 0 && g.type.is_floating();
  if (may_end_in_zeros) {
    const auto columns = g.type.itemsize() == 8 ? nonzero_columns<uint64_t> : nonzero_columns<uint32_t>;
    const int64_t end = columns(problem.a, block.rows, g.k);
    if (end + kMinZeroColumns <= g.k && right.is_finite(i)) problem.k_end = end;
  }
  runtime::gemm(problem);
  if (problem.k_end < g.k) {
    const auto has_negative_zero = g.type.itemsize() == 8 ? holds_negative_zero<uint64_t> : holds_negative_zero<uint32_t>;
    if (!has_negative_zero(problem.c, block.rows * g.n)) return;
    problem.k_end = g.k;
    runtime::gemm(problem);
  }
}

void CpuExecutable::run_kernel(const RunStep& step, const RowBlock& block, int64_t all_rows) const {
  llvm::SmallVector<void*, 16> buffers;
  for (const Use& use : step.uses) buffers.push_back(block.at(use));
  for (const Call& call : step.calls) {
    const int64_t units = call.units / all_rows;  // of a row
    call.function(buffers.data(), block.first_row * units, (block.first_row + block.rows) * units);
  }
}

}  // namespace tenon::cpu
