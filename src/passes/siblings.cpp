#include "passes/siblings.h"

#include <numeric>

#include "dialect/tenon_ops.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/blocks.h"
#include "passes/depends.h"

namespace tenon::passes {

using mlir::Operation;
using mlir::Value;

// Of kernels that read the same array so many are asked, the nearest ones first: programs with many stay linear.
constexpr size_t kMaxTries = 16;

namespace {

class Siblings {
 public:
  explicit Siblings(llvm::ArrayRef<FusionGroup> groups) : groups_(groups), cluster_(groups.size()) {
    std::iota(cluster_.begin(), cluster_.end(), 0);
    for (auto [k, group] : llvm::enumerate(groups)) {
      of_root_[group.root] = static_cast<int>(k);
      for (Operation* shared : group.shared) of_root_[shared] = static_cast<int>(k);
      clusters_.push_back({static_cast<int>(k)});
    }
  }

  std::vector<std::vector<int>> find() {
    llvm::DenseMap<Value, std::vector<int>> readers;  // of an array that is reduced: first of their cluster
    for (int k = 0; k < static_cast<int>(groups_.size()); ++k) {
      if (!reduces_only(groups_[k])) continue;
      for (Value operand : groups_[k].operands) {
        if (cluster_[k] != k || elements_of(operand) != reduced_elements(groups_[k])) continue;
        std::vector<int>& others = readers[operand];
        size_t tries = 0;
        for (auto other = others.rbegin(); other != others.rend() && cluster_[k] == k && tries < kMaxTries; ++other, ++tries) {
          if (*other != k && may_join(*other, k)) join(*other, k);
        }
        if (cluster_[k] == k) others.push_back(k);
      }
    }
    llvm::erase_if(clusters_, [](const std::vector<int>& cluster) { return cluster.empty(); });
    return std::move(clusters_);
  }

 private:
  static Value input_of(Operation* reduction) {
    return mlir::cast<ReductionOpInterface>(reduction).reductionInputs()[0];
  }
  static int64_t reduced_elements(const FusionGroup& group) { return elements_of(input_of(group.reduction)); }

  /// The result has one element for each row or column.
  static bool reduces_only(const FusionGroup& group) {
    if (!group.reduction || group.dot || !group.shared.empty() || !reads_rows_from_cache(group.reduction)) return false;
    const int64_t results = elements_of(group.root->getResult(0));
    if (reduces_by_threads(group.reduction)) return false;
    return results == elements_of(group.reduction->getResult(0)) && results < reduced_elements(group);
  }

  bool may_join(int first, int k) {
    const FusionGroup &a = groups_[first], &b = groups_[k];
    if (!reduce_alike(a.reduction, b.reduction) || shape_of(a.root->getResult(0)) != shape_of(b.root->getResult(0))) return false;
    int weight = b.weight, operands = static_cast<int>(b.operands.size());
    for (int member : clusters_[first]) {
      weight += groups_[member].weight;
      operands += static_cast<int>(groups_[member].operands.size());
    }
    return fits_one_kernel(weight, operands) && !needs(first, k) && !needs(k, first);
  }

  /// Whether a kernel of cluster `from` reads what depends on one of cluster `on`; true when it takes long to see.
  bool needs(int from, int on) {
    auto cluster_of = [&](Operation* op) {
      auto root = of_root_.find(op);
      return root == of_root_.end() ? -1 : cluster_[root->second];
    };
    auto reads = [&](Operation* op) {
      const int cluster = cluster_of(op);
      if (cluster >= 0) return operands_of(cluster);
      const auto read = values_read(op);
      return std::vector<Value>(read.begin(), read.end());
    };
    return depend_on(operands_of(from), groups_[from].root->getBlock(), [&](Operation* op) { return cluster_of(op) == on; }, reads);
  }
  std::vector<Value> operands_of(int cluster) const {
    std::vector<Value> operands;
    for (int member : clusters_[cluster]) llvm::append_range(operands, groups_[member].operands);
    return operands;
  }

  void join(int first, int k) {
    for (int member : clusters_[k]) {
      cluster_[member] = first;
      clusters_[first].push_back(member);
    }
    clusters_[k].clear();
  }

  llvm::ArrayRef<FusionGroup> groups_;
  llvm::DenseMap<Operation*, int> of_root_;
  std::vector<int> cluster_;                 // of a group: the number of its first member
  std::vector<std::vector<int>> clusters_;  // members
};

}  // namespace

std::vector<std::vector<int>> find_siblings(llvm::ArrayRef<FusionGroup> groups) { return Siblings(groups).find(); }

}  // namespace tenon::passes
