// An optimized module in, its memory out: as numbers, and as the texts that XLA's dumps have.
#pragma once

#include <string>

#include "tenon/backend.h"

namespace tenon::analysis {

/// Sizes from the buffer assignment. The code size is the executable's and not known here.
MemoryAnalysis memory_analysis(const Module& module);

/// One paragraph for each allocation: arguments, results, constants, the arena, with the values that live there.
std::string buffer_assignment_text(const Module& module);

/// Allocations by size, with their share of the total.
std::string memory_usage_report(const Module& module);

}  // namespace tenon::analysis
