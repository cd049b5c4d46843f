// The stages between a function and its results: traced, lowered, compiled. Each can be printed.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/backend.h"
#include "tenon/error.h"
#include "tenon/detail/callable.h"
#include "tenon/jaxpr.h"

#pragma GCC visibility push(default)

namespace tenon {

namespace detail {
// Programs of the stages, shared. Defined in src/api.
struct Stages {
  static Jaxpr jaxpr(const Ref<RefCounted>& traced);
  static Ref<RefCounted> lower(const Ref<RefCounted>& traced);
  static std::string text(const Ref<RefCounted>& lowered, bool debug_info, std::string_view dialect);
  static Ref<RefCounted> compile(const Ref<RefCounted>& lowered);
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

/// How a stage is printed. dialect: "stablehlo" or "hlo".
struct TextOptions {
  TENON_NAMED;
  bool debug_info = false;
  std::string_view dialect = "stablehlo";
};

/// A program that can run. Cheap to copy.
class Compiled {
 public:
  Compiled() = default;
  explicit Compiled(detail::Ref<detail::RefCounted> program) : program_(std::move(program)) {}
  /// HLO text of the optimized program, with fusions, layouts and schedule.
  std::string as_text() const;
  CostAnalysis cost_analysis() const;
  MemoryAnalysis memory_analysis() const;
  Avals in_avals() const;
  Avals out_avals() const;
  /// "mlir": the optimized module, with its kernels and buffers; "llvm" or "asm": what the backend made of it.
  /// Throws ValueError for another name.
  std::string generated_code(std::string_view kind) const;
  const detail::Ref<detail::RefCounted>& program() const { return program_; }

 protected:
  detail::FlatResult call_flat(const detail::Call& call) const;

 private:
  detail::Ref<detail::RefCounted> program_;
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
    auto never = [](const A&...) -> R { throw InternalError("compiled: the function is not called again"); };
    return detail::unflatten_result<R>(call_flat(detail::CallOf<decltype(never), A...>(never, loc, std::move(args)...)));
  }
};

template <class S>
class Lowered {
 public:
  explicit Lowered(detail::Ref<detail::RefCounted> program) : program_(std::move(program)) {}
  /// StableHLO text as JAX prints it; with .debug_info locations; .dialect = "hlo": HLO text
  /// before any optimization. Throws ValueError for an unknown dialect.
  std::string as_text(const TextOptions& options = {}) const { return detail::Stages::text(program_, options.debug_info, options.dialect); }
  CompiledFn<S> compile() const { return CompiledFn<S>(detail::Stages::compile(program_)); }

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
