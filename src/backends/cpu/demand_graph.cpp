#include "backends/cpu/demand_graph.h"

#include <algorithm>
#include <set>

namespace tenon::cpu {

int DemandGraph::demand(int node, Indices at, int predicate) {
  // A parameter with one element has one demand, whoever asks.
  const Node& n = graph_.nodes[node];
  for (size_t d = 0; d < at.size(); ++d) {
    if (n.shape[d] == 1 && predicate == kAlways) at[d] = Index(0);
  }
  Demand key{node, predicate, std::move(at)};
  auto [it, is_new] = numbers_.try_emplace(key, size());
  if (is_new) {
    demands_.push_back(std::move(key));
    operands_.emplace_back();
  }
  return it->second;
}

const llvm::SmallVector<int, 4>& DemandGraph::operands(int id) {
  if (!operands_[id]) {
    llvm::SmallVector<int, 4> out;
    add_operands(id, out);
    operands_[id] = std::move(out);
  }
  return *operands_[id];
}

std::vector<int> DemandGraph::below(std::vector<int> ids) {
  std::set<int> seen(ids.begin(), ids.end());
  for (size_t k = 0; k < ids.size(); ++k) {
    const llvm::SmallVector<int, 4> needed = operands(ids[k]);
    for (int operand : needed) {
      if (seen.insert(operand).second) ids.push_back(operand);
    }
  }
  return ids;
}

int DemandGraph::both(int where, const Index& index, int64_t low, int64_t high) {
  if (where == kNever) return kNever;
  const auto range = space_.range(index);
  if (range.max < low || range.min >= high) return kNever;
  if (range.min >= low && range.max < high) return where;
  Predicate key{where, index, low, high};
  auto [it, is_new] = predicate_numbers_.try_emplace(key, static_cast<int>(predicates_.size()));
  if (is_new) predicates_.push_back(key);
  return it->second;
}

static Index evaluate(const std::vector<IndexStep>& program, const Indices& at, IndexSpace& space) {
  llvm::SmallVector<Index, 4> stack;
  for (const IndexStep& step : program) {
    if (step.kind == IndexStep::dimension) {
      stack.push_back(at[step.value]);
      continue;
    }
    if (step.kind == IndexStep::constant) {
      stack.push_back(Index(step.value));
      continue;
    }
    const Index b = stack.pop_back_val();
    Index& a = stack.back();
    switch (step.kind) {
      case IndexStep::add:
        a = space.add(a, b);
        break;
      case IndexStep::multiply:
        a = b.is_constant() ? space.multiply(a, b.constant) : space.multiply(b, a.constant);
        break;
      case IndexStep::floor_divide:
        a = space.quotient(a, b.constant);
        break;
      default:
        a = space.remainder(a, b.constant);
        break;
    }
  }
  return stack.back();
}

void DemandGraph::add_operands(int id, llvm::SmallVector<int, 4>& out) {
  const Demand d = demands_[id];
  const Node& n = graph_.nodes[d.node];
  switch (n.kind) {
    case NodeKind::parameter:
    case NodeKind::constant:
    case NodeKind::iota:
      break;
    case NodeKind::elementwise:
    case NodeKind::call:
    case NodeKind::loop:
      for (int operand : n.operands) {
        const bool is_scalar = graph_.nodes[operand].shape.empty();  // beside a result of any rank
        out.push_back(
            demand(operand, is_scalar ? Indices{} : d.at, is_scalar ? kAlways : d.predicate));
      }
      break;
    case NodeKind::index_map: {
      Indices at;
      for (const auto& program : n.map) at.push_back(evaluate(program, d.at, space_));
      out.push_back(demand(n.operands[0], std::move(at), d.predicate));
      break;
    }
    case NodeKind::concatenate: {
      int64_t begin = 0;
      for (int operand : n.operands) {
        const int64_t end = begin + graph_.nodes[operand].shape[n.axis];
        const int where = both(d.predicate, d.at[n.axis], begin, end);
        if (where != kNever && end > begin) {
          Indices at = d.at;
          at[n.axis] = space_.add(at[n.axis], -begin);
          out.push_back(demand(operand, std::move(at), where));
        }
        begin = end;
      }
      break;
    }
    case NodeKind::pad: {
      const Dims& size = graph_.nodes[n.operands[0]].shape;
      out.push_back(demand(n.operands[1], {}));
      int where = d.predicate;
      Indices at;
      for (size_t k = 0; k < size.size(); ++k) {
        const int64_t step = n.interior[k] + 1;
        Index from = space_.add(d.at[k], -n.low[k]);
        where = size[k] == 0 ? kNever : both(where, from, 0, (size[k] - 1) * step + 1);
        if (step > 1 && where != kNever) {
          // Divisions want numbers >= 0.
          const int64_t shift = std::max<int64_t>(0, (n.low[k] + step - 1) / step);
          from = space_.add(from, shift * step);
          where = both(where, space_.remainder(from, step), 0, 1);
          from = space_.add(space_.quotient(from, step), -shift);
        }
        at.push_back(std::move(from));
      }
      if (where != kNever) out.push_back(demand(n.operands[0], std::move(at), where));
      break;
    }
    case NodeKind::gather:
      gather_operands(d, n, out);
      break;
    case NodeKind::dynamic_slice: {
      const Dims& size = graph_.nodes[n.operands[0]].shape;
      Indices at;
      for (size_t k = 0; k < size.size(); ++k) {
        const int start = demand(n.operands[k + 1], {});
        out.push_back(start);
        at.push_back(space_.add(d.at[k], space_.loaded(start, size[k] - n.shape[k])));
      }
      out.push_back(demand(n.operands[0], std::move(at), d.predicate));
      break;
    }
    case NodeKind::dynamic_update_slice: {
      const Dims& size = graph_.nodes[n.operands[1]].shape;
      Indices at;
      int where = d.predicate;
      for (size_t k = 0; k < size.size(); ++k) {
        const int start = demand(n.operands[k + 2], {});
        out.push_back(start);
        Index from =
            space_.add(d.at[k], space_.multiply(space_.loaded(start, n.shape[k] - size[k]), -1));
        where = size[k] == 0 ? kNever : both(where, from, 0, size[k]);
        at.push_back(std::move(from));
      }
      out.push_back(demand(n.operands[0], d.at, d.predicate));
      if (where != kNever) out.push_back(demand(n.operands[1], std::move(at), where));
      break;
    }
    case NodeKind::reduce:
      for (size_t k = n.operands.size() / 2; k < n.operands.size(); ++k)
        out.push_back(demand(n.operands[k], {}));
      break;
    case NodeKind::result:
      out.push_back(demand(n.operands[0], d.at, d.predicate));
      break;
  }
}

void DemandGraph::gather_operands(const Demand& d, const Node& n, llvm::SmallVector<int, 4>& out) {
  const GatherDims& g = *n.gather;
  const Node& operand = graph_.nodes[n.operands[0]];
  const Node& starts = graph_.nodes[n.operands[1]];
  const auto has = [](const Dims& dims, int64_t dim) {
    return std::ranges::find(dims, dim) != dims.end();
  };
  Indices batch;
  for (size_t k = 0; k < d.at.size(); ++k) {
    if (!has(g.offset_dims, k)) batch.push_back(d.at[k]);
  }
  // Batch dimension of the result that walks dimension `dim` of the start indices.
  const auto batch_index = [&](int64_t dim) {
    return batch[dim - (dim > g.index_vector_dim ? 1 : 0)];
  };
  Indices at(operand.shape.size());
  for (size_t k = 0; k < g.start_index_map.size(); ++k) {
    Indices where = batch;
    if (g.index_vector_dim < static_cast<int64_t>(starts.shape.size()))
      where.insert(where.begin() + g.index_vector_dim, Index(static_cast<int64_t>(k)));
    const int start = demand(n.operands[1], std::move(where), d.predicate);
    out.push_back(start);
    const int64_t dim = g.start_index_map[k];
    at[dim] = space_.loaded(start, operand.shape[dim] - g.slice_sizes[dim]);
  }
  for (size_t k = 0; k < g.operand_batching_dims.size(); ++k)
    at[g.operand_batching_dims[k]] = batch_index(g.start_indices_batching_dims[k]);
  size_t offset = 0;
  for (size_t dim = 0; dim < at.size(); ++dim) {
    if (has(g.collapsed_slice_dims, dim) || has(g.operand_batching_dims, dim)) continue;
    at[dim] = space_.add(at[dim], d.at[g.offset_dims[offset++]]);
  }
  out.push_back(demand(n.operands[0], std::move(at), d.predicate));
}

int DemandGraph::reduction_input(int id, int input, const Indices& reduced) {
  const Demand d = demands_[id];
  const Node& n = graph_.nodes[d.node];
  const size_t rank = graph_.nodes[n.operands[input]].shape.size();
  Indices at;
  size_t kept = 0;
  for (size_t k = 0; k < rank; ++k) {
    const auto it = std::ranges::find(n.dims, static_cast<int64_t>(k));
    if (it == n.dims.end())
      at.push_back(d.at[kept++]);
    else
      at.push_back(reduced[it - n.dims.begin()]);
  }
  return demand(n.operands[input], std::move(at), d.predicate);
}

Index DemandGraph::offset(int id) {
  const Demand& d = demands_[id];
  const Node& n = graph_.nodes[d.node];
  Index sum(n.offset);
  for (size_t k = 0; k < d.at.size(); ++k)
    sum = space_.add(sum, space_.multiply(d.at[k], n.strides[k]));
  return sum;
}

Index DemandGraph::root_offset(int root, const Indices& at) {
  Index sum(graph_.root_offsets[root]);
  for (size_t d = 0; d < at.size(); ++d)
    sum = space_.add(sum, space_.multiply(at[d], graph_.root_strides[root][d]));
  return sum;
}

int DemandGraph::substitute(int id, int variable, const Index& by) {
  const Demand d = demands_[id];
  Indices at;
  for (const Index& index : d.at) at.push_back(substitute(index, variable, by));
  return demand(d.node, std::move(at), substitute_predicate(d.predicate, variable, by));
}

Index DemandGraph::substitute(const Index& index, int variable, const Index& by) {
  Index sum(index.constant);
  for (const Term& t : index.terms) {
    const Variable v = space_[t.variable];
    Index term = IndexSpace::variable(t.variable);
    if (t.variable == variable) {
      term = by;
    } else if (v.kind == Variable::Kind::quotient) {
      term = space_.quotient(substitute(v.source, variable, by), v.divisor);
    } else if (v.kind == Variable::Kind::remainder) {
      term = space_.remainder(substitute(v.source, variable, by), v.divisor);
    } else if (v.kind == Variable::Kind::loaded) {
      term = space_.loaded(substitute(v.handle, variable, by), v.max);
    }
    sum = space_.add(sum, space_.multiply(term, t.coefficient));
  }
  return sum;
}

int DemandGraph::substitute_predicate(int predicate, int variable, const Index& by) {
  if (predicate == kAlways) return kAlways;
  const Predicate p = predicates_[predicate];
  const int parent = substitute_predicate(p.parent, variable, by);
  const Index index = substitute(p.index, variable, by);
  // Ranges may be wider after a substitution and never decide more than before.
  Predicate key{parent, index, p.low, p.high};
  auto [it, is_new] = predicate_numbers_.try_emplace(key, static_cast<int>(predicates_.size()));
  if (is_new) predicates_.push_back(key);
  return it->second;
}

}  // namespace tenon::cpu
