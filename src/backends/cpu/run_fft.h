// Fourier transforms of the last axes of an array, groups of lines on the thread pool.
#pragma once

#include "backends/cpu/program.h"

namespace tenon::cpu {

/// buffers: operand, result, apart from it.
void run_fft(const FftStep& step, void* const* buffers);

/// Bytes that run_fft takes at once at most where `threads` threads share the lines.
int64_t fft_scratch_bytes(const FftStep& step, int threads);

}  // namespace tenon::cpu
