// Comparators of sorts that compare keys.
#pragma once

#include <vector>

#include "dialect/sort_key.h"
#include "mlir/IR/Region.h"

namespace tenon {

/// The keys of  less(k0) or (equal(k0) and (less(k1) or ...)),  as JAX spells a lexicographic order;
/// nothing for another comparator.
std::vector<SortKey> sort_keys(mlir::Region& comparator);

}  // namespace tenon
