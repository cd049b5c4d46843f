#include "backends/cpu/executable.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "backends/cpu/compile.h"
#include "backends/cpu/run_fft.h"
#include "backends/cpu/run_scan.h"
#include "backends/cpu/run_scatter.h"
#include "backends/cpu/run_sort.h"
#include "backends/cpu/run_update.h"
#include "base/fail.h"
#include "llvm/ADT/SmallVector.h"
#include "runtime/allocation_site.h"
#include "runtime/counters.h"
#include "runtime/dispatcher.h"
#include "runtime/effects.h"
#include "runtime/gemm/gemm.h"
#include "runtime/host_buffer.h"
#include "runtime/scratch.h"
#include "runtime/thread_pool.h"
#include "runtime/trace_hook.h"

namespace tenon::cpu {

using runtime::Completion;
using runtime::HostBuffer;
using runtime::HostMemory;
using runtime::Ref;

// A queue round trip costs 1.4 us and a wake-up of the waiter some 5 more.
static constexpr double kInlineSeconds = 50e-6;
// Work that is worth a thread's attention.
static constexpr double kChunkSeconds = 10e-6;
static constexpr double kGemmFlopsPerSecond = 50e9;
static constexpr double kCopyBytesPerSecond = 5e9;
static constexpr double kStepBytesPerSecond = 1e9;   // scans, sorts, scatters
static constexpr double kFftFlopsPerSecond = 2e9;
static constexpr double kGuessedRounds = 100;          // of a loop
static constexpr double kSecondsPerStep = 20e-9;
static constexpr double kBodyBytesPerSecond = 1e8;   // the same by a function of scalars

// The graph that a step calls for each element; -1: none.
static int body_of(const Step& step) {
  switch (step.kind) {
    case Step::scan: return step.scan_step.body;
    case Step::sort: return step.sort_step.comparator;
    case Step::scatter: return step.scatter_step.body;
    default: return -1;
  }
}

CpuExecutable::CpuExecutable(Device device, Program program, Target target,
                             std::vector<Kernel> kernels, std::unique_ptr<MachineCode> code)
    : device_(device),
      program_(std::move(program)),
      target_(std::move(target)),
      code_(std::move(code)),
      temp_site_(runtime::allocation_site("temporaries of " + program_.name)),
      result_site_(runtime::allocation_site("results of " + program_.name)) {
  for (const Aval& aval : program_.results) result_bytes_.push_back(aval.nbytes());
  for (const Place& place : program_.result_places) has_donation_ |= place.kind == Place::argument;
  for (const std::vector<Step>& block : program_.blocks) {  // inner ones come first
    double seconds = 0;
    blocks_.push_back(prepare(block, kernels, seconds));
    block_seconds_.push_back(seconds);
  }
  double seconds = 0;
  steps_ = prepare(program_.steps, kernels, seconds);
  is_small_ = seconds < kInlineSeconds;
}

std::vector<CpuExecutable::RunStep> CpuExecutable::prepare(const std::vector<Step>& steps, const std::vector<Kernel>& kernels, double& seconds) const {
  std::vector<RunStep> prepared;
  for (const Step& step : steps) {
    RunStep run;
    run.step = &step;
    for (const Place& place : step.buffers) run.uses.push_back(use_of(place));
    if (step.kind == Step::kernel) {
      run.chunk_bytes = kernels[step.graph].scratch_bytes;
      if (const auto& product = program_.graphs[step.graph].product) {
        run.product = &*product;
        seconds += product->gemm.flops() / kGemmFlopsPerSecond;
      }
      for (const KernelFunction& function : kernels[step.graph].functions) {
        if (function.units == 0) continue;
        const double grain = std::clamp(kChunkSeconds / std::max(function.unit_seconds, 1e-12), 1.0,
                                        static_cast<double>(function.units));
        run.calls.push_back(
            {code_->find(function.symbol), function.units, static_cast<int64_t>(grain), function.stack_bytes});
        seconds += function.unit_seconds * static_cast<double>(function.units);
      }
    } else if (step.kind == Step::loop || step.kind == Step::branch) {
      prepare_control(run, seconds);
    } else if (step.kind == Step::stream) {
      prepare_stream(run, seconds);
    } else if (step.kind == Step::gemm) {
      seconds += step.gemm_step.flops() / kGemmFlopsPerSecond;
    } else if (step.kind == Step::fft) {
      seconds += step.fft_step.transform->flops() / kFftFlopsPerSecond;
    } else if (const int graph = body_of(step); step.kind != Step::copy) {
      if (graph >= 0) run.body = code_->find(kernels[graph].functions[0].symbol);
      seconds += static_cast<double>(step.bytes) / (graph >= 0 ? kBodyBytesPerSecond : kStepBytesPerSecond);
    } else {
      seconds += static_cast<double>(step.copy_bytes) / kCopyBytesPerSecond;
    }
    prepared.push_back(std::move(run));
  }
  return prepared;
}

void CpuExecutable::prepare_control(RunStep& run, double& seconds) const {
  const Step& step = *run.step;
  if (step.kind == Step::branch) {
    double longest = 0;
    for (int block : step.branch_step.blocks) longest = std::max(longest, block_seconds_[static_cast<size_t>(block)]);
    seconds += longest;
    return;
  }
  const LoopStep& loop = step.loop_step;
  for (const LoopStep::Carried& carried : loop.carried)
    run.carried.push_back({use_of(carried.from), use_of(carried.to), carried.bytes});
  run.decision = use_of(loop.decision);
  const double round = block_seconds_[static_cast<size_t>(loop.condition)] + block_seconds_[static_cast<size_t>(loop.body)];
  seconds += kGuessedRounds * (round + kSecondsPerStep * static_cast<double>(blocks_[static_cast<size_t>(loop.body)].size() + 1));
}

int64_t CpuExecutable::RunStep::block_bytes() const {
  return (product ? aligned(product->gemm.result_bytes()) : 0) + chunk_bytes;
}

int CpuExecutable::slot_of(const Place& place) const {
  const int64_t arguments = static_cast<int64_t>(program_.arguments.size());
  const int64_t results = static_cast<int64_t>(program_.result_places.size());
  const int64_t constants = static_cast<int64_t>(program_.constants.size());
  switch (place.kind) {
    case Place::argument:
      return static_cast<int>(place.index);
    case Place::output:
      return static_cast<int>(arguments + place.index);
    case Place::constant:
      return static_cast<int>(arguments + results + place.index);
    case Place::block:
      return static_cast<int>(arguments + results + constants + 1);
    default:
      return static_cast<int>(arguments + results + constants);
  }
}

int64_t CpuExecutable::scratch_bytes(const RunStep& step, int threads) const {
  const auto gemm_bytes = [&](const GemmStep& g) { return runtime::gemm_scratch_bytes(gemm_problem(g, target_.instruction_set, nullptr, nullptr, nullptr), threads); };
  switch (step.step->kind) {
    case Step::gemm: return gemm_bytes(step.step->gemm_step);
    case Step::sort: return sort_scratch_bytes(step.step->sort_step, threads);
    case Step::fft: return fft_scratch_bytes(step.step->fft_step, threads);
    case Step::stream: return stream_scratch_bytes(step, threads);
    case Step::kernel: break;
    default: return 0;
  }
  if (step.product) threads = 1;
  int64_t most = step.product ? gemm_bytes(step.product->gemm) : 0;
  for (const Call& call : step.calls)
    most = std::max(most, call.stack_bytes * std::min<int64_t>(threads, (call.units + call.grain - 1) / call.grain));
  return step.block_bytes() + most;
}

int64_t CpuExecutable::scratch_size_bytes() const { return most_scratch_bytes(runtime::ThreadPool::get().size()); }

int64_t CpuExecutable::most_scratch_bytes(int threads) const {
  int64_t most = 0;
  for (const RunStep& step : steps_) most = std::max(most, scratch_bytes(step, threads));
  for (const std::vector<RunStep>& block : blocks_)
    for (const RunStep& step : block) most = std::max(most, scratch_bytes(step, threads));
  return most;
}

// ---- a run

static void run_gemm(const GemmStep& g, runtime::InstructionSet instruction_set, const void* a, const void* b, void* c) {
  runtime::gemm(gemm_problem(g, instruction_set, a, b, c));
}

void CpuExecutable::run_step(const RunStep& step, void** slots) const {
  // Few, or in scratch: a planned run may not allocate.
  std::array<void*, 24> few;
  const size_t most = step.uses.size() + 2;
  const runtime::Scratch many = most > few.size() ? runtime::Scratch(static_cast<int64_t>(most * sizeof(void*))) : runtime::Scratch();
  void** const buffers = many.data() ? static_cast<void**>(many.data()) : few.data();
  size_t count = 0;
  for (const Use& use : step.uses) buffers[count++] = static_cast<char*>(slots[use.slot]) + use.offset_bytes;
  runtime::Scratch scratch;
  if (step.block_bytes() > 0) scratch = runtime::Scratch(step.block_bytes());
  // What is multiplied and reduced at once belongs to one thread: the product stays in its cache.
  const runtime::PoolSizeScope one_thread(step.product ? 1 : 0);
  if (step.product) {
    run_gemm(step.product->gemm, target_.instruction_set, buffers[step.product->lhs],
             buffers[step.product->rhs], scratch.data());
    buffers[count++] = scratch.data();
  }
  if (step.chunk_bytes > 0) buffers[count++] = static_cast<char*>(scratch.data()) + step.block_bytes() - step.chunk_bytes;
  switch (step.step->kind) {
    case Step::kernel:
      for (const Call& call : step.calls) {
        if (call.units <= call.grain) {
          call.function(buffers, 0, call.units);
        } else {
          runtime::parallel_for(call.units, call.grain, [&](int64_t begin, int64_t end) {
            call.function(buffers, begin, end);
          });
        }
      }
      break;
    case Step::gemm:
      run_gemm(step.step->gemm_step, target_.instruction_set, buffers[0], buffers[1], buffers[2]);
      break;
    case Step::copy:
      if (buffers[0] != buffers[1]) std::memcpy(buffers[1], buffers[0], step.step->copy_bytes);
      break;
    case Step::scan:
      run_scan(step.step->scan_step, ScalarFunction(step.body), buffers);
      break;
    case Step::sort:
      run_sort(step.step->sort_step, ScalarFunction(step.body), buffers);
      break;
    case Step::scatter:
      run_scatter(step.step->scatter_step, ScalarFunction(step.body), buffers);
      break;
    case Step::fft:
      run_fft(step.step->fft_step, buffers);
      break;
    case Step::host:
      step.step->host_step.callee->call(buffers, buffers + step.step->operand_count);
      break;
    case Step::update:
      run_update(step.step->update_step, buffers);
      break;
    case Step::stream:
      run_stream(step, slots);
      break;
    case Step::loop:
    case Step::branch:
      break;  // run_steps
  }
}

int64_t CpuExecutable::run_steps(const std::vector<RunStep>& steps, void** slots) const {
  using runtime::TraceEventKind;
  static constexpr TraceEventKind kKinds[] = {TraceEventKind::kernel, TraceEventKind::gemm,   TraceEventKind::copy,
                                              TraceEventKind::kernel, TraceEventKind::kernel, TraceEventKind::kernel,
                                              TraceEventKind::copy,   TraceEventKind::kernel, TraceEventKind::kernel,
                                              TraceEventKind::kernel, TraceEventKind::kernel, TraceEventKind::kernel};
  int64_t count = 0;
  for (size_t k = 0; k < steps.size(); ++k) {
    const Step& step = *steps[k].step;
    runtime::TraceSpan span(kKinds[step.kind], step.name.c_str(), this, step.launch, step.bytes);
    if (step.kind == Step::loop) {
      count += run_loop(steps[k], slots);
    } else if (step.kind == Step::branch) {
      count += run_branch(steps[k], slots);
    } else {
      run_step(steps[k], slots);
      ++count;
    }
  }
  return count;
}

int64_t CpuExecutable::run_loop(const RunStep& step, void** slots) const {
  const auto at = [&](const Use& use) { return static_cast<char*>(slots[use.slot]) + use.offset_bytes; };
  for (const RunStep::Carried& carried : step.carried)
    if (at(carried.from) != at(carried.to)) std::memcpy(at(carried.to), at(carried.from), static_cast<size_t>(carried.bytes));
  const auto& condition = blocks_[static_cast<size_t>(step.step->loop_step.condition)];
  const auto& body = blocks_[static_cast<size_t>(step.step->loop_step.body)];
  const char* decision = at(step.decision);
  int64_t count = 0;
  while (true) {
    count += run_steps(condition, slots);
    if (*decision == 0) return count;
    count += run_steps(body, slots);
  }
}

int64_t CpuExecutable::run_branch(const RunStep& step, void** slots) const {
  const BranchStep& branch = step.step->branch_step;
  const char* chosen = static_cast<char*>(slots[step.uses[0].slot]) + step.uses[0].offset_bytes;
  const auto count = static_cast<int32_t>(branch.blocks.size());
  int32_t index = 0;
  if (branch.is_predicate) {
    index = *chosen != 0 ? 0 : 1;
  } else {
    std::memcpy(&index, chosen, sizeof index);
    if (index < 0 || index >= count) index = count - 1;
  }
  return run_steps(blocks_[static_cast<size_t>(branch.blocks[static_cast<size_t>(index)])], slots);
}

void CpuExecutable::run(void** slots, int64_t launch) const {
  runtime::Allocation arena;
  runtime::MemoryHold hold;
  if (program_.temp_bytes > 0) {
    static runtime::MemoryHolder& holder = runtime::named_memory_holder("temporary memory of programs");
    arena = runtime::Allocation(program_.temp_bytes, &temp_site_);
    hold = runtime::MemoryHold(holder, program_.temp_bytes);
    runtime::count_temp_bytes(program_.temp_bytes);
  }
  run(slots, arena.data(), launch);
}

void CpuExecutable::run(void** slots, void* arena, int64_t launch) const {
  using runtime::TraceEventKind;
  runtime::TraceSpan program_span(TraceEventKind::program, program_.name.c_str(), this, launch);
  const size_t first_constant = program_.arguments.size() + program_.results.size();
  for (size_t k = 0; k < program_.constants.size(); ++k) slots[first_constant + k] = program_.constants[k].data();
  slots[first_constant + program_.constants.size()] = arena;
  runtime::count_kernels(run_steps(steps_, slots));
  runtime::count_program();
}

// What a run needs; moved to the heap when it is queued.
struct CpuExecutable::Job {
  const CpuExecutable* executable;
  detail::Ref<CpuExecutable> keep;  // when queued
  llvm::SmallVector<void*, 16> slots;
  llvm::SmallVector<Ref<HostMemory>, 8> held;
  struct Copy {
    void* to;
    const void* from;
    int64_t bytes;
  };
  llvm::SmallVector<Copy, 1> copies;  // arguments whose memory could not be donated
  int64_t launch = runtime::next_trace_launch();

