// Jaxpr in, Module out.
#pragma once

#include <string>
#include <vector>

#include "dialect/module.h"
#include "tenon/jaxpr.h"

namespace tenon {

struct LoweringOptions {
  std::string name;                            // of the program, without "jit_"
  std::vector<std::string> arg_names = {};     // one per input; they name locations
  std::vector<std::string> result_names = {};  // one per result; else "result", or "result[0]", "result[1]", ...
  std::vector<Layout> arg_layouts = {}, result_layouts = {};  // one per input or result, or none
};

/// Lowers a jaxpr to a module with a public function `main` and a private one for each jaxpr that
/// it calls.
///
/// Each live equation becomes what its primitive's lowering rule creates, in order; nothing is
/// optimized. `main` has all inputs, used or not.
/// Throws UnimplementedError when a primitive has no lowering rule.
Module lower_jaxpr(const Jaxpr& jaxpr, const LoweringOptions& options);

/// The same, where `main` has only the inputs that are used. `kept[i]`: input i is one of them.
Module lower_jaxpr(const Jaxpr& jaxpr, const LoweringOptions& options, std::vector<bool>& kept);

}  // namespace tenon
