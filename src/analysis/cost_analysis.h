// Module in, flops and bytes out, by the conventions of XLA's HloCostAnalysis.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tenon {
class Module;
}  // namespace tenon

namespace tenon::analysis {

/// "flops", "transcendentals", "bytes accessed", and per operand k "bytes accessed<k>{}" and "utilization<k>{}",
/// for the result "bytes accessedout{}". What is zero has no key.
using CostMap = std::map<std::string, double>;

/// Sums over the entry computation. A fusion counts the flops of what is inside and moves only its parameters
/// and its result.
CostMap cost_analysis(const Module& module);

/// What an optimized program starts costs each time, counted as by `cost_analysis`.
struct KernelCost {
  std::string name, opcode;  ///< as in the HLO text
  int launch = -1;           ///< its number in traces (dialect/launches.h)
  int depth = 0;             ///< inside of so many loops and branches
  int branch = 0;            ///< which one of its loop's (condition, body) or conditional's computations it stands in
  double flops = 0, transcendentals = 0, bytes = 0;  ///< of a loop: one round; of a conditional: the largest numbers of its branches
  double wide_flops = 0, wide_transcendentals = 0;   ///< those of them on numbers of 64 bits
  std::string op_name, source;                       ///< "jit(f)/scope/sin", "file.cpp:12"; empty where not known
};
/// All of a program: what stands in a loop or a conditional comes behind it.
struct KernelCosts {
  std::vector<KernelCost> kernels;
  double other_bytes = 0;  ///< of the entry, counted for what is not started: the table of several results
};
KernelCosts kernel_costs(const Module& module);

}  // namespace tenon::analysis
