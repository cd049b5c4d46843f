// The conductor: the one place that calls the stages in order.
#include "api/program.h"

#include <chrono>

#include "api/compile_events.h"
#include "api/dump.h"
#include "base/fail.h"
#include "base/log.h"
#include "base/options.h"
#include "core/nodes.h"
#include "lowering/lower.h"
#include "passes/pipeline.h"

namespace tenon::detail {
namespace {

// Logs the time of a stage when asked to.
class StageTimer {
 public:
  StageTimer(std::string_view stage, const std::string& name)
      : stage_(stage), name_(name), start_(std::chrono::steady_clock::now()) {}
  ~StageTimer() {
    if (!options().timing) return;
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    log("tenon.timing", logging::Level::info, stage_, " ", name_, ": ", elapsed.count() * 1e3, " ms");
  }

 private:
  std::string_view stage_;
  const std::string& name_;
  std::chrono::steady_clock::time_point start_;
};

Ref<CompiledProgram> compile_program(const ProgramFacts& facts, const Module& lowered) {
  announce_compile(facts.name, facts.jaxpr.in_avals());
  Client& client = find_client(facts.backend);
  const OptionValues& o = options();
  Dump dump(facts.name);
  dump.before_optimizations(lowered);
  Module optimized = lowered;
  if (!client.optimizes_itself()) {
    StageTimer timer("passes", facts.name);
    passes::PipelineOptions pipeline;
    pipeline.disable_passes = o.disable_passes;
    pipeline.donated = facts.donated;
    pipeline.bisect_limit = o.bisect_limit;
    pipeline.verify |= o.verify_passes;
    if (dump.wanted())
      pipeline.on_pass = [&](int index, std::string_view pass, const Module& module) { dump.after_pass(index, pass, module); };
    optimized = passes::optimize(lowered, pipeline);
  }
  dump.after_optimizations(optimized);
  StageTimer timer("backend", facts.name);
  ExecutableRef executable = client.compile(optimized);
  dump.executable(*executable);
  return make_ref<CompiledProgram>(facts, std::move(optimized), std::move(executable));
}

}  // namespace

std::string compile_options_key() {
  const OptionValues& o = options();
  return text(o.disable_passes, "|", o.bisect_limit, "|", o.cpu_target, "|", o.default_backend, "|", o.eager_evaluator_limit);
}

Arrays CompiledProgram::run(const Arrays& arguments) const {
  BufferRefs buffers;
  buffers.reserve(arguments.size());
  for (const Array& a : arguments) buffers.push_back(buffer_of(a, facts.name.c_str()));
  ExecuteOptions execute{.synchronous = !options().cpu_enable_async_dispatch,
                         .donated = facts.donated.empty() ? nullptr : &facts.donated};
  BufferRefs outputs = executable->execute(buffers, execute);
  if (!facts.donated.empty())
    for (size_t i = 0; i < buffers.size(); ++i)
      if (facts.donated[i] && !buffers[i]->is_deleted()) buffers[i]->mark_deleted();
  Arrays results;
  results.reserve(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) results.push_back(array_of(std::move(outputs[i]), out_avals[i]));
  return results;
}

Ref<CompiledProgram> LoweredProgram::compile() {
  std::string key = compile_options_key();
  std::lock_guard lock(mutex_);
  if (!compiled_ || compiled_options_ != key) {
    compiled_ = compile_program(facts, module);
    compiled_options_ = key;
  }
  return compiled_;
}

Ref<LoweredProgram> TracedProgram::lower() {
  std::lock_guard lock(mutex_);
  if (!lowered_) {
    StageTimer timer("lower", facts.name);
    LoweringOptions lowering;
    lowering.name = facts.name;
    lowering.arg_names = facts.arg_names;
    lowered_ = make_ref<LoweredProgram>(facts, lower_jaxpr(facts.jaxpr, lowering));
  }
  return lowered_;
}

}  // namespace tenon::detail
