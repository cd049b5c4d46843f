// What rules of gather, scatter and of operations that become them share.
#pragma once

#include "tenon/jaxpr.h"
#include "tenon/lax.h"

namespace tenon::lax {

/// Parameters of a gather: `fill` is that of mode fill_or_drop.
EqnParams gather_params(const GatherDimensionNumbers& dims, const Shape& slice_sizes, GatherScatterMode mode, const Param& fill = {},
                        bool indices_are_sorted = false, bool unique_indices = false);
/// Parameters of a scatter; `body` is how values combine (None: the last wins).
EqnParams scatter_params(const ScatterDimensionNumbers& dims, const ScatterOptions& options, const Param& body);

/// The scatter to where a gather reads, and the gather from where a scatter writes.
ScatterDimensionNumbers inverse(const GatherDimensionNumbers& dims);
GatherDimensionNumbers inverse(const ScatterDimensionNumbers& dims);

/// x at `indices` (their last axis, of size 1, is gone in the result) along `axis`; paired along all others.
Array take_along(const Array& x, const Array& indices, int axis);
/// The index vector of scalar `indices`, each mapped along `axes` or not; and its mapped axis.
std::pair<Array, int> batched_index_vector(const Arrays& indices, const std::vector<int>& axes, int64_t size);

}  // namespace tenon::lax
