// The stages between a function and its results: traced, lowered, compiled. Each can be printed.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/backend.h"
#include "tenon/config.h"
#include "tenon/error.h"
#include "tenon/detail/callable.h"
#include "tenon/jaxpr.h"
#include "tenon/roofline.h"

#pragma GCC visibility push(default)

namespace tenon {

/// What one compilation does in another way than the options in force say.
struct CompileOptions {
  TENON_NAMED;
  /// Most memory that a run may take: arguments, results and temporaries (memory_analysis().peak_memory_in_bytes); 0: any.
  /// Values are computed again where that helps. Where it does not, compile() throws CompileError with the largest buffers
  /// at the peak and their source lines.
  int64_t max_bytes = 0;
  /// Any option of docs/options.md that compilations read: {{"disable_passes", "fusion"}, {"dump_to", "/tmp/f"}}.
  std::vector<config::Setting> config = {};
};

namespace detail {
// Programs of the stages, shared. Defined in src/api.
struct Stages {
  static Jaxpr jaxpr(const Ref<RefCounted>& traced);
  static Ref<RefCounted> lower(const Ref<RefCounted>& traced);
  static std::string text(const Ref<RefCounted>& lowered, bool debug_info, std::string_view dialect);
  static Ref<RefCounted> compile(const Ref<RefCounted>& lowered, const CompileOptions& options);
};
}  // namespace detail

/// What a program costs, by the conventions of XLA's HloCostAnalysis: "flops",
/// "transcendentals", "bytes accessed", "bytes accessed0{}" (operand 0 of all instructions),
/// "bytes accessedout{}", "utilization0{}". Keys of which nothing was counted are absent.
class CostAnalysis {
 public:
  using Entry = std::pair<std::string, double>;
  CostAnalysis() = default;
  explicit CostAnalysis(std::vector<Entry> entries);
  /// Throws ValueError that lists the keys when there is none called `key`.
  double operator[](std::string_view key) const;
  /// 1 or 0.
  int count(std::string_view key) const;
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  size_t size() const;

 private:
  std::vector<Entry> entries_;
};

/// An array between two kernels of a compiled program.
struct FusionBoundary {
  std::string producer, consumer;                ///< HLO opcodes of what makes it and of what reads it: "dot", "exponential"
  std::string producer_kernel, consumer_kernel;  ///< names of their kernels as in as_text()
  std::string rule;                              ///< why they are two kernels
  int64_t bytes = 0;                             ///< written and read because of it; for a second reader: read again
  std::string producer_source, consumer_source;  ///< "file:line" of the user's program; empty when not known
};

/// What keeps a program from being one kernel, in the order of its schedule.
class FusionReport {
 public:
  FusionReport() = default;
  explicit FusionReport(std::vector<FusionBoundary> boundaries) : boundaries_(std::move(boundaries)) {}
  auto begin() const { return boundaries_.begin(); }
  auto end() const { return boundaries_.end(); }
  size_t size() const { return boundaries_.size(); }
  const FusionBoundary& operator[](size_t i) const { return boundaries_[i]; }
  int64_t bytes() const;
  /// A line for the sum, and two for each boundary.
  std::string str() const;

 private:
  std::vector<FusionBoundary> boundaries_;
};

/// How a stage is printed. dialect: "stablehlo" or "hlo".
struct TextOptions {
  TENON_NAMED;
  bool debug_info = false;
  std::string_view dialect = "stablehlo";
};

class Plan;

struct CompiledTextOptions {
  TENON_NAMED;
  bool metadata = true;
};

/// A program that can run. Cheap to copy.
class Compiled {
 public:
  Compiled() = default;
  explicit Compiled(detail::Ref<detail::RefCounted> program) : program_(std::move(program)) {}
  /// HLO text of the optimized program, with fusions, layouts and schedule; with or without names and source lines.
  std::string as_text(const CompiledTextOptions& options = {}) const;
  CostAnalysis cost_analysis() const;
  MemoryAnalysis memory_analysis() const;
  /// Every array that kernels hand on in memory, with the rule that kept them apart, what it costs and the source lines.
  /// Lowers and optimizes the program once more. Throws UnimplementedError for a backend that optimizes by itself.
  FusionReport fusion_report() const;
  /// What each kernel could take at least on this machine, and what limits it. Throws UnimplementedError for a backend that
  /// optimizes by itself.
  RooflineReport roofline() const;
  /// Layouts of the arguments (of each array of a tree) and of the results.
  std::vector<Format> input_formats() const;
  std::vector<Format> output_formats() const;
  Avals in_avals() const;
  Avals out_avals() const;
  /// Throws UnimplementedError for programs that allocate while they run (sorts, scatters, Fourier transforms, running sums, streams) or
  /// call the host, and for backends without plans.
  Plan plan() const;
  /// "mlir": the optimized module, with its kernels and buffers; "llvm" or "asm": what the backend made of it; "object": the
  /// bytes of that as an object file. Empty where the backend made nothing.
  /// Throws ValueError for another name.
  std::string generated_code(std::string_view kind) const;
  const detail::Ref<detail::RefCounted>& program() const { return program_; }

