// Start indices of dynamic_slice and dynamic_update_slice.
#pragma once

#include "tenon/array.h"

namespace tenon::lax {

/// `index`, counted from the end of an axis of `size` when it is negative. One that is known while
/// tracing is moved here, a traced one by operations.
Array from_the_end(const Array& index, int64_t size);

/// Throws TypeError unless the avals from `first` on are integer scalars of one dtype.
void check_start_indices(const char* who, const Avals& operands, size_t first);

}  // namespace tenon::lax
