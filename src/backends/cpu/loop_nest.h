// Which loops run over a kernel's results, and which of them becomes vectors.
//
// Every access that the results cause, inside reductions too, is looked at as an expression in
// the result's dimensions. Dimensions that a reshape takes apart are split; neighbours that every
// access walks as if they were one become one. So a contiguous elementwise kernel of any rank is
// one loop.
#pragma once

#include <set>
#include <vector>

#include "backends/cpu/demand_graph.h"

namespace tenon::cpu {

struct LoopNest {
  Dims extents;     // of the loops, outermost first
  int vector = -1;  // which one is a vector loop; -1: none
  int tile =
      -1;  // loop that makes square tiles with it, for operands that are transposed; -1: none
  int tiled_accesses = 0;
  double cost = 0;        // instructions of one result element, its part of reductions included
  int64_t body_cost = 0;  // of the code that is not inside a reduction's loop
  bool has_reduction = false;
  bool has_column_reduction = false, has_row_reduction = false;
  std::set<int> row_loops;  // that row reductions depend on
  /// Loops inside the vector loop are straight code: each vector holds an element of several short rows.
  bool has_short_rows = false;

  /// The results' index from one expression for each loop.
  Indices result_index(IndexSpace& space, const Indices& loops) const;

  // Atoms: pieces of the result's dimensions, in order; consecutive ones form a loop.
  Dims atoms;
  std::vector<int> atom_dimension, atom_loop;
  int rank = 0;
};

/// For `roots` (of the same shape) of `graph`, with vectors of `lanes`.
LoopNest plan_loops(const Graph& graph, const std::vector<int>& roots, int lanes);

}  // namespace tenon::cpu
