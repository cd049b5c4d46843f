// The subscripts of an einsum: text and operands in, a label for each axis out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/array.h"

namespace tenon::detail {

struct EinsumLabels {
  std::vector<std::string> inputs;  // a letter for each axis, also for those of an ellipsis
  std::string output;
};
/// Throws ValueError for subscripts that do not fit the operands.
EinsumLabels parse_subscripts(std::string_view subscripts, const Arrays& operands);

/// The size of each label's axis. An axis of size 1 takes part in any size. Throws ShapeError for sizes that differ.
std::map<char, int64_t> sizes_of(std::string_view subscripts, const std::vector<std::string>& inputs, const Arrays& operands);

inline bool has_label(std::string_view labels, char label) { return labels.find(label) != std::string_view::npos; }
inline size_t occurrences(std::string_view labels, char label) {
  size_t count = 0;
  for (char c : labels) count += c == label;
  return count;
}

}  // namespace tenon::detail
