// An optimized module as the backend runs it: steps in order, and where every array lives.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/gemm_step.h"
#include "backends/cpu/graph.h"
#include "dialect/sort_key.h"
#include "math/fft_array.h"
#include "runtime/scratch.h"
#include "tenon/aval.h"
#include "tenon/detail/host_callee.h"

namespace tenon {
class Module;
}

namespace tenon::cpu {

struct Place {
  enum Kind : uint8_t { argument, output, temp, constant, block } kind = argument;
  int64_t index = 0;
  int64_t offset_bytes = 0;  // temp, block
  int64_t row_bytes = 0;     // block: rows of a stream, of which a few exist at a time
};

/// Memory of a constant, aligned.
struct Constant {
  runtime::Allocation copy;
  std::shared_ptr<const void> captured;  // memory of the user's array, held; null: it is in `copy`
  void* data() const { return captured ? const_cast<void*>(captured.get()) : copy.data(); }
};

using runtime::aligned;

/// What a scatter does with an element and its update, a scan with a total and the next element.
enum class CombineOp : uint8_t {
  assign,
  add,
  subtract,
  multiply,
  maximum,
  minimum,
  logical_and,
  logical_or,
  general  // a graph of the program
};

/// Arrays seen as outer x length x inner: a line for each pair of outer and inner index.
struct LineView {
  int64_t outer = 1, length = 1, inner = 1;
};

/// Running totals of one array (math/scan_order.h). Buffers: input, init, result.
struct ScanStep {
  DType type{DType::kFloat32};
  LineView lines;
  bool reverse = false;
  CombineOp op = CombineOp::general;
  int body = -1;
};

/// Several arrays reordered along lines; stable. Buffers: inputs, then results.
struct SortStep {
  std::vector<int> itemsizes;
  LineView lines;
  std::vector<SortKey> keys;
  int comparator = -1;  // a graph, when the order is not one of keys
};

/// Buffers: inputs, indices, updates, results.
struct ScatterStep {
  std::vector<DType> types;  // of each input
  DType index_type{DType::kInt32};
  Dims shape;            // of the inputs
  Dims vectors;          // the indices' shape without the dimension of the vectors
  Dims vector_strides;   // in the indices, for each dimension of `vectors`
  Dims update_strides;   // in the updates, the same
  Dims batch_strides;    // in the inputs, the same: batching dimensions
  int64_t entry_stride = 1;  // between the entries of a vector
  Dims entry_dims;       // dimension of the inputs for each entry
  Dims extents;          // of a window along each dimension of the inputs
  Dims window, window_strides, window_update_strides;  // windows: sizes, strides in inputs and updates
  CombineOp op = CombineOp::general;
  int body = -1;
};

/// A block of an array replaced, at a place known when it runs. Buffers: array, update, starts, result.
struct UpdateStep {
  int itemsize = 4;
  Dims shape, update;
  DType index_type{DType::kInt32};
};

/// Lines of the last axes transformed. Buffers: operand, result.
struct FftStep {
  std::shared_ptr<const math::ArrayTransform> transform;
};

/// A function of the host. Buffers: operands, then results.
struct HostStep {
  detail::HostCalleeRef callee;
};

/// A block of the program again and again, as long as another one says so.
struct LoopStep {
  int condition = -1, body = -1;  // blocks
  Place decision;                 // what the condition gives: a bool
  /// What the loop begins with is copied to where it goes on, unless it is there.
  struct Carried {
    Place from, to;
    int64_t bytes;
  };
  std::vector<Carried> carried;
};

/// One of several blocks. Buffers: the index (int32; out of range: the last one) or the predicate.
struct BranchStep {
  std::vector<int> blocks;
  bool is_predicate = false;  // a bool: the first block when it is true
};

/// Products and kernels that hand on rows to each other: done for a block of rows after the other.
struct StreamStep {
  int body = -1;                         // a block of the program, of gemms and kernels
  int64_t batches = 1, rows = 0;         // of a batch
  int64_t block_rows = 0, block_bytes = 0;  // at once, and the memory that this takes

  int64_t blocks_in_batch() const { return (rows + block_rows - 1) / block_rows; }
};

struct Step {
  enum Kind : uint8_t { kernel, gemm, copy, scan, sort, scatter, update, loop, branch, fft, host, stream } kind = kernel;
  std::string name;
  std::vector<Place> buffers;  // operands, then results
  size_t operand_count = 0;
  int graph = -1;              // kernel
  GemmStep gemm_step;
  int64_t copy_bytes = 0;
  ScanStep scan_step;
  SortStep sort_step;
  ScatterStep scatter_step;
  UpdateStep update_step;
  LoopStep loop_step;
  BranchStep branch_step;
  FftStep fft_step;
  HostStep host_step;
  StreamStep stream_step;
  int64_t bytes = 0;  // of operands and results, for traces and estimates
  int64_t launch = -1;  // its number in traces (dialect/launches.h)
};

struct Program {
  std::string name;
  Avals arguments, results;
  std::vector<Place> result_places;  // output, or the argument that was donated
  int64_t temp_bytes = 0;
  std::vector<Step> steps;
  std::vector<std::vector<Step>> blocks;  // of loops, branches and streams
  std::vector<Graph> graphs;
  std::vector<Constant> constants;
  bool has_effects = false;  // it does more than to compute results
};

/// Reads the output of the passes. Throws CompileError for what the passes should not have left,
/// UnimplementedError for operations that the backend lacks.
Program read_program(const Module& module);

}  // namespace tenon::cpu
