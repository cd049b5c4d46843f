// Fourier transforms of the last axes of an array, groups of lines on the thread pool.
#pragma once

#include "backends/cpu/program.h"

namespace tenon::cpu {

/// buffers: operand, result, apart from it.
void run_fft(const FftStep& step, void* const* buffers);

}  // namespace tenon::cpu
