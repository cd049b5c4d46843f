// The end of a row that a mask hides. In `select(j <= i, x, c)` the columns behind i are c, and what is computed
// from them along the row is one value for all: softmax under a causal mask takes half the time so.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "backends/cpu/emitter.h"

namespace tenon::cpu {

class MaskedTail {
 public:
  /// What `ids` need at loop variable `probe`, which is not open: where all selects by a comparison of indices are
  /// an operand that is the same for the whole row.
  static std::optional<MaskedTail> find(Emitter& e, const std::vector<int>& ids, int probe);

  /// Where it begins: a multiple of `step` in 0 .. `end`, at the innermost scope.
  llvm::Value* begin(Emitter& e, int64_t step, int64_t end) const;
  /// From now on the selects at `index` are what they are in the tail.
  void apply(Emitter& e, const Index& index);
  /// Whether demand `id`, at an index that it was applied to, is one value for all elements of `variable`.
  bool is_uniform(Emitter& e, int id, int variable) const;

 private:
  int probe_ = -1;
  std::vector<std::pair<int, int>> selects_;  // and the operand
  std::vector<Index> begins_;                 // of each
  std::set<int> applied_;
};

}  // namespace tenon::cpu
