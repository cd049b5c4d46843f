// Which elements of which values a kernel needs: a demand is a node at an index (an expression in
// loop variables), perhaps only where a predicate holds. From a demand follow the demands on its
// operands. Nothing is emitted here; the loop planner and the emitter both walk this graph.
#pragma once

#include <map>
#include <vector>

#include "backends/cpu/graph.h"
#include "backends/cpu/index_space.h"

namespace tenon::cpu {

/// low <= index < high, and the parent's condition.
struct Predicate {
  int parent;
  Index index;
  int64_t low, high;
  bool operator<(const Predicate& o) const {
    return std::tie(parent, low, high, index) < std::tie(o.parent, o.low, o.high, o.index);
  }
};
inline constexpr int kAlways = 0;
inline constexpr int kNever = -1;

struct Demand {
  int node;
  int predicate;
  Indices at;
  bool operator<(const Demand& o) const {
    if (node != o.node) return node < o.node;
    if (predicate != o.predicate) return predicate < o.predicate;
    return std::lexicographical_compare(at.begin(), at.end(), o.at.begin(), o.at.end());
  }
};

class DemandGraph {
 public:
  DemandGraph(const Graph& graph, IndexSpace& space) : graph_(graph), space_(space) {
    predicates_.push_back({kAlways, Index(0), 0, 1});
  }

  /// The number of this demand; the same demand has the same number.
  int demand(int node, Indices at, int predicate = kAlways);
  const Demand& operator[](int id) const { return demands_[id]; }
  const Node& node(int id) const { return graph_.nodes[demands_[id].node]; }
  int size() const { return static_cast<int>(demands_.size()); }

  /// What must be there before demand `id`, in order. Reductions: their inits only.
  /// Gathers: start indices, then the element. Pad: padding, then the operand where it can be seen.
  const llvm::SmallVector<int, 4>& operands(int id);
  /// What `ids` need, themselves included, nearest first; not what is inside of reductions.
  std::vector<int> below(std::vector<int> ids);
  /// Element of input `input` of the reduction `id` at `reduced` (one index for each reduced
  /// dimension).
  int reduction_input(int id, int input, const Indices& reduced);

  /// Where, and low <= index < high. kAlways or kNever when the ranges decide.
  int both(int where, const Index& index, int64_t low, int64_t high);
  const Predicate& predicate(int id) const { return predicates_[id]; }

  /// Offset in elements of a parameter or constant's element.
  Index offset(int id);

  /// Offset in elements of element `at` of root number `root`, in its result.
  Index root_offset(int root, const Indices& at);

  /// `id` with `variable` replaced by `by`.
  int substitute(int id, int variable, const Index& by);
  Index substitute(const Index& index, int variable, const Index& by);

  IndexSpace& space() { return space_; }
  const Graph& graph() const { return graph_; }

 private:
  void add_operands(int id, llvm::SmallVector<int, 4>& out);
  void gather_operands(const Demand& d, const Node& n, llvm::SmallVector<int, 4>& out);
  int substitute_predicate(int predicate, int variable, const Index& by);

  const Graph& graph_;
  IndexSpace& space_;
  std::vector<Demand> demands_;
  std::map<Demand, int> numbers_;
  std::vector<std::optional<llvm::SmallVector<int, 4>>> operands_;
  std::vector<Predicate> predicates_;
  std::map<Predicate, int> predicate_numbers_;
};

}  // namespace tenon::cpu
