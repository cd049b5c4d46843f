// What unit tests use to inspect programs and compilations. Works with any test framework: checks
// return results that convert to bool and explain themselves.
#pragma once

#include "tenon/tenon.h"

#pragma GCC visibility push(default)

namespace tenon {
namespace testkit {

/// What a check found.
class Result {
 public:
  Result() = default;  // passed
  explicit Result(std::string message) : message_(std::move(message)), passed_(false) {}
  explicit operator bool() const { return passed_; }
  /// Why it failed; empty when it passed.
  const std::string& message() const& { return message_; }
  std::string message() && { return std::move(message_); }

 private:
  std::string message_;
  bool passed_ = true;
};

/// Compilations of the program called `name` on this thread while it lives.
class CompileCounter {
 public:
  explicit CompileCounter(std::string_view name);
  ~CompileCounter();
  CompileCounter(const CompileCounter&) = delete;
  int count() const;
  /// "Compiling f with global shapes and types [ShapedArray(float32[3])]." for each.
  std::vector<std::string> messages() const;

 private:
  void* listener_;
};

/// Checks text against patterns in LLVM FileCheck's language (CHECK:, CHECK-NEXT:, CHECK-NOT:, ...).
Result check_ir(std::string_view text, std::string_view patterns);
/// Compares a jaxpr with its text; white space does not count.
Result same_jaxpr(const Jaxpr& got, std::string_view want);

/// Facts of a compiled program.
int fusions(const Compiled& program);
double bytes_accessed(const Compiled& program);
int64_t temp_bytes(const Compiled& program);
/// Does the optimized program hold an instruction with this HLO opcode, inside fusions too?
bool has_instruction(const Compiled& program, std::string_view opcode);
/// Is a value of this shape written to memory between two kernels?
bool materializes(const Compiled& program, const Shape& shape);

/// Kernels launched and bytes of temporary memory taken by calls of this thread while it lives.
class RunCounters {
 public:
  RunCounters();
  ~RunCounters();
  RunCounters(const RunCounters&) = delete;
  int64_t kernels() const;
  int64_t temp_bytes() const;

 private:
  void* start_;
};

/// How derivatives are compared with differences.
struct GradCheckOptions {
  TENON_NAMED;
  /// 1: first derivatives, forwards and in reverse. 2: derivatives of these, too.
  int order = 1;
  /// Allowed difference, relative to the size of the numbers; 0: by the dtype (1e-6 for float64, 1e-2 for float32).
  double tolerance = 0;
  /// Forward derivatives too: false for custom_vjp functions.
  bool forward = true;
};
namespace detail {
using Flat = tenon::detail::FunctionRef<Arrays(const Arrays&)>;
Result check_grads(Flat function, const Arrays& arguments, const GradCheckOptions& options);
Result check_vmap(Flat function, const Arrays& arguments);
// f of as many Arrays as it takes; the leaves of what it returns.
template <class F>
Arrays call_flat(F& f, const Arrays& x) {
  return [&]<class R, class... A>(std::type_identity<R(A...)>) {
    static_assert((std::is_same_v<A, Array> && ...), "tenon: the function takes Arrays");
    return [&]<size_t... I>(std::index_sequence<I...>) {
      tenon::detail::check_leaf_count(sizeof...(I), x.size());
      return tree::leaves(static_cast<tenon::detail::lift_t<R>>(f(x[I]...)));
    }(std::index_sequence_for<A...>{});
  }(std::type_identity<tenon::detail::signature_t<F>>{});
}
}  // namespace detail
/// Compares derivatives of f with differences at `arguments` (floating), along directions that are
/// drawn with a fixed seed: jvp with central differences, vjp with jvp.
template <class F>
Result check_grads(F f, const std::vector<Array>& arguments, const GradCheckOptions& options = {}) {
  return detail::check_grads([&](const Arrays& x) { return detail::call_flat(f, x); }, arguments, options);
}
/// Compares vmap of f, over the leading axis of all arguments, with calls one after the other: equal
/// values, but for the order of sums of products.
template <class F>
Result check_vmap(F f, const std::vector<Array>& arguments) {
  return detail::check_vmap([&](const Arrays& x) { return detail::call_flat(f, x); }, arguments);
}

/// Time of one call.
struct Timing {
  double median_seconds = 0, min_seconds = 0, max_seconds = 0;
  int runs = 0;
};
namespace detail {
Timing time_calls(tenon::detail::FunctionRef<void()> call);
}
/// Warms up, then times calls (each waited for) for about a fifth of a second, at least 5.
template <class F, class... A>
Timing bench(F f, const A&... args) {
  return detail::time_calls([&] { block_until_ready(f(args...)); });
}

}  // namespace testkit
}  // namespace tenon

#pragma GCC visibility pop
