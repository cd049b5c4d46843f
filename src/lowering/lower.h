// Jaxpr in, Module out.
#pragma once

#include <string>
#include <vector>

#include "dialect/module.h"
#include "tenon/jaxpr.h"

namespace tenon {

struct LoweringOptions {
  std::string name;                    // of the program, without "jit_"
  std::vector<std::string> arg_names;  // one per input; they name locations
};

/// Lowers a jaxpr to a module with a public function `main` and a private one for each jaxpr that
/// it calls.
///
/// Each equation becomes what its primitive's lowering rule creates, in order; nothing is
/// optimized. Throws UnimplementedError when a primitive has no lowering rule.
Module lower_jaxpr(const Jaxpr& jaxpr, const LoweringOptions& options);

}  // namespace tenon