 protected:
  detail::FlatResult call_flat(const detail::Call& call) const;
  RooflineReport roofline_flat(const detail::Call& call) const;

 private:
  detail::Ref<detail::RefCounted> program_;
};

/// A compiled program with all memory that its runs need, for loops that must not wait: a run allocates nothing, takes no lock and stays
/// on the calling thread. One run at a time; copies share the memory.
class Plan {
 public:
  Plan() = default;
  Plan(detail::Ref<detail::RefCounted> program, detail::Ref<PlannedRun> run);
  /// arguments[i]: the elements of in_avals()[i] in the order of input_formats()[i], row-major unless it says otherwise; results[k]: memory for
  /// those of out_avals()[k]. Memory that is aligned to 64 bytes and overlaps no other is written directly; else it is copied to.
  /// False, and nothing has happened, when a pointer is missing or null or the plan is empty.
  [[nodiscard]] bool run(std::span<const void* const> arguments, std::span<void* const> results) noexcept;
  [[nodiscard]] bool run(std::initializer_list<const void*> arguments, std::initializer_list<void*> results) noexcept {
    return run(std::span<const void* const>(arguments.begin(), arguments.size()), std::span<void* const>(results.begin(), results.size()));
  }

 private:
  detail::Ref<detail::RefCounted> program_;
  detail::Ref<PlannedRun> run_;
  std::vector<int> taken_;                // arguments that the program takes, by number
  std::vector<const void*> arguments_;    // room for them
  size_t argument_count_ = 0, result_count_ = 0;
};

template <class S>
class CompiledFn;
/// A compiled program with the types of the function it came from.
template <class R, class... A>
class CompiledFn<R(A...)> : public Compiled {
 public:
  using tenon_signature = R(A...);
  using Compiled::Compiled;
  /// Runs it. Throws TypeError when an argument's shape, dtype or static value is another one
  /// than it was compiled for.
  R operator()(A... args, Loc loc = Loc::current()) const {
    return detail::unflatten_result<R>(call_flat(detail::CallOf<decltype(never), A...>(never, loc, std::move(args)...)));
  }
  /// Of the program alone (of one without arguments: what follows).
  RooflineReport roofline() const requires(sizeof...(A) > 0) { return Compiled::roofline(); }
  /// Runs it on these arguments at least 5 times, on the calling thread and the pool, and says what each kernel takes.
  /// Donated arguments stay valid; effects (callbacks) happen in each run. Throws as a call does, and UnimplementedError for
  /// a backend that does not tell when its kernels run.
  RooflineReport roofline(A... args, Loc loc = Loc::current()) const {
    return roofline_flat(detail::CallOf<decltype(never), A...>(never, loc, std::move(args)...));
  }

 private:
  static R never(const A&...) { throw InternalError("compiled: the function is not called again"); }
};

template <class S>
class Lowered {
 public:
  explicit Lowered(detail::Ref<detail::RefCounted> program) : program_(std::move(program)) {}
  /// StableHLO text as JAX prints it; with .debug_info locations; .dialect = "hlo": HLO text
  /// before any optimization. Throws ValueError for an unknown dialect.
  std::string as_text(const TextOptions& options = {}) const { return detail::Stages::text(program_, options.debug_info, options.dialect); }
  /// Throws ValueError or TypeError for options that are none of a compilation, CompileError.
  CompiledFn<S> compile(const CompileOptions& options = {}) const { return CompiledFn<S>(detail::Stages::compile(program_, options)); }

 private:
  detail::Ref<detail::RefCounted> program_;
};

template <class S>
class Traced {
 public:
  explicit Traced(detail::Ref<detail::RefCounted> program) : program_(std::move(program)) {}
  Jaxpr jaxpr() const { return detail::Stages::jaxpr(program_); }
  Lowered<S> lower() const { return Lowered<S>(detail::Stages::lower(program_)); }

 private:
  detail::Ref<detail::RefCounted> program_;
};

}  // namespace tenon

#pragma GCC visibility pop
