// Facts of programs, counters and timing for unit tests.
#include "tenon/testkit.h"

#include <algorithm>
#include <chrono>

#include "analysis/hlo.h"
#include "api/compile_events.h"
#include "api/program.h"
#include "runtime/counters.h"

namespace tenon::testkit {
namespace {

using tenon::detail::CompileListener;

analysis::HloModule hlo_of(const Compiled& program) {
  return analysis::to_hlo(static_cast<const tenon::detail::CompiledProgram&>(*program.program()).module);
}
const analysis::HloComputation& entry_of(const analysis::HloModule& module) { return module.computations.back(); }

std::string without_space(std::string_view text) {
  std::string out;
  for (char c : text)
    if (!std::isspace(static_cast<unsigned char>(c))) out += c;
  std::erase(out, ';');  // equations are separated by lines or by semicolons
  return out;
}

}  // namespace

CompileCounter::CompileCounter(std::string_view name) : listener_(new CompileListener(std::string(name))) {}
CompileCounter::~CompileCounter() { delete static_cast<CompileListener*>(listener_); }
int CompileCounter::count() const { return static_cast<int>(static_cast<CompileListener*>(listener_)->messages.size()); }
std::vector<std::string> CompileCounter::messages() const { return static_cast<CompileListener*>(listener_)->messages; }

Result same_jaxpr(const Jaxpr& got, std::string_view want) {
  std::string text = got.str();
  if (without_space(text) == without_space(want)) return {};
  return Result("same_jaxpr: the jaxprs differ; got\n" + text + "\nand want\n" + std::string(want));
}

int fusions(const Compiled& program) {
  analysis::HloModule module = hlo_of(program);
  return static_cast<int>(std::ranges::count(entry_of(module).instructions, "fusion", &analysis::HloInstruction::opcode));
}
double bytes_accessed(const Compiled& program) { return program.cost_analysis()["bytes accessed"]; }
int64_t temp_bytes(const Compiled& program) { return program.memory_analysis().temp_size_in_bytes; }

bool has_instruction(const Compiled& program, std::string_view opcode) {
  for (const auto& computation : hlo_of(program).computations)
    for (const auto& instruction : computation.instructions)
      if (instruction.opcode == opcode) return true;
  return false;
}

bool materializes(const Compiled& program, const Shape& shape) {
  analysis::HloModule module = hlo_of(program);
  const auto& instructions = entry_of(module).instructions;
  for (size_t i = 0; i + 1 < instructions.size(); ++i) {  // the last one is the result
    const auto& instruction = instructions[i];
    bool written = instruction.opcode != "parameter" && instruction.opcode != "constant" && instruction.opcode != "bitcast";
    if (written && !instruction.shape.is_tuple() && instruction.shape.dims == shape.dims()) return true;
  }
  return false;
}

RunCounters::RunCounters() : start_(new runtime::RunCounts(runtime::run_counts())) {}
RunCounters::~RunCounters() { delete static_cast<runtime::RunCounts*>(start_); }
int64_t RunCounters::kernels() const {
  return (runtime::run_counts() - *static_cast<runtime::RunCounts*>(start_)).kernels_launched;
}
int64_t RunCounters::temp_bytes() const {
  return (runtime::run_counts() - *static_cast<runtime::RunCounts*>(start_)).temp_bytes_allocated;
}

Timing detail::time_calls(tenon::detail::FunctionRef<void()> call) {
  using clock = std::chrono::steady_clock;
  constexpr double kTargetSeconds = 0.2;
  constexpr size_t kMinRuns = 5, kMaxRuns = 100000;
  call();
  std::vector<double> times;
  auto begin = clock::now();
  auto elapsed = [&] { return std::chrono::duration<double>(clock::now() - begin).count(); };
  while (times.size() < kMinRuns || (elapsed() < kTargetSeconds && times.size() < kMaxRuns)) {
    auto start = clock::now();
    call();
    times.push_back(std::chrono::duration<double>(clock::now() - start).count());
  }
  std::ranges::sort(times);
  return {times[times.size() / 2], times.front(), times.back(), static_cast<int>(times.size())};
}

}  // namespace tenon::testkit
