// Builds a Program step by step, and plans its memory.
#pragma once

#include "evaluator/program.h"

namespace tenon::evaluator {

/// Names of values are small integers, in order of creation.
class ProgramBuilder {
 public:
  int argument(const Aval& aval);
  int constant(const Aval& aval, std::shared_ptr<const void> data);
  /// Appends a kernel; gives the name of its first result, the others follow.
  int step(KernelRef kernel, const std::vector<int>& operands, const Avals& results);

  const Aval& aval(int value) const { return avals_[value]; }
  /// The program that gives `results`, as arrays of `avals` (as many bytes; the shape may differ).
  ProgramRef finish(const std::vector<int>& results, const Avals& avals);

 private:
  int add_value(const Aval& aval, Program::Place place);

  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  Avals avals_;
};

}  // namespace tenon::evaluator
