// The conductor: the one place that calls the stages in order.
#include "api/program.h"

#include <chrono>
#include <optional>

#include "analysis/memory_analysis.h"
#include "api/compile_events.h"
#include "api/compile_options.h"
#include "api/compiled_entry.h"
#include "api/debug_values.h"
#include "api/dump.h"
#include "api/persistent_cache.h"
#include "base/fail.h"
#include "base/log.h"
#include "base/options.h"
#include "control/jit.h"
#include "core/layout.h"
#include "core/nodes.h"
#include "dialect/entry_layouts.h"
#include "dialect/module_impl.h"
#include "lowering/lower.h"
#include "passes/pipeline.h"
#include "profiler/recorder.h"

namespace tenon::detail {
namespace {

using Clock = std::chrono::steady_clock;

// Logs the time of a stage when asked to; traces show it.
class StageTimer {
 public:
  StageTimer(const char* stage, const std::string& name)
      : stage_(stage), name_(name), start_(Clock::now()), span_(profiler::EventKind::stage, stage, name) {}
  ~StageTimer() { log_time(stage_, name_, start_); }

  static void log_time(std::string_view stage, const std::string& name, Clock::time_point start) {
    if (!options().timing) return;
    std::chrono::duration<double> elapsed = Clock::now() - start;
    log("tenon.timing", logging::Level::info, stage, " ", name, ": ", elapsed.count() * 1e3, " ms");
  }

