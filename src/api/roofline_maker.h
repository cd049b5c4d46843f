// What the kernels of an optimized module could take at least on this machine.
#pragma once

#include "dialect/module.h"
#include "tenon/roofline.h"

namespace tenon::detail {

/// In the order of analysis::kernel_costs().
RooflineReport predicted_roofline(const Module& module);

}  // namespace tenon::detail
