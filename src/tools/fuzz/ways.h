// The ways to run one program that must all give the same bits.
#pragma once

#include <string>
#include <vector>

#include "tools/fuzz/program.h"

namespace tenon::fuzz {

struct Way {
  std::string name;
  std::function<Arrays(const Program&, const Arrays&)> run;
};
std::vector<Way> all_ways();

/// Runs the program by the first way and by the others. Empty when all agree; else the way that
/// differs and where. NaN equals NaN. An exception is a difference as well.
std::string first_difference(const Program& program, const std::vector<Way>& ways);

/// A smaller program with the same fault.
Program shrink(Program program, const std::vector<Way>& ways);

}  // namespace tenon::fuzz
