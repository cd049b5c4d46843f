// A reduction's operand seen as runs (math/reduction_order.h), and back to its own dimensions.
#pragma once

#include "backends/cpu/demand_graph.h"
#include "math/reduction_order.h"

namespace tenon::cpu {

struct ReductionView {
  math::ReductionOrder order;
  Dims run_dims, runs_dims;  // reduced dimensions, minor first

  ReductionView(const Graph& graph, const Node& reduce);
  /// Indices along the reduced dimensions of element `run` of run number `runs`.
  Indices indices(IndexSpace& space, Index run, Index runs) const;

 private:
  const Dims& dims_;   // of the reduction, in its order
  const Dims& shape_;  // of its inputs
};

}  // namespace tenon::cpu