  void operator()() {
    for (const Copy& copy : copies) std::memcpy(copy.to, copy.from, copy.bytes);
    executable->run(slots.data(), launch);
  }
};

static Ref<HostBuffer> host_buffer(const BufferRef& buffer, const Device& device) {
  if (auto* host = dynamic_cast<HostBuffer*>(buffer.get())) return Ref<HostBuffer>(host);
  return HostBuffer::copy(device, buffer->host_data(), buffer->size_bytes());
}

BufferRefs CpuExecutable::execute(const BufferRefs& arguments, const ExecuteOptions& options) {
  const size_t count = program_.arguments.size(), results = program_.results.size();
  if (arguments.size() != count)
    fail<ValueError>(program_.name, "wrong number of arguments; got ", arguments.size(),
                     ", it takes ", count);
  Job job{this, {}, {}, {}, {}};
  runtime::TraceSpan span(runtime::TraceEventKind::launch, program_.name.c_str(), this, job.launch);
  job.slots.resize(slot_count());
  llvm::SmallVector<Ref<HostBuffer>, 8> buffers;
  llvm::SmallVector<Ref<Completion>, 8> dependencies;
  for (size_t k = 0; k < count; ++k) {
    Ref<HostBuffer> buffer = host_buffer(arguments[k], device_);
    Ref<HostMemory> memory = buffer->memory();
    if (buffer->size_bytes() != program_.arguments[k].nbytes())
      fail<ValueError>(program_.name, "argument ", k, " has ", buffer->size_bytes(),
                       " bytes; it takes ", program_.arguments[k].str_short());
    job.slots[k] = static_cast<char*>(memory->data()) + buffer->offset_bytes();
    if (buffer->completion()) dependencies.push_back(buffer->completion());
    job.held.push_back(std::move(memory));
    if (has_donation_) buffers.push_back(std::move(buffer));
  }

  // Memory of the results: new, or of donated arguments.
  struct Result {
    Ref<HostMemory> memory;
    int64_t offset_bytes = 0;
  };
  llvm::SmallVector<Result, 4> made;
  bool must_follow = false;  // programs that still read what is overwritten
  for (size_t k = 0; k < results; ++k) {
    const Place& place = program_.result_places[k];
    if (place.kind == Place::output) {
      made.push_back({runtime::make_ref<HostMemory>(result_bytes_[k], &result_site_)});
      job.slots[count + k] = made.back().memory->data();
      continue;
    }
    const size_t from = static_cast<size_t>(place.index);
    // Results of programs are aligned; kernels rely on it.
    bool is_shared = buffers[from]->offset_bytes() % runtime::kAlignmentBytes != 0 ||
                     !options.donated || from >= options.donated->size() ||
                     !(*options.donated)[from];
    for (size_t other = 0; other < count; ++other)
      is_shared |= other != from && job.held[other] == job.held[from];
    Ref<HostMemory> donated = is_shared ? Ref<HostMemory>() : buffers[from]->donate();
    if (donated) {
      made.push_back({std::move(donated), buffers[from]->offset_bytes()});
      must_follow = true;
    } else {
      made.push_back({runtime::make_ref<HostMemory>(result_bytes_[k], &result_site_)});
      job.copies.push_back({made.back().memory->data(), job.slots[from], result_bytes_[k]});
      job.slots[from] = made.back().memory->data();
    }
    job.slots[count + k] = job.slots[from];
  }
  for (const Result& result : made) job.held.push_back(result.memory);

  using runtime::DispatchMode;
  auto& dispatcher = runtime::Dispatcher::get();
  // What has effects has them in the order of the calls.
  const bool is_queued = !is_small_ || ((must_follow || program_.has_effects) && !dispatcher.is_idle());
  const DispatchMode mode = options.synchronous ? DispatchMode::synchronous
                            : is_queued         ? DispatchMode::queued
                                                : DispatchMode::inline_if_ready;
  if (mode != DispatchMode::synchronous) job.keep = detail::Ref<CpuExecutable>(this);
  const Ref<Completion> completion = dispatcher.dispatch(mode, dependencies, std::move(job));
  if (program_.has_effects) runtime::follow_effects(completion);
  BufferRefs outputs;
  outputs.reserve(results);
  for (size_t k = 0; k < results; ++k)
    outputs.push_back(runtime::make_ref<HostBuffer>(
        device_, std::move(made[k].memory), made[k].offset_bytes, result_bytes_[k], completion));
  return outputs;
}

std::string CpuExecutable::generated_code(std::string_view kind) const {
  if (program_.graphs.empty()) return {};
  if (kind == "llvm") return llvm_text(program_, target_);
  if (kind == "asm") return assembly_text(program_, target_);
  if (kind == "object") return object_code(program_, target_);
  return {};
}

}  // namespace tenon::cpu
