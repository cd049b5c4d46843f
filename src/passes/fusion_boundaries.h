// What stays between kernels of an optimized module, why, and what it costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mlir {
class Operation;
}
namespace tenon {
class Module;
}

namespace tenon::passes {

/// The rule of what kernels meet at barriers.
inline constexpr const char* kBarrierRule = "an optimization barrier stands between, of lax::optimization_barrier or of checkpoint";

/// Notes on a kernel, or on what takes its place, the rule by which it does not hold what makes its operand.
/// Under PipelineOptions::explain only.
void refuse_operand(mlir::Operation* consumer, unsigned operand, const char* rule);

struct FusionBoundary {
  std::string producer, consumer;                ///< HLO opcodes
  std::string producer_kernel, consumer_kernel;  ///< names of their kernels; the opcode again where there is none
  std::string rule;                              ///< why they are two kernels
  int64_t bytes = 0;                             ///< written and read because of it; of what several read: read again
  std::string producer_source, consumer_source;  ///< "file:line" of the user's program, when known
};

/// In the order of the schedule. `module` was optimized with PipelineOptions::explain.
std::vector<FusionBoundary> fusion_boundaries(const Module& module);

}  // namespace tenon::passes
