// Stable sorts of one or several arrays along an axis, line by line on the thread pool.
#pragma once

#include "backends/cpu/combine_elements.h"

namespace tenon::cpu {

/// buffers: inputs, then results, apart from them.
void run_sort(const SortStep& step, ScalarFunction comparator, void* const* buffers);

/// Bytes that run_sort takes at once at most where `threads` threads share the lines.
int64_t sort_scratch_bytes(const SortStep& step, int threads);

}  // namespace tenon::cpu
