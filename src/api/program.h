// A program at its stages: traced, lowered, compiled. Made once, shared by calls and by the
// Traced, Lowered and Compiled handles of the user.
#pragma once

#include <mutex>

#include "api/live_programs.h"
#include "dialect/module.h"
#include "passes/pipeline.h"
#include "tenon/stages.h"

namespace tenon::detail {

/// What is the same for all stages.
struct ProgramFacts {
  std::string name;  // without "jit_"
  std::vector<std::string> arg_names;
  std::vector<bool> donated;  // per leaf; empty: none
  std::vector<Layout> in_layouts, out_layouts;  // per leaf; empty: row-major
  bool keep_unused = false;
  std::string backend;
  std::string structure;  // of the arguments: statics and sizes
  Ref<RefCounted> prototype;  // of the result
  Jaxpr jaxpr;
};

class CompiledProgram final : public RefCounted {
 public:
  CompiledProgram(ProgramFacts facts, std::vector<bool> kept, Module module, passes::PipelineOptions pipeline, ExecutableRef executable);
  Arrays run(const Arrays& arguments) const;
  /// The memory of those arguments that the program takes.
  BufferRefs buffers_of(const Arrays& arguments) const;

  const ProgramFacts facts;
  const std::vector<bool> kept;  // leaves that the program takes
  const std::vector<bool> kept_donated;
  const Module module;  // optimized
  const passes::PipelineOptions pipeline;  // by which it was
  const ExecutableRef executable;
  const Avals out_avals;
  const std::vector<Layout> in_layouts, out_layouts;  // of all leaves; empty: all are row-major
  /// Memory that it holds, about.
  const int64_t size_bytes;
  const LiveProgram live;  // the last one: it goes before the others do

 private:
  void check_donated(const BufferRefs& buffers) const;
  Array result_of(BufferRef buffer, size_t i) const;
};

/// Memory that a traced program holds, about; without captured arrays, which the function that captured them holds as well.
int64_t size_of(const Jaxpr& jaxpr);

class LoweredProgram final : public RefCounted {
 public:
  LoweredProgram(ProgramFacts facts, std::vector<bool> kept, Module module)
      : facts(std::move(facts)), kept(std::move(kept)), module(std::move(module)) {}
  /// Compiles at the first call, and again when an option that matters has changed. `settings` hold for this compilation.
  Ref<CompiledProgram> compile(const std::vector<config::Setting>& settings = {});

  const ProgramFacts facts;
  const std::vector<bool> kept;  // leaves that `main` takes
  const Module module;

 private:
  std::mutex mutex_;
  Ref<CompiledProgram> compiled_;
  std::string compiled_options_;
};

class TracedProgram final : public RefCounted {
 public:
  explicit TracedProgram(ProgramFacts facts) : facts(std::move(facts)) {}
  Ref<LoweredProgram> lower();

  const ProgramFacts facts;

 private:
  std::mutex mutex_;
  Ref<LoweredProgram> lowered_;
};

}  // namespace tenon::detail
