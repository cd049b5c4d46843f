// dynamic_update_slice on memory.
#pragma once

#include "backends/cpu/program.h"

namespace tenon::cpu {

/// `buffers`: array, update, one start for each axis, result. The result may be the array.
void run_update(const UpdateStep& step, void* const* buffers);

}  // namespace tenon::cpu
