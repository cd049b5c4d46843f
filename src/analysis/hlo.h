// A program in XLA's terms: computations of instructions. Module in (`to_hlo`), and out of it both the text
// and the cost analysis, so that what is counted is what is printed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tenon {
class Module;
}  // namespace tenon

namespace tenon::analysis {

/// An array shape with its layout, or a tuple of shapes.
struct HloShape {
  std::string element;  ///< "f32"; empty for a tuple
  int64_t element_bytes = 0;
  std::vector<int64_t> dims;
  std::vector<int64_t> minor_to_major;
  std::vector<HloShape> tuple;

  bool is_tuple() const { return element.empty(); }
  /// Elements of an array; the sum over its leaves for a tuple.
  int64_t elements() const;
  /// Bytes of the elements; a tuple counts its leaves.
  int64_t size_bytes() const;
  /// "f32[2,3]{1,0}", without the braces when `layout` is false.
  std::string str(bool layout = true) const;
};

/// What HloCostAnalysis counts for an instruction.
enum class HloCost {
  free,            ///< nothing is moved: parameter, constant, bitcast, get-tuple-element
  move,            ///< operands and result are moved, nothing is computed
  elementwise,     ///< one flop an element
  transcendental,  ///< one transcendental an element
  reduce,          ///< (elements in - elements out) times the cost of the combiner
  dot,             ///< 2 * result elements * contracted elements
  fft,             ///< 8 * elements in * the product of log2 of the lengths, each rounded down
  sort,            ///< elements times their logarithm, rounded up
  slice,           ///< reads as much as it writes
  gather,          ///< reads as much as it writes, and the indices
  update,          ///< moves only the updated part
  call,            ///< the cost of the called computation
  control,         ///< of each number the largest among its branches; of a loop, one round
  fusion,          ///< flops of the called computation; its parameters and result are moved
  tuple,           ///< a table of pointers
};

struct HloInstruction {
  std::string name;  ///< without the percent sign
  std::string opcode;
  HloShape shape;
  std::vector<int> operands;            ///< positions in the same computation
  std::string literal;                  ///< of a constant: the text in parentheses
  int parameter_number = -1;            ///< of a parameter
  std::vector<std::string> attributes;  ///< "dimensions={1}", in XLA's order
  std::string calls_keyword;            ///< "to_apply" or "calls"
  int computation = -1;                 ///< the called computation
  std::vector<int> branches;            ///< computations of a conditional, or condition and body of a while
  int launch = -1;                      ///< its number among what an optimized program starts (dialect/launches.h)

  std::string op_name;
  std::string source_file;
  int source_line = 0;

  HloCost cost = HloCost::move;
  int64_t contracted_elements = 0;  ///< of a dot
  int64_t log_lengths = 0;          ///< of an fft: the product of the logarithms
};

struct HloComputation {
  std::string name;
  std::vector<HloInstruction> instructions;  ///< operands first; the last one is the root
};

struct HloModule {
  std::string name;
  bool is_scheduled = false;
  std::vector<HloComputation> computations;  ///< callees first; the last one is the entry
  /// Donated arguments: result `output` lives in argument `parameter`.
  struct Alias {
    int output, parameter;
  };
  std::vector<Alias> aliases;
};

/// Translates a module, optimized (`tenon.fusion` becomes `fusion`) or not.
HloModule to_hlo(const Module& module);

/// Name of an MLIR element type's HLO counterpart is in `HloShape::element`; its text here is what XLA parses.
std::string print(const HloModule& module, bool metadata);

}  // namespace tenon::analysis
