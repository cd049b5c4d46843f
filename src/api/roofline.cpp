// A compiled program in, its kernels against the machine out: costs from the module, times from the trace of a few runs.
#include "tenon/roofline.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "analysis/cost_analysis.h"
#include "api/compiled.h"
#include "api/roofline_maker.h"
#include "base/fail.h"
#include "core/trace.h"
#include "runtime/trace_hook.h"

namespace tenon {

const MachineRoofline::Memory& MachineRoofline::Rates::memory_of(double bytes) const {
  for (const Memory& memory : memories)
    if (bytes <= static_cast<double>(memory.size_bytes)) return memory;
  return memories.back();
}

// ---- what kernels could take

namespace {

/// One run of a kernel by the roofline.
struct Prediction {
  double seconds = 0;
  Bound bound = Bound::compute;
  std::string memory;
};

Prediction predict(const analysis::KernelCost& cost, const MachineRoofline::Rates& rates, double start_seconds) {
  const double compute = (cost.flops - cost.wide_flops) / rates.f32_flops + cost.wide_flops / rates.f64_flops +
                         (cost.transcendentals - cost.wide_transcendentals) / rates.f32_transcendentals +
                         cost.wide_transcendentals / rates.f64_transcendentals;
  const MachineRoofline::Memory& memory = rates.memory_of(cost.bytes);
  const double moving = cost.bytes / memory.bytes_per_second, work = std::max(compute, moving);
  const Bound bound = start_seconds > work ? Bound::overhead : compute >= moving ? Bound::compute : Bound::memory;
  return {start_seconds + work, bound, memory.name};
}

/// On all threads, where that is faster.
Prediction predict(const analysis::KernelCost& cost, const MachineRoofline& machine) {
  Prediction alone = predict(cost, machine.thread, machine.launch_seconds);
  if (machine.pool.threads == 1) return alone;
  Prediction together = predict(cost, machine.pool, machine.launch_seconds + machine.region_seconds);
  return together.seconds < alone.seconds ? together : alone;
}

/// Sums over what stands in a loop or a conditional, for what holds it.
struct Inside {
  double seconds[3] = {};  // by what bounds them
  void add(const Inside& other) {
    for (int k = 0; k < 3; ++k) seconds[k] += other.seconds[k];
  }
  double sum() const { return seconds[0] + seconds[1] + seconds[2]; }
  Bound bound() const { return static_cast<Bound>(std::max_element(seconds, seconds + 3) - seconds); }
};

}  // namespace

struct detail::RooflineMaker {
  RooflineMaker(const Module& module, const MachineRoofline& machine) : costs(analysis::kernel_costs(module)) {
    report.program_ = module.name();
    report.machine_ = machine;
    report.other_bytes_ = costs.other_bytes;
    for (const analysis::KernelCost& cost : costs.kernels) {
      RooflineKernel kernel;
      kernel.name = cost.name, kernel.opcode = cost.opcode, kernel.depth = cost.depth;
      kernel.flops = cost.flops, kernel.transcendentals = cost.transcendentals, kernel.bytes = cost.bytes;
      report.kernels_.push_back(std::move(kernel));
    }
  }

  /// Fills in what is predicted from kernel `i` on, as long as it is not less deep; gives the sum for each branch.
  std::vector<Inside> predict_from(size_t& i) {
    std::vector<Inside> branches;
    const int depth = i < costs.kernels.size() ? costs.kernels[i].depth : 0;
    while (i < costs.kernels.size() && costs.kernels[i].depth == depth) {
      const analysis::KernelCost& cost = costs.kernels[i];
      const Inside here = predict_one(i);
      branches.resize(std::max(branches.size(), static_cast<size_t>(cost.branch) + 1));
      branches[static_cast<size_t>(cost.branch)].add(here);
    }
    return branches;
  }
  Inside predict_one(size_t& i) {
    const analysis::KernelCost& cost = costs.kernels[i];
    RooflineKernel& kernel = report.kernels_[i++];
    Inside sum;
    if (i < costs.kernels.size() && costs.kernels[i].depth > cost.depth) {
      const size_t first = i;
      const std::vector<Inside> branches = predict_from(i);
      const bool all = cost.opcode == "while" || report.calls_ > 0;  // where it ran, each branch has its runs
      for (const Inside& branch : branches) {
        if (all) sum.add(branch);
        else if (branch.sum() > sum.sum()) sum = branch;
      }
      if (cost.opcode == "while") kernel.rounds = rounds_of(first);
      kernel.bound = sum.bound();
    } else {
      Prediction prediction = predict(cost, report.machine_);
      kernel.bound = prediction.bound, kernel.memory = std::move(prediction.memory);
      const double runs = report.calls_ > 0 ? static_cast<double>(kernel.runs) : 1;
      sum.seconds[static_cast<int>(kernel.bound)] = runs * prediction.seconds;
    }
    kernel.predicted_seconds = sum.sum();
    return sum;
  }
  /// Of a loop, whose first kernel is `i`: how often something ran in its body.
  int64_t rounds_of(size_t i) const {
    for (const int depth = costs.kernels[i].depth; i < costs.kernels.size() && costs.kernels[i].depth >= depth; ++i)
      if (costs.kernels[i].depth == depth && costs.kernels[i].branch == 1) return report.kernels_[i].runs;
    return 0;
  }

