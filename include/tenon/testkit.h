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
