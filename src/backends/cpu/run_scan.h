// Running totals on the thread pool, line by line or many neighbouring lines at once.
#pragma once

#include "backends/cpu/combine_elements.h"

namespace tenon::cpu {

/// buffers: input, init, result; the result may be the input.
void run_scan(const ScanStep& step, ScalarFunction body, void* const* buffers);

}  // namespace tenon::cpu
