#include "backends/cpu/loop_nest.h"

#include <algorithm>
#include <set>

#include "backends/cpu/reduction_view.h"
#include "backends/cpu/scalar_table.h"

namespace tenon::cpu {

Indices LoopNest::result_index(IndexSpace& space, const Indices& loops) const {
  Indices atom_index(atoms.size());
  Indices rest = loops;
  for (size_t k = atoms.size(); k-- > 0;) {
    const bool is_first = k == 0 || atom_loop[k - 1] != atom_loop[k];
    Index& flat = rest[atom_loop[k]];
    atom_index[k] = is_first ? flat : space.remainder(flat, atoms[k]);
    if (!is_first) flat = space.quotient(flat, atoms[k]);
  }
  Indices at(rank, Index(0));
  for (size_t k = 0; k < atoms.size(); ++k) {
    Index& index = at[atom_dimension[k]];
    index = space.add(space.multiply(index, atoms[k]), atom_index[k]);
  }
  return at;
}

static constexpr int64_t kCallCost = 400;  // of a function of a complex number, for each vector
static constexpr int64_t kWorthDoingOnce = 8;  // instructions inside of a short row
static constexpr int64_t kMaxShortColumns = 4;  // their accumulators stay in registers

namespace {

struct Access {
  Index index;
  double weight;  // how often, against once for each result
  bool is_store;
  int row = -1;  // the loop of the row reduction that it is inside of; -1: none
};

/// What the kernel touches, as expressions in one variable for each atom.
struct Survey {
  IndexSpace space;
  std::vector<int> variables;  // of the atoms
  std::vector<Access> accesses;
  std::set<int> opaque;                         // atoms inside quotients and remainders
  std::vector<std::pair<int, int64_t>> splits;  // atom, by
  double body_cost = 0, reduced_cost = 0;
  double rows_cost = 0;  // the part of reduced_cost in long row reductions, vectors in any case
  bool has_row = false, has_column = false, has_reduction = false;
  int64_t row_cost = 0;     // of one element inside reductions
  std::set<int> row_atoms;  // that long row reductions depend on
  bool has_short_row = false;  // of two elements to as many as an accumulator has lanes
  std::set<int> short_row_atoms;
  int64_t shared_cost = 0;  // the part of row_cost that is the same for all elements along the last atom
};

}  // namespace

// Of a loop inside of the kernel: rounds are not known, so the work of one, some ten times; as much code as two chains
// side by side are worth.
static int64_t loop_cost(const Graph& body) {
  int64_t cost = 0;
  for (const Node& n : body.nodes) cost += n.scalar ? n.scalar->cost : n.kind == NodeKind::loop ? 30 : 0;
  return std::clamp<int64_t>(10 * cost, 20, 55);
}

static void note(Survey& s, const Index& index, double weight, bool is_store, int row = -1) {
  s.accesses.push_back({index, weight, is_store, row});
  for (const Term& t : index.terms) {
    const Variable v = s.space[t.variable];
    if (v.kind == Variable::Kind::loop || v.kind == Variable::Kind::loaded) continue;
    s.space.for_each_leaf(v.source, [&](int leaf) {
      const auto it = std::ranges::find(s.variables, leaf);
      if (it != s.variables.end()) s.opaque.insert(static_cast<int>(it - s.variables.begin()));
    });
    const Index& source = v.source;
    if (source.terms.size() != 1 || source.constant != 0 || source.terms[0].coefficient != 1)
      continue;
    const auto it = std::ranges::find(s.variables, source.terms[0].variable);
    if (it != s.variables.end())
      s.splits.push_back({static_cast<int>(it - s.variables.begin()), v.divisor});
  }
}

// Loops that the index of a demand depends on, through indices that are loaded too.
static std::set<int> loops_of(const IndexSpace& space, const DemandGraph& demands, int id) {
  std::set<int> loops;
  for (const Index& index : demands[id].at) {
    space.for_each_leaf(index, [&](int leaf) {
      if (space[leaf].kind == Variable::Kind::loaded)
        loops.merge(loops_of(space, demands, space[leaf].handle));
      else
        loops.insert(leaf);
    });
  }
  return loops;
}

static void survey(const Graph& graph, const std::vector<int>& roots, LoopNest& nest, Survey& s) {
  DemandGraph demands(graph, s.space);
  LoopNest single = nest;  // one loop for each atom
  Indices loops;
  for (size_t k = 0; k < nest.atoms.size(); ++k) {
    s.variables.push_back(s.space.add_loop(0, nest.atoms[k] - 1));
    loops.push_back(IndexSpace::variable(s.variables.back()));
    single.atom_loop[k] = static_cast<int>(k);
  }
  const Indices at = single.result_index(s.space, loops);
  struct Want {
    int demand;
    double weight;
    bool is_inside;  // a reduction
    int row;         // see Access
  };
  std::vector<Want> work;
  std::set<int> seen;
  const auto want = [&](int id, double weight, bool is_inside, int row = -1) {
    if (seen.insert(id).second) work.push_back({id, weight, is_inside, row});
  };
  for (int root : roots) {
    note(s, demands.root_offset(root, at), 1, true);
    want(demands.demand(graph.roots[root], at), 1, false);
  }
  while (!work.empty()) {
    const auto [id, weight, is_inside, row] = work.back();
    work.pop_back();
    const Node& n = demands.node(id);
    if (n.kind == NodeKind::parameter ||
        (n.kind == NodeKind::constant && n.data.size() > static_cast<size_t>(n.dtype.itemsize())))
      note(s, demands.offset(id), weight, false, row);
    if (n.kind == NodeKind::iota) note(s, demands[id].at[n.axis], weight, false);
    for (int p = demands[id].predicate; p != kAlways; p = demands.predicate(p).parent)
      note(s, demands.predicate(p).index, 0, false);
    const int64_t cost = n.kind == NodeKind::loop        ? loop_cost(*n.body)
                         : n.scalar                        ? n.scalar->cost
                         : n.kind == NodeKind::call        ? kCallCost
                         : n.kind == NodeKind::parameter ? 1
                                                           : 0;
    (is_inside ? s.reduced_cost : s.body_cost) += static_cast<double>(cost) * weight;
    if (is_inside) s.row_cost += cost;
    if (is_inside && !s.variables.empty() && !loops_of(s.space, demands, id).contains(s.variables.back())) s.shared_cost += cost;
    if (row >= 0) s.rows_cost += static_cast<double>(cost) * weight;
    for (int operand : demands.operands(id)) want(operand, weight, is_inside, row);
    if (n.kind != NodeKind::reduce) continue;
    const ReductionView view(graph, n);
    // It runs once for each index that it depends on, loops of reductions around it included.
    double inside = static_cast<double>(view.order.count());
    std::set<int> leaves = loops_of(s.space, demands, id), depends;
    for (size_t k = 0; k < s.variables.size(); ++k) {
      if (leaves.erase(s.variables[k]))
        depends.insert(static_cast<int>(k));
      else
        inside /= static_cast<double>(nest.atoms[k]);
    }
    for (int leaf : leaves) inside *= static_cast<double>(s.space[leaf].max + 1);
    s.has_reduction = true;
    const bool is_long_row = view.order.is_row && view.order.count() > math::kLanes;
    if (is_long_row) {
      s.has_row = true;
      s.row_atoms.insert(depends.begin(), depends.end());
      s.rows_cost += inside;
    }
    if (view.order.is_row && !is_long_row && view.order.count() > 1 && view.order.runs == 1) {
      s.has_short_row = true;
      s.short_row_atoms.insert(depends.begin(), depends.end());
    }
    if (!view.order.is_row) s.has_column = true;
    const int run_variable = s.space.add_loop(0, std::max<int64_t>(0, view.order.run - 1));
    const Index run = IndexSpace::variable(run_variable);
    const Index runs =
        IndexSpace::variable(s.space.add_loop(0, std::max<int64_t>(0, view.order.runs - 1)));
    const Indices reduced = view.indices(s.space, run, runs);
    for (size_t k = 0; k < n.operands.size() / 2; ++k)
      want(demands.reduction_input(id, static_cast<int>(k), reduced), inside, true,
           is_long_row ? run_variable : -1);
    s.reduced_cost += inside;
  }
}

static bool walks_as_one(const Survey& s, int outer, int inner, int64_t inner_extent) {
  if (s.opaque.count(outer) || s.opaque.count(inner)) return false;
  return std::ranges::all_of(s.accesses, [&](const Access& a) {
    return a.index.coefficient(s.variables[outer]) ==
           a.index.coefficient(s.variables[inner]) * inner_extent;
  });
}

// A few rows that are reduced in one loop keep more reads under way, and share what is the same for
// all: 0.7 measured on sums of rows of 16 KB.
static constexpr double kSeveralRows = 0.7;

// Cost of long row reductions for one result. Rows are read by vectors along the row, whatever the
// vector loop of the results is; where it runs over `atom`, several rows are reduced at once, and
// lanes that do not exist repeat the last row.
static double rows_cost(const Survey& s, int atom, int64_t extent, int lanes) {
  const bool is_batched = atom >= 0 && s.row_atoms.count(atom) != 0;
  double cost = s.rows_cost;
  for (const Access& a : s.accesses) {
    if (a.row < 0) continue;
    const int64_t stride = a.index.coefficient(a.row);
    const bool is_shared = is_batched && !s.space.depends_on(a.index, s.variables[atom]);
    cost += a.weight * (stride != 0 && stride != 1 ? 2.0 * lanes : is_shared ? 0.25 : 1.0);
  }
  const int64_t vectors = (extent + lanes - 1) / lanes;
  const double repeated = static_cast<double>(vectors * lanes) / static_cast<double>(extent);
  return cost / lanes * (is_batched ? kSeveralRows * repeated : 1.0);
}

// Cost of one result when the loop whose innermost atom is `atom` is the vector loop.
static double vector_cost(const Survey& s, int atom, int64_t extent, int lanes) {
  double memory = 0;
  for (const Access& a : s.accesses) {
    if (a.row >= 0) continue;
    const int64_t stride = a.index.coefficient(s.variables[atom]);
    const bool is_opaque = s.opaque.count(atom) && s.space.depends_on(a.index, s.variables[atom]);
    const double one = is_opaque || (stride != 0 && stride != 1) ? 2.0 * lanes
                       : stride == 0                             ? 0.1
                                                                 : 1.0;
    memory += one * (a.is_store ? 1.5 : 1.0) * a.weight;
  }
  const int64_t vectors = (extent + lanes - 1) / lanes;
  return (s.body_cost + s.reduced_cost - s.rows_cost + memory) * static_cast<double>(vectors) /
             static_cast<double>(extent) +
         rows_cost(s, atom, extent, lanes);
}

// A loop along which operands are contiguous that the vector loop strides over.
static void find_tiles(const Survey& s, const std::vector<int>& inner_atom, int lanes,
                       LoopNest& nest) {
  if (nest.extents[nest.vector] < 2 * lanes) return;
  const int vector = s.variables[inner_atom[nest.vector]];
  for (int loop = 0; loop < static_cast<int>(nest.extents.size()); ++loop) {
    if (loop == nest.vector || nest.extents[loop] < 2 * lanes) continue;
    const int variable = s.variables[inner_atom[loop]];
    int count = 0;
    for (const Access& a : s.accesses) {
      const int64_t stride = a.index.coefficient(vector);
      if (a.is_store && stride != 1) return;
      if (!a.is_store && a.weight > 0 && stride != 0 && stride != 1 &&
          a.index.coefficient(variable) == 1)
        ++count;
    }
    if (count > nest.tiled_accesses) nest.tile = loop, nest.tiled_accesses = count;
  }
}

// Rows of a few elements with work that is worth doing once (softmax over ten classes): vectors over
// the loop of the rows, the elements of a row one after the other.
static bool plan_short_rows(const Survey& s, int lanes, LoopNest& nest) {
  if (!s.has_short_row || s.has_row || s.has_column || s.row_cost < kWorthDoingOnce) return false;
  int last = -1;
  for (int atom : s.short_row_atoms) last = std::max(last, nest.atom_loop[atom]);
  if (last < 0 || nest.extents[last] < 2 * lanes) return false;
  int64_t inner = 1;
  for (size_t loop = last + 1; loop < nest.extents.size(); ++loop) inner *= nest.extents[loop];
  if (inner > math::kLanes) return false;
  nest.vector = last;
  nest.has_short_rows = true;
  nest.row_loops.insert(last);
  return true;
}

// Columns of a few elements that have work in common (forces along three axes): vectors over the loop before, all columns
// in one loop over what is reduced.
static bool plan_short_columns(const Survey& s, int lanes, LoopNest& nest) {
  const int vector = static_cast<int>(nest.extents.size()) - 2;
  if (!s.has_column || s.has_row || vector < 0 || s.shared_cost < kWorthDoingOnce) return false;
  if (nest.extents[vector] < 2 * lanes || nest.extents.back() > kMaxShortColumns) return false;
  nest.vector = vector;
  nest.has_short_rows = true;
  nest.row_loops.insert(vector);
  return true;
}

LoopNest plan_loops(const Graph& graph, const std::vector<int>& roots, int lanes) {
  LoopNest nest;
  const Dims& shape = graph.nodes[graph.roots[roots[0]]].shape;
  nest.rank = static_cast<int>(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    nest.atoms.push_back(shape[d]);
    nest.atom_dimension.push_back(static_cast<int>(d));
    nest.atom_loop.push_back(0);
  }
  Survey s;
  for (int round = 0;; ++round) {
    s = Survey();
    survey(graph, roots, nest, s);
    bool is_split = false;
    for (auto [atom, by] : s.splits) {
      if (round == 8 || nest.atoms[atom] % by != 0 || by == 1 || nest.atoms[atom] == by) continue;
      nest.atoms[atom] /= by;
      nest.atoms.insert(nest.atoms.begin() + atom + 1, by);
      nest.atom_dimension.insert(nest.atom_dimension.begin() + atom + 1, nest.atom_dimension[atom]);
      nest.atom_loop.push_back(0);
      is_split = true;
      break;
    }
    if (!is_split) break;
  }
  // Rows of a stream are numbered by loops of their own.
  const auto ends_row = [&](int atom) {
    int64_t outer = 1;
    for (int k = 0; k <= atom; ++k) outer *= nest.atoms[k];
    return outer == graph.rows;
  };
  // Merge neighbours, from the innermost on.
  std::vector<int> inner_atom;
  for (int k = static_cast<int>(nest.atoms.size()) - 1; k >= 0; --k) {
    if (!inner_atom.empty() && !ends_row(k) && walks_as_one(s, k, inner_atom.back(), nest.extents.back())) {
      nest.extents.back() *= nest.atoms[k];
    } else {
      nest.extents.push_back(nest.atoms[k]);
      inner_atom.push_back(k);
    }
    nest.atom_loop[k] = static_cast<int>(nest.extents.size()) - 1;
  }
  const int loops = static_cast<int>(nest.extents.size());
  std::ranges::reverse(nest.extents);
  std::ranges::reverse(inner_atom);
  for (int& loop : nest.atom_loop) loop = loops - 1 - loop;

  nest.body_cost = static_cast<int64_t>(s.body_cost);
  nest.cost = s.body_cost + s.reduced_cost + 1;
  nest.has_reduction = s.has_reduction;
  nest.has_column_reduction = s.has_column;
  nest.has_row_reduction = s.has_row;
  for (int atom : s.row_atoms) nest.row_loops.insert(nest.atom_loop[atom]);
  if (graph.rows == 0 && (plan_short_rows(s, lanes, nest) || plan_short_columns(s, lanes, nest))) return nest;
  // Rows with much work for each element are better reduced one at a time: less code.
  const bool is_heavy_row = s.has_row && s.row_cost > 12;
  double best = s.body_cost + s.reduced_cost - s.rows_cost + rows_cost(s, -1, 1, lanes) +
                static_cast<double>(std::ranges::count(s.accesses, -1, &Access::row));
  int first_loop = 0;  // that may be a vector
  for (int64_t outer = 1; first_loop < loops && outer < graph.rows; ++first_loop) outer *= nest.extents[first_loop];
  for (int loop = first_loop; loop < loops; ++loop) {
    if (is_heavy_row && s.row_atoms.count(inner_atom[loop])) continue;
    const double cost = vector_cost(s, inner_atom[loop], nest.extents[loop], lanes);
    if (cost <= best) best = cost, nest.vector = loop;
  }
  if (nest.vector >= 0 && !nest.has_reduction && graph.rows == 0) find_tiles(s, inner_atom, lanes, nest);
  return nest;
}

}  // namespace tenon::cpu
