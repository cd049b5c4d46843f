// The user's handles of the stages.
#include "tenon/stages.h"

#include <algorithm>

#include "analysis/cost_analysis.h"
#include "analysis/hlo_text.h"
#include "analysis/memory_analysis.h"
#include "api/compile_options.h"
#include "api/compiled.h"
#include "base/fail.h"
#include "core/trace.h"
#include "dialect/module_impl.h"
#include "passes/fusion_boundaries.h"
#include "passes/pipeline.h"

namespace tenon {

CostAnalysis::CostAnalysis(std::vector<Entry> entries) : entries_(std::move(entries)) {}
size_t CostAnalysis::size() const { return entries_.size(); }

double CostAnalysis::operator[](std::string_view key) const {
  std::string known;
  for (const auto& [name, value] : entries_) {
    if (name == key) return value;
    known += " '" + name + "'";
  }
  fail<ValueError>("cost_analysis", "there is no key '", key, "'; there are:", known);
}
int CostAnalysis::count(std::string_view key) const {
  for (const auto& [name, value] : entries_)
    if (name == key) return 1;
  return 0;
}

namespace detail {

Jaxpr Stages::jaxpr(const Ref<RefCounted>& traced) { return static_cast<TracedProgram&>(*traced).facts.jaxpr; }
Ref<RefCounted> Stages::lower(const Ref<RefCounted>& traced) { return static_cast<TracedProgram&>(*traced).lower(); }
Ref<RefCounted> Stages::compile(const Ref<RefCounted>& lowered, const CompileOptions& options) {
  return static_cast<LoweredProgram&>(*lowered).compile(settings_of(options, "compile"));
}

std::string Stages::text(const Ref<RefCounted>& lowered, bool debug_info, std::string_view dialect) {
  const Module& module = static_cast<LoweredProgram&>(*lowered).module;
  std::lock_guard lock(context_mutex(module));
  if (dialect == "stablehlo") return module.str({.debug_info = debug_info});
  if (dialect == "hlo")  // HLO knows nothing of CHLO
    return analysis::hlo_text(passes::run_pass(module, "expand-chlo"), {.metadata = debug_info});
  fail<ValueError>("as_text", "there is no dialect '", dialect, "'; there are: stablehlo, hlo");
}

const CompiledProgram& compiled(const Ref<RefCounted>& program, const char* who) {
  if (!program) fail<ValueError>(who, "the Compiled is empty");
  return static_cast<const CompiledProgram&>(*program);
}

void check_call(const CompiledProgram& p, const Call& call) {
  Avals expected = p.facts.jaxpr.in_avals();
  if (call.leaves.size() != expected.size())
    fail<TypeError>(p.facts.name, "compiled for ", expected.size(), " arrays; got ", call.leaves.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    Aval got = call.leaves[i].aval();
    if (got.shape != expected[i].shape || got.dtype != expected[i].dtype)
      fail<TypeError>(p.facts.name, "argument ", i < p.facts.arg_names.size() ? p.facts.arg_names[i] : "#" + std::to_string(i),
                      " was compiled for ", expected[i], "; got ", got, "; lower and compile again for other types");
    if (call.leaves[i].is_tracer())
      fail<TypeError>(p.facts.name, "a compiled program takes values; got a traced ", got, "; call the jitted function instead");
  }
  if (call.structure != p.facts.structure)
    fail<TypeError>(p.facts.name, "a static argument or the structure of a tree is another one than it was compiled for");
}

}  // namespace detail

using detail::compiled;

std::string Compiled::as_text(const CompiledTextOptions& options) const {
  const auto& p = compiled(program_, "as_text");
  std::lock_guard lock(context_mutex(p.module));
  return analysis::hlo_text(p.module, {.metadata = options.metadata});
}
CostAnalysis Compiled::cost_analysis() const {
  const auto& p = compiled(program_, "cost_analysis");
  std::lock_guard lock(context_mutex(p.module));
  auto costs = analysis::cost_analysis(p.module);
  return CostAnalysis(std::vector<CostAnalysis::Entry>(costs.begin(), costs.end()));
}
MemoryAnalysis Compiled::memory_analysis() const {
  const auto& p = compiled(program_, "memory_analysis");
  std::lock_guard lock(context_mutex(p.module));
  MemoryAnalysis memory = analysis::memory_analysis(p.module);
  memory.generated_code_size_in_bytes = p.executable->generated_code_size_bytes();
  memory.scratch_size_in_bytes = p.executable->scratch_size_bytes();
  memory.peak_memory_in_bytes += memory.scratch_size_in_bytes;
  return memory;
}
int64_t FusionReport::bytes() const {
  int64_t sum = 0;
  for (const FusionBoundary& boundary : boundaries_) sum += boundary.bytes;
  return sum;
}
using detail::text;

static std::string in_mebibytes(int64_t bytes) {
  char number[64];
  std::snprintf(number, sizeof number, "%.2f MiB", static_cast<double>(bytes) / (1 << 20));
  return number;
}
std::string FusionReport::str() const {
  std::string out = text(size(), size() == 1 ? " array" : " arrays", " between kernels, ", in_mebibytes(bytes()), " written and read\n");
  const auto side = [](const std::string& opcode, const std::string& kernel, const std::string& source) {
    return text(opcode, kernel == opcode ? "" : " in " + kernel, source.empty() ? "" : " (" + source + ")");
  };
  for (const FusionBoundary& b : boundaries_) {
    out += text(side(b.producer, b.producer_kernel, b.producer_source), " -> ", side(b.consumer, b.consumer_kernel, b.consumer_source), ": ",
                in_mebibytes(b.bytes), "\n    ", b.rule, "\n");
  }
  return out;
}
FusionReport Compiled::fusion_report() const {
  const auto& p = compiled(program_, "fusion_report");
  if (find_client(p.facts.backend).optimizes_itself())
    fail<UnimplementedError>("fusion_report", "the backend '", p.facts.backend, "' optimizes programs by itself; reports are of Tenon's passes");
  passes::PipelineOptions pipeline = p.pipeline;
  pipeline.explain = true;
  const auto traced = detail::make_ref<detail::TracedProgram>(p.facts);
  std::vector<FusionBoundary> boundaries;
  for (passes::FusionBoundary& b : passes::fusion_boundaries(passes::optimize(traced->lower()->module, pipeline))) {
    boundaries.push_back({std::move(b.producer), std::move(b.consumer), std::move(b.producer_kernel), std::move(b.consumer_kernel), std::move(b.rule),
                          b.bytes, std::move(b.producer_source), std::move(b.consumer_source)});
  }
  return FusionReport(std::move(boundaries));
}
static std::vector<Format> formats_of(const std::vector<Layout>& layouts, const Avals& avals) {
  std::vector<Format> formats(avals.size());
  for (size_t i = 0; i < avals.size(); ++i) {
    std::vector<int>& order = formats[i].layout.major_to_minor;
    if (!layouts.empty()) order = layouts[i].major_to_minor;
    for (int axis = 0; order.size() < static_cast<size_t>(avals[i].ndim()); ++axis) order.push_back(axis);
  }
  return formats;
}
std::vector<Format> Compiled::input_formats() const {
  const auto& p = compiled(program_, "input_formats");
  return formats_of(p.in_layouts, p.facts.jaxpr.in_avals());
}
std::vector<Format> Compiled::output_formats() const {
  const auto& p = compiled(program_, "output_formats");
  return formats_of(p.out_layouts, p.out_avals);
}
Avals Compiled::in_avals() const { return compiled(program_, "in_avals").facts.jaxpr.in_avals(); }
Avals Compiled::out_avals() const { return compiled(program_, "out_avals").out_avals; }
std::string Compiled::generated_code(std::string_view kind) const {
  if (kind != "mlir" && kind != "llvm" && kind != "asm" && kind != "object")
    fail<ValueError>("generated_code", "there is no kind '", kind, "'; there are: mlir, llvm, asm, object");
  const auto& p = compiled(program_, "generated_code");
  std::lock_guard lock(context_mutex(p.module));
  return kind == "mlir" ? p.module.str() : p.executable->generated_code(kind);
}

Plan Compiled::plan() const {
  const auto& p = compiled(program_, "plan");
  detail::Ref<PlannedRun> run = p.executable->plan();
  if (!run) fail<UnimplementedError>("plan", "the backend '", p.facts.backend.empty() ? find_client().platform() : std::string_view(p.facts.backend), "' has no plans");
  return Plan(program_, std::move(run));
}

Plan::Plan(detail::Ref<detail::RefCounted> program, detail::Ref<PlannedRun> run) : program_(std::move(program)), run_(std::move(run)) {
  const auto& p = compiled(program_, "plan");
  argument_count_ = p.kept.size();
  result_count_ = p.out_avals.size();
  for (size_t i = 0; i < argument_count_; ++i)
    if (p.kept[i]) taken_.push_back(static_cast<int>(i));
  arguments_.resize(taken_.size());
}

bool Plan::run(std::span<const void* const> arguments, std::span<void* const> results) noexcept {
  const auto is_null = [](const void* memory) { return memory == nullptr; };
  if (!run_ || arguments.size() != argument_count_ || results.size() != result_count_) return false;
  if (std::ranges::any_of(arguments, is_null) || std::ranges::any_of(results, is_null)) return false;
  for (size_t i = 0; i < taken_.size(); ++i) arguments_[i] = arguments[static_cast<size_t>(taken_[i])];
  run_->run(arguments_.data(), results.data());
  return true;
}

detail::FlatResult Compiled::call_flat(const detail::Call& call) const {
  const auto& p = compiled(program_, "compiled");
  detail::SiteScope site(call.loc);
  detail::check_call(p, call);
  return {p.run(call.leaves), p.facts.prototype};
}

}  // namespace tenon
