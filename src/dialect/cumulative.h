// Windowed reductions that are running totals.
#pragma once

#include <cstdint>
#include <optional>

#include "dialect/stablehlo.h"

namespace tenon {

struct Cumulative {
  std::int64_t axis;  // -1: windows of one element
  bool reverse;
};

/// What `op` accumulates along when each of its windows begins at the edge of one axis and ends at the
/// result's element (or, reversed, begins there and ends at the edge); nothing for other windows.
std::optional<Cumulative> cumulative(stablehlo::ReduceWindowOp op);

}  // namespace tenon
