// Module in, flops and bytes out, by the conventions of XLA's HloCostAnalysis.
#pragma once

#include <map>
#include <string>

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

}  // namespace tenon::analysis
