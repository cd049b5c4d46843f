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

std::vector<bool> kept_of(const std::vector<bool>& leaves, const std::vector<bool>& kept) {
  std::vector<bool> some;
  for (size_t i = 0; i < leaves.size(); ++i)
    if (kept[i]) some.push_back(leaves[i]);
  return some;
}

Ref<CompiledProgram> compile_program(const LoweredProgram& program) {
  const ProgramFacts& facts = program.facts;
  const Module& lowered = program.module;
  announce_compile(facts.name, facts.jaxpr.in_avals());
  Client& client = find_client(facts.backend);
  const OptionValues& o = options();
  Dump dump(facts.name);
  dump.before_optimizations(lowered);
  Module optimized = lowered;
  passes::PipelineOptions pipeline;
  if (!client.optimizes_itself()) {
    StageTimer timer("passes", facts.name);
    pipeline.disable_passes = o.disable_passes;
    pipeline.donated = kept_of(facts.donated, program.kept);
    pipeline.fuse_products = client.has_products_in_kernels();
    pipeline.stream_min_bytes = o.stream_min_bytes;
    pipeline.bisect_limit = o.bisect_limit;
    pipeline.verify |= o.verify_passes;
    if (dump.wanted())
      pipeline.on_pass = [&](int index, std::string_view pass, const Module& module) { dump.after_pass(index, pass, module); };
    optimized = passes::optimize(lowered, pipeline);
    pipeline.on_pass = {};
  }
  dump.after_optimizations(optimized);
  StageTimer timer("backend", facts.name);
  ExecutableRef executable = client.compile(optimized);
  dump.executable(*executable);
  return make_ref<CompiledProgram>(facts, program.kept, std::move(optimized), std::move(pipeline), std::move(executable));
}

}  // namespace

std::string compile_options_key() {
  const OptionValues& o = options();
  return text(o.disable_passes, "|", o.stream_min_bytes, "|", o.bisect_limit, "|", o.cpu_target, "|", o.default_backend, "|", o.eager_evaluator_limit);
}

CompiledProgram::CompiledProgram(ProgramFacts facts, std::vector<bool> kept, Module module, passes::PipelineOptions pipeline,
                                 ExecutableRef executable)
    : facts(std::move(facts)),
      kept(std::move(kept)),
      kept_donated(kept_of(this->facts.donated, this->kept)),
      module(std::move(module)),
      pipeline(std::move(pipeline)),
      executable(std::move(executable)),
      out_avals(this->facts.jaxpr.out_avals()) {}

// Memory that is given away belongs to one argument.
void CompiledProgram::check_donated(const BufferRefs& buffers) const {
  for (size_t i = 0; i < kept_donated.size(); ++i) {
    for (size_t j = 0; kept_donated[i] && j < buffers.size(); ++j)
      if (i != j && buffers[i].get() == buffers[j].get())
        fail<ValueError>(facts.name, "an array is donated as one argument and passed as another one as well; got ",
                         facts.jaxpr.in_avals()[i], "; pass a copy");
  }
}

Arrays CompiledProgram::run(const Arrays& arguments) const {
  BufferRefs buffers;
  buffers.reserve(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    BufferRef buffer = buffer_of(arguments[i], facts.name.c_str());  // an argument is valid, needed or not
    if (kept[i]) buffers.push_back(std::move(buffer));
  }
  check_donated(buffers);
  ExecuteOptions execute{.synchronous = !options().cpu_enable_async_dispatch,
                         .donated = kept_donated.empty() ? nullptr : &kept_donated};
  BufferRefs outputs = executable->execute(buffers, execute);
  for (size_t i = 0; i < kept_donated.size(); ++i)
    if (kept_donated[i] && !buffers[i]->is_deleted()) buffers[i]->mark_deleted();
  Arrays results;
  results.reserve(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) results.push_back(array_of(std::move(outputs[i]), out_avals[i]));
  return results;
}

Ref<CompiledProgram> LoweredProgram::compile() {
  std::string key = compile_options_key();
  std::lock_guard lock(mutex_);
  if (!compiled_ || compiled_options_ != key) {
    compiled_ = compile_program(*this);
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
    std::vector<bool> kept(facts.jaxpr.invars().size(), true);
    Module module = facts.keep_unused ? lower_jaxpr(facts.jaxpr, lowering) : lower_jaxpr(facts.jaxpr, lowering, kept);
    lowered_ = make_ref<LoweredProgram>(facts, std::move(kept), std::move(module));
  }
  return lowered_;
}

}  // namespace tenon::detail
