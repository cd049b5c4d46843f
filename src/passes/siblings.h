// Kernels that do not need each other and reduce the same rows or columns of one array: together they
// read it once.
#pragma once

#include <vector>

#include "passes/fusion_rules.h"

namespace tenon::passes {

/// Numbers of `groups` that become one kernel each, those alone included; in the order of `groups`,
/// which is last root first.
std::vector<std::vector<int>> find_siblings(llvm::ArrayRef<FusionGroup> groups);

}  // namespace tenon::passes