  RooflineReport finish() {
    for (size_t i = 0; i < costs.kernels.size();) predict_from(i);
    for (RooflineKernel& kernel : report.kernels_) {
      if (kernel.measured_seconds <= 0) continue;
      kernel.share = kernel.measured_seconds / report.call_seconds_;
      kernel.achieved = kernel.predicted_seconds / kernel.measured_seconds;
    }
    return std::move(report);
  }

  void measure(const detail::CompiledProgram& program, const BufferRefs& arguments);

  analysis::KernelCosts costs;
  RooflineReport report;
};

// ---- what they take

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMinCalls = 5, kMaxCalls = 101;  // odd: the median is one of them
constexpr double kSeconds = 0.1;               // of all calls, where they are short

/// What the kernels of one executable take on this thread, which starts them.
class KernelClock final : public runtime::TraceListener {
 public:
  struct Sum {
    double seconds = 0;
    int64_t runs = 0;
  };
  KernelClock(const void* executable, const std::vector<analysis::KernelCost>& kernels) : executable_(executable), sums_(kernels.size()) {
    for (const analysis::KernelCost& kernel : kernels) place_.resize(std::max(place_.size(), static_cast<size_t>(kernel.launch) + 1), -1);
    for (size_t i = 0; i < kernels.size(); ++i) place_[static_cast<size_t>(kernels[i].launch)] = static_cast<int>(i);
    open_.reserve(kernels.size() + 1);
  }
  void on_event(const runtime::TraceEvent& event, bool is_begin) noexcept override {
    if (event.executable != executable_ || event.kind == runtime::TraceEventKind::program || event.kind == runtime::TraceEventKind::launch) return;
    if (event.index < 0 || event.index >= static_cast<int64_t>(place_.size()) || place_[static_cast<size_t>(event.index)] < 0) return;
    const Clock::time_point now = Clock::now();
    if (is_begin) return open_.push_back(now);  // as deep as loops and conditionals are: no more than there are kernels
    Sum& sum = sums_[static_cast<size_t>(place_[static_cast<size_t>(event.index)])];
    sum.seconds += std::chrono::duration<double>(now - open_.back()).count();
    ++sum.runs;
    open_.pop_back();
  }
  std::vector<Sum> take() { return std::exchange(sums_, std::vector<Sum>(sums_.size())); }

 private:
  const void* executable_;
  std::vector<int> place_;  // by launch
  std::vector<Sum> sums_;
  std::vector<Clock::time_point> open_;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void detail::RooflineMaker::measure(const detail::CompiledProgram& program, const BufferRefs& arguments) {
  const auto call = [&] {
    for (const BufferRef& result : program.executable->execute(arguments, {.synchronous = true})) result->wait();
  };
  for (const BufferRef& argument : arguments) argument->wait();
  call();  // pages and caches are warm afterwards
  KernelClock clock(program.executable.get(), costs.kernels);
  const runtime::TraceListenerScope listens(clock);
  std::vector<double> calls;
  std::vector<std::vector<KernelClock::Sum>> sums;
  double all = 0;
  while (calls.size() < kMinCalls || (calls.size() < kMaxCalls && (all < kSeconds || calls.size() % 2 == 0))) {
    const Clock::time_point begin = Clock::now();
    call();
    calls.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    all += calls.back();
    sums.push_back(clock.take());
  }
  report.calls_ = static_cast<int>(calls.size());
  report.call_seconds_ = median(std::move(calls));
  int64_t runs = 0;
  for (size_t i = 0; i < report.kernels_.size(); ++i) {
    std::vector<double> seconds;
    for (const auto& of_call : sums) seconds.push_back(of_call[i].seconds);
    report.kernels_[i].measured_seconds = median(std::move(seconds));
    report.kernels_[i].runs = sums.back()[i].runs;
    runs += report.kernels_[i].runs;
  }
  if (runs == 0 && !report.kernels_.empty())
    fail<UnimplementedError>("roofline", "the backend '", find_client(program.facts.backend).platform(), "' does not tell when its kernels run; roofline() without arguments says "
                             "what they could take");
}

static detail::RooflineMaker start(const detail::Ref<detail::RefCounted>& program) {
  const auto& p = detail::compiled(program, "roofline");
  if (const Client& client = find_client(p.facts.backend); client.optimizes_itself())
    fail<UnimplementedError>("roofline", "the backend '", client.platform(), "' optimizes programs by itself; kernels are known of Tenon's passes");
  return detail::RooflineMaker(p.module, machine_roofline());
}

RooflineReport detail::predicted_roofline(const Module& module) { return RooflineMaker(module, machine_roofline()).finish(); }

RooflineReport Compiled::roofline() const { return start(program_).finish(); }

RooflineReport Compiled::roofline_flat(const detail::Call& call) const {
  detail::RooflineMaker maker = start(program_);
  const auto& p = detail::compiled(program_, "roofline");
  detail::SiteScope site(call.loc);
  detail::check_call(p, call);
  maker.measure(p, p.buffers_of(call.leaves));
  return maker.finish();
}

}  // namespace tenon
