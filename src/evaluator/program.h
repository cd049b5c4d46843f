// A prepared program: a list of kernels and where their operands and results live. No MLIR inside.
//
// Every shape is known, so memory is planned once: results go straight to where the caller wants
// them, everything between lives in one arena whose parts are used again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "evaluator/tensor.h"

namespace tenon::evaluator {

/// One operation with its shapes and attributes: computes results from operands, given as pointers to
/// dense row-major elements. Stateless while running: any thread, many at once.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual void run(const void* const* operands, void* const* results) const = 0;
  /// Its results have the bits of compiled code. Not so where floats are summed in double.
  virtual bool has_compiled_bits() const { return true; }
};
using KernelRef = std::shared_ptr<const Kernel>;

class Program {
 public:
  const Avals& argument_avals() const { return argument_avals_; }
  const Avals& result_avals() const { return result_avals_; }
  std::int64_t step_count() const { return static_cast<std::int64_t>(steps_.size()); }
  std::int64_t arena_bytes() const { return arena_bytes_; }
  bool has_compiled_bits() const {
    return std::ranges::all_of(steps_, [](const Step& step) { return step.kernel->has_compiled_bits(); });
  }

  /// Runs on the calling thread. One pointer for each argument and result, to memory of their sizes;
  /// results do not overlap arguments. Throws OutOfMemoryError, and what operations throw.
  void run(const void* const* arguments, void* const* results) const;

 private:
  friend class ProgramBuilder;

  enum class PlaceKind : std::uint8_t { argument, constant, result, temp };
  struct Place {
    PlaceKind kind;
    std::int64_t where;  // index; of temp: offset in bytes
  };
  struct Step {
    KernelRef kernel;
    std::int32_t first;  // operands, then results, in operands_
    std::int32_t operand_count;
    std::int32_t result_count;
  };
  struct Copy {  // a result that is an argument, a constant, or another result
    std::int32_t value;
    std::int32_t result;
    std::int64_t size_bytes;
  };

  Avals argument_avals_;
  Avals result_avals_;
  std::vector<Place> places_;  // of each value
  std::vector<Step> steps_;
  std::vector<std::int32_t> operands_;
  std::vector<Copy> copies_;
  std::vector<std::shared_ptr<const void>> constants_;
  std::int64_t arena_bytes_ = 0;
  std::size_t most_pointers_ = 0;  // operands and results of a step
};
using ProgramRef = std::shared_ptr<const Program>;

/// Runs `program` and gives its results in new arrays.
/// Throws TypeError or ShapeError when the arguments are not what the program takes.
std::vector<Tensor> run(const Program& program, std::span<const Tensor> arguments);

}  // namespace tenon::evaluator
