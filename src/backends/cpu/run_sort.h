// Stable sorts of one or several arrays along an axis, line by line on the thread pool.
#pragma once

#include "backends/cpu/combine_elements.h"

namespace tenon::cpu {

/// buffers: inputs, then results, apart from them.
void run_sort(const SortStep& step, ScalarFunction comparator, void* const* buffers);

}  // namespace tenon::cpu
