// A kernel's function as data: the values of one fusion in order. No MLIR, so the emitter does not
// depend on how a fusion is spelled; read_fusion.h makes it. There are no complex numbers in it:
// their parts are nodes of their own, and every other element of a buffer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/cpu/gemm_step.h"
#include "tenon/dtype.h"

namespace tenon::math {
struct ComplexFunction;  // complex.h
}

namespace tenon::cpu {

struct ScalarCode;  // a row of scalar_table.h

enum Comparison : int { kEq, kNe, kGe, kGt, kLe, kLt };

/// What an elementwise operation is told beside its operands.
struct ScalarFacts {
  int comparison = 0;                        // compare
  bool is_total_order = false;               // compare: -NaN < -inf < ... < -0 < +0 < ... < NaN
  int exponent_bits = 0, mantissa_bits = 0;  // reduce_precision
};

using Dims = std::vector<int64_t>;

enum class NodeKind : uint8_t {
  parameter,             // number: which; strides: of its buffer, in elements
  constant,              // data: one element (a splat) or all, in memory format
  iota,                  // axis
  elementwise,           // scalar
  call,                  // function, of complex numbers: parts of the operands; the real part
  index_map,             // map: from the result's index to the operand's
  concatenate,           // axis
  pad,                   // operand, padding value; low, interior
  gather,                // operand, start indices; see GatherDims
  dynamic_slice,         // operand, starts
  dynamic_update_slice,  // operand, update, starts
  reduce,                // inputs, then inits; dims, combiner; this node is its first result
  result,                // a further result of operand 0; number
  loop,                  // what body carries, as long as condition holds; see below
};

/// A map from indices to an index: one postfix program for each result dimension.
struct IndexStep {
  enum Kind : uint8_t { dimension, constant, add, multiply, floor_divide, remainder } kind;
  int64_t value = 0;  // dimension, constant
};
using IndexMap = std::vector<std::vector<IndexStep>>;

struct GatherDims {
  Dims offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims,
      start_index_map, slice_sizes;
  int64_t index_vector_dim = 0;
};

struct Graph;

/// How a reduction combines.
enum class Combiner : uint8_t {
  add,
  multiply,
  maximum,
  minimum,
  logical_and,
  logical_or,
  arg_maximum,
  arg_minimum,
  general
};

/// A line of the user's program.
struct SourceLine {
  std::string file;
  int line = 0;
};

struct Node {
  NodeKind kind;
  DType dtype{DType::kFloat32};
  Dims shape;
  std::vector<int> operands;  // earlier nodes
  int number = 0;
  int64_t axis = 0;
  Dims strides;                 // parameter
  int64_t offset = 0;           // parameter: of its first element
  std::vector<std::byte> data;  // constant
  const ScalarCode* scalar = nullptr;
  ScalarFacts facts;   // elementwise
  const math::ComplexFunction* function = nullptr;  // call
  IndexMap map;
  Dims low, interior;  // pad
  std::shared_ptr<const GatherDims> gather;
  Dims dims;  // reduce; loop: which parameter of the body each operand is
  Combiner combiner = Combiner::general;
  std::shared_ptr<const Graph> body;  // reduce: parameters are accumulators, then elements
  std::shared_ptr<const Graph> condition;  // loop; this node is the last value of operand 0
  std::shared_ptr<const SourceLine> source;  // null where nobody asks (kernel_tools.h) or knows
};

/// A product that the runtime's GEMM makes before the kernel runs, in scratch memory.
struct Product {
  GemmStep gemm;
  int lhs = 0, rhs = 0;  // numbers of parameters
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;         // operands before users
  std::vector<int> roots;             // one for each result, two for a complex one
  std::vector<int> root_results;      // which result it is, or is a part of
  std::vector<Dims> root_strides;     // of the results' buffers, in elements
  std::vector<int64_t> root_offsets;  // of the first element
  int parameters = 0, results = 0;    // of the fusion
  std::optional<Product> product;     // its parameter node has the number after the results'
  int64_t rows = 0;  // units of work are rows of the result, or parts of one; 0: whatever is best

  /// Buffers of a call: parameters, results, the product, partial results of the kernel's chunks.
  int chunk_slot() const { return parameters + results + (product ? 1 : 0); }
};

inline int64_t element_count(const Dims& shape) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}
/// Row-major strides, in elements.
Dims dense_strides(const Dims& shape);
/// The value as text, for dumps and error messages: "add f32[2,3] %1, %2".
std::string str(const Graph& graph);

}  // namespace tenon::cpu
