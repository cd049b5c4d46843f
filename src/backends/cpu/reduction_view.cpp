#include "backends/cpu/reduction_view.h"

#include <algorithm>
#include <memory>
#include <span>

namespace tenon::cpu {

ReductionView::ReductionView(const Graph& graph, const Node& reduce)
    : dims_(reduce.dims), shape_(graph.nodes[reduce.operands[0]].shape) {
  size_t d = shape_.size();
  const auto is_reduced = std::make_unique<bool[]>(d + 1);
  for (int64_t dim : dims_) is_reduced[dim] = true;
  order = math::reduction_order(shape_, std::span<const bool>(is_reduced.get(), d));
  if (order.is_row) {
    for (; d > 0 && (is_reduced[d - 1] || shape_[d - 1] == 1); --d) {
      if (is_reduced[d - 1]) run_dims.push_back(static_cast<int64_t>(d - 1));
    }
  }
  for (; d > 0; --d) {
    if (is_reduced[d - 1]) runs_dims.push_back(static_cast<int64_t>(d - 1));
  }
}

Indices ReductionView::indices(IndexSpace& space, Index run, Index runs) const {
  Indices reduced(dims_.size());
  const auto deal = [&](const Dims& minor_first, Index flat) {
    for (size_t k = 0; k < minor_first.size(); ++k) {
      const size_t position = std::ranges::find(dims_, minor_first[k]) - dims_.begin();
      const bool is_last = k + 1 == minor_first.size();
      const int64_t size = shape_[minor_first[k]];
      reduced[position] = is_last ? flat : space.remainder(flat, size);
      if (!is_last) flat = space.quotient(flat, size);
    }
  };
  deal(run_dims, std::move(run));
  deal(runs_dims, std::move(runs));
  return reduced;
}

}  // namespace tenon::cpu
