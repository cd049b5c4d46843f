// Scatters: updates are applied one after the other in row-major order of the indices.
#pragma once

#include "backends/cpu/combine_elements.h"

namespace tenon::cpu {

/// buffers: inputs, indices, updates, results; a result may be its input.
void run_scatter(const ScatterStep& step, ScalarFunction body, void* const* buffers);

}  // namespace tenon::cpu
