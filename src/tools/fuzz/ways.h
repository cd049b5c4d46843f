// The ways to run one program that must all give the same bits.
#pragma once

#include <string>
#include <vector>

#include "tools/fuzz/program.h"

namespace tenon::fuzz {

/// What one run gave, and under which circumstances.
struct Outcome {
  std::string how;
  Arrays results;
};
struct Way {
  std::string name;
  std::function<std::vector<Outcome>(const Program&, const Arrays&)> run;
};
/// What the others are held to: the evaluator, with the program as the user wrote it.
Way truth();
/// jit with 1, 2 and 8 threads; eager; without fusion; for other instruction sets; the evaluator after the passes.
std::vector<Way> all_ways();
/// jit without each of the passes that can be left out.
std::vector<Way> ways_without_a_pass();

/// Runs the program as the truth and by the ways. Empty when all agree; else the way that
/// differs and where. NaN equals NaN. An exception is a difference as well.
std::string first_difference(const Program& program, const std::vector<Way>& ways);

/// A smaller program with the same fault.
Program shrink(Program program, const std::vector<Way>& ways);

}  // namespace tenon::fuzz