 private:
  const char* stage_;
  const std::string& name_;
  Clock::time_point start_;
  profiler::Span span_;
};

std::vector<bool> kept_of(const std::vector<bool>& leaves, const std::vector<bool>& kept) {
  std::vector<bool> some;
  for (size_t i = 0; i < leaves.size(); ++i)
    if (kept[i]) some.push_back(leaves[i]);
  return some;
}

// Layouts of the arguments that the program takes to all of them.
std::vector<Layout> spread(const std::vector<Layout>& layouts, const std::vector<bool>& kept) {
  std::vector<Layout> all(kept.size());
  size_t next = 0;
  for (size_t i = 0; i < kept.size(); ++i)
    if (kept[i]) all[i] = layouts[next++];
  return all;
}

struct Built {
  std::optional<Module> optimized;
  ExecutableRef executable;
};

// Kernels hold what they read and write at once: where they are too large for the limit, operations run one after the other.
Module optimize(const Module& lowered, passes::PipelineOptions& pipeline) {
  try {
    return passes::optimize(lowered, pipeline);
  } catch (const CompileError&) {
    if (pipeline.max_bytes <= 0) throw;
    passes::PipelineOptions apart = pipeline;
    apart.disable_passes += apart.disable_passes.empty() ? "fusion" : ",fusion";
    std::optional<Module> optimized;
    try {
      optimized = passes::optimize(lowered, apart);
    } catch (const CompileError&) {
    }
    if (!optimized) throw;  // the first error: that of the better program
    pipeline = std::move(apart);
    return std::move(*optimized);
  }
}

// Optimizes and compiles. `saved`, when it is not null: see Client::compile. `passes_begin_ns`: when the passes began.
Built build(const ProgramFacts& facts, const Module& lowered, Client& client, passes::PipelineOptions& pipeline, std::string* saved, int64_t& passes_begin_ns) {
  const OptionValues& o = options();
  Module optimized = lowered;
  ExecutableRef executable;
  // What kernels take for themselves is known when they are there.
  for (int64_t scratch = 0; !executable; pipeline.scratch_bytes = scratch) {
    if (!client.optimizes_itself()) {
      StageTimer timer("passes", facts.name);
      passes_begin_ns = profiler::now_ns();
      optimized = optimize(lowered, pipeline);
    }
    StageTimer timer("backend", facts.name);
    executable = saved ? client.compile(optimized, *saved) : client.compile(optimized);
    if (o.max_bytes <= 0) break;
    scratch = executable->scratch_size_bytes();
    const int64_t peak = analysis::memory_analysis(optimized).peak_memory_in_bytes + scratch;
    if (peak <= o.max_bytes) break;
    if (scratch <= pipeline.scratch_bytes)  // the pass that meets the limit is switched off
      fail<CompileError>("jit " + facts.name, "max_bytes is ", o.max_bytes, "; a run needs ", peak, " bytes, and the pass that lowers it is switched off: disable_passes is '", o.disable_passes, "'");
    executable = {};
  }
  return {std::move(optimized), std::move(executable)};
}

// All that the code of a program depends on.
std::string cache_key(const Module& lowered, const Client& client, const passes::PipelineOptions& pipeline) {
  std::string donated;
  for (bool is_donated : pipeline.donated) donated += is_donated ? '1' : '0';
  return text(build_identity(), "|", client.platform(), "|", client.code_kind(), "|", compile_options_key(), "|", donated, "|", key_text(lowered));
}

// Nothing when the entry is of no use.
Built load(const std::string& entry, const Module& lowered, Client& client, const PersistentCache& cache) {
  try {
    auto [optimized, saved] = read_entry(entry, lowered);
    ExecutableRef executable = client.load(optimized, saved);
    return {std::move(optimized), std::move(executable)};
  } catch (const Error& error) {
    cache.reject(error.what());
    return {};
  }
}

Ref<CompiledProgram> compile_program(const LoweredProgram& program) {
  const ProgramFacts& facts = program.facts;
  const Module& lowered = program.module;
  announce_compile(facts.name, facts.jaxpr.in_avals());
  const profiler::Span span(profiler::EventKind::stage, "compile", facts.name);
  Client& client = find_client(facts.backend);
  const OptionValues& o = options();
  if (o.max_bytes < 0) fail<ValueError>("jit " + facts.name, "max_bytes is a number of bytes, or 0 for any; got ", o.max_bytes);
  Dump dump(facts.name);
  dump.before_optimizations(lowered);
  passes::PipelineOptions pipeline;
  int64_t pass_begin_ns = 0;
  if (!client.optimizes_itself()) {
    pipeline.disable_passes = o.disable_passes;
    pipeline.entry_layouts = !facts.in_layouts.empty() || !facts.out_layouts.empty();
    pipeline.donated = kept_of(facts.donated, program.kept);
    pipeline.fuse_products = client.has_products_in_kernels();
    pipeline.stream_min_bytes = o.stream_min_bytes;
    pipeline.max_bytes = o.max_bytes;
    pipeline.bisect_limit = o.bisect_limit;
    pipeline.verify |= o.verify_passes;
    if (dump.wanted() || o.timing || profiler::is_recording())
      pipeline.on_pass = [&, start = Clock::now()](int index, std::string_view pass, const Module& module) mutable {
        profiler::record({profiler::EventKind::pass, pass_begin_ns, profiler::now_ns() - pass_begin_ns}, pass);
        StageTimer::log_time(text("pass ", index, " ", pass), facts.name, start);
        dump.after_pass(index, pass, module);
        start = Clock::now(), pass_begin_ns = profiler::now_ns();
      };
  } else if (o.max_bytes > 0) {
    fail<UnimplementedError>("jit " + facts.name, "max_bytes is ", o.max_bytes, "; the backend '", client.platform(),
                             "' plans its memory itself: compile without a limit");
  }
  // The key is made when somebody wants it: it is the program's text.
  const PersistentCache cache(lowered.name(), o.compilation_cache_dir.empty() ? std::string()
                                                                             : cache_key(lowered, client, pipeline));
  Built built;
  // A dump shows the passes: there must be some.
  if (cache.is_on() && !dump.wanted()) {
    profiler::Span reads(profiler::EventKind::disk_cache, "cache_read", facts.name);
    const auto entry = cache.read();
    reads.set_index(entry ? 1 : 0);
    if (entry) built = load(*entry, lowered, client, cache);
  }
  if (!built.executable) {
    const auto start = Clock::now();
    std::string saved;
    built = build(facts, lowered, client, pipeline, cache.is_on() ? &saved : nullptr, pass_begin_ns);
    const std::chrono::duration<double> elapsed = Clock::now() - start;
    if (!saved.empty()) {
      const profiler::Span writes(profiler::EventKind::disk_cache, "cache_write", facts.name);
      cache.write(write_entry(*built.optimized, lowered, saved), elapsed.count());
    }
  }
  pipeline.on_pass = {};
  dump.after_optimizations(*built.optimized);
  dump.executable(*built.executable);
  return make_ref<CompiledProgram>(facts, program.kept, std::move(*built.optimized), std::move(pipeline), std::move(built.executable));
}

// A context, its dialects, and the operations of the program before and after the passes.
int64_t size_of(const Module& module) {
  constexpr int64_t kContextBytes = 280 << 10, kOperationBytes = 900;  // by the growth of the heap: programs of 10 to 2000 equations
  int64_t operations = 0;
  module_op(module).walk([&](mlir::Operation*) { ++operations; });
  return kContextBytes + operations * kOperationBytes;
}

}  // namespace

int64_t size_of(const Jaxpr& jaxpr) {
  constexpr int64_t kEqnBytes = 512;
  return kEqnBytes * static_cast<int64_t>(jaxpr.eqns().size() + jaxpr.invars().size() + 1);
}

CompiledProgram::CompiledProgram(ProgramFacts facts, std::vector<bool> kept, Module module, passes::PipelineOptions pipeline,
                                 ExecutableRef executable)
    : facts(std::move(facts)),
      kept(std::move(kept)),
      kept_donated(kept_of(this->facts.donated, this->kept)),
      module(std::move(module)),
      pipeline(std::move(pipeline)),
      executable(std::move(executable)),
      out_avals(this->facts.jaxpr.out_avals()),
      in_layouts(this->facts.in_layouts.empty() ? std::vector<Layout>() : spread(entry_layouts_of(this->module).arguments, this->kept)),
      out_layouts(this->facts.out_layouts.empty() ? std::vector<Layout>() : entry_layouts_of(this->module).results),
      size_bytes(size_of(this->facts.jaxpr) + size_of(this->module) + this->executable->generated_code_size_bytes()),
      live(*this) {}

// Memory that is given away belongs to one argument.
void CompiledProgram::check_donated(const BufferRefs& buffers) const {
  for (size_t i = 0; i < kept_donated.size(); ++i) {
    for (size_t j = 0; kept_donated[i] && j < buffers.size(); ++j)
      if (i != j && buffers[i].get() == buffers[j].get())
        fail<ValueError>(facts.name, "an array is donated as one argument and passed as another one as well; got ",
                         facts.jaxpr.in_avals()[i], "; pass a copy");
  }
}

Array CompiledProgram::result_of(BufferRef buffer, size_t i) const {
  if (out_layouts.empty() || out_layouts[i].major_to_minor.empty()) return array_of(std::move(buffer), out_avals[i]);
  return Array(make_ref<ConcreteNode>(out_avals[i], std::move(buffer), false, out_layouts[i]));
}

BufferRefs CompiledProgram::buffers_of(const Arrays& arguments) const {
  BufferRefs buffers;
  buffers.reserve(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    // An argument is valid, needed or not.
    if (!kept[i] && arguments[i].node("call").kind() == ArrayNode::Kind::concrete && !arguments[i].is_deleted()) continue;
    BufferRef buffer = in_layouts.empty() ? buffer_of(arguments[i], facts.name.c_str()) : buffer_of(arguments[i], in_layouts[i], facts.name.c_str());
    if (kept[i]) buffers.push_back(std::move(buffer));
  }
  return buffers;
}

Arrays CompiledProgram::run(const Arrays& arguments) const {
  BufferRefs buffers = buffers_of(arguments);
  check_donated(buffers);
  const bool debugs = looks_at_values();  // then the arguments are needed once more
  ExecuteOptions execute{.synchronous = !options().cpu_enable_async_dispatch,
                         .donated = kept_donated.empty() || debugs ? nullptr : &kept_donated};
  BufferRefs outputs = executable->execute(buffers, execute);
  Arrays results;
  results.reserve(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) results.push_back(result_of(std::move(outputs[i]), i));
  if (debugs) check_values(facts.name, results, facts.jaxpr, arguments);
  for (size_t i = 0; i < facts.donated.size(); ++i)  // copies in other layouts are gone as well
    if (facts.donated[i] && kept[i]) arguments[i].delete_buffer();
  return results;
}

Ref<CompiledProgram> LoweredProgram::compile(const std::vector<config::Setting>& settings) {
  std::optional<config::Scope> scope;
  if (!settings.empty()) scope.emplace(settings);
  std::string key = compile_options_key() + "|" + key_of(settings);
  std::lock_guard lock(mutex_);
  std::lock_guard context_lock(context_mutex(module));  // a Compiled of it may be printed meanwhile
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
    lowering.arg_layouts = facts.in_layouts;
    lowering.result_layouts = facts.out_layouts;
    std::vector<bool> kept(facts.jaxpr.invars().size(), true);
    Module module = facts.keep_unused ? lower_jaxpr(facts.jaxpr, lowering) : lower_jaxpr(facts.jaxpr, lowering, kept);
    lowered_ = make_ref<LoweredProgram>(facts, std::move(kept), std::move(module));
  }
  return lowered_;
}

}  // namespace tenon::detail
