// A module and arrays in, arrays out: by the evaluator or compiled, with passes or without.
#pragma once

#include <string>

#include "dialect/module.h"
#include "tenon/array.h"

namespace tenon {

struct RunOptions {
  bool compiled = true;        ///< else evaluated
  bool optimized = true;       ///< else, evaluated: as it stands; compiled: without those passes that can be left out
  std::string function;        ///< where it begins; empty: Module::entry_name()
  std::string disable_passes;  ///< when optimized: PipelineOptions::disable_passes
};

/// Waits for the results. A check of the module that does not hold throws ValueError.
/// Throws TypeError and ShapeError when `inputs` are not what the function takes.
Arrays run_module(const Module& module, const Arrays& inputs, const RunOptions& options);

}  // namespace tenon
