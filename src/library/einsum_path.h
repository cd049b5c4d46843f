// Which operands of an einsum are contracted first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tenon::detail {

using Labels = std::set<char>;

/// What is contracted together, one step after the other, as positions in the list of what is left: the operands of
/// a step leave the list, their product joins its end. One or two operands: all at once; more: in pairs.
///
///   inputs   the labels of each operand
///   output   those of the result
///   sizes    of each label's axis
std::vector<std::vector<size_t>> contraction_path(const std::vector<Labels>& inputs, const Labels& output,
                                                  const std::map<char, int64_t>& sizes);

}  // namespace tenon::detail
