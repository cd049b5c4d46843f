// A module and arrays in, arrays out: by the evaluator or compiled, with passes or without.
#pragma once

#include <optional>
#include <string>

#include "dialect/module.h"
#include "evaluator/program.h"
#include "tenon/array.h"
#include "tenon/backend.h"

namespace tenon {

struct RunOptions {
  bool compiled = true;        ///< else evaluated
  bool optimized = true;       ///< else, evaluated: as it stands; compiled: without those passes that can be left out
  std::string function;        ///< where it begins; empty: Module::entry_name()
  std::string disable_passes;  ///< when optimized: PipelineOptions::disable_passes
  double temp_part = 1;        ///< of the temporaries it would have, the part that must do, if it can
  bool saved = false;          ///< compiled, written as for the persistent cache, and read back
};

/// A module made ready to run, once or often.
class RunnableModule {
 public:
  RunnableModule(const Module& module, const RunOptions& options);

  const Avals& argument_avals() const;
  /// Whether the evaluator's results have the bits of compiled ones; true of compiled ones.
  bool has_compiled_bits() const;
  /// What cost_analysis and memory_analysis say, "bytes accessed = 12" for each number, and behind an empty line the
  /// optimized program as HLO text. Throws ValueError when it is not compiled.
  std::string describe() const;
  /// Waits for the results. A check of the module that does not hold throws ValueError.
  /// Throws TypeError and ShapeError when `inputs` are not what the function takes.
  Arrays run(const Arrays& inputs) const;

 private:
  std::optional<Module> optimized_;
  evaluator::ProgramRef program_;  // evaluated
  ExecutableRef executable_;       // or compiled
};

}  // namespace tenon
