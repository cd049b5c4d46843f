// Operations between kernels as steps of the program: running totals, sorts, scatters, Fourier transforms.
#pragma once

#include "backends/cpu/program.h"
#include "dialect/stablehlo.h"

namespace tenon::cpu {

/// Fill the step of their kind; a body that has no code of its own becomes a graph of the program.
/// Throw UnimplementedError for forms that the backend lacks.
void read_scan(stablehlo::ReduceWindowOp op, Program& program, Step& step);
void read_sort(stablehlo::SortOp op, Program& program, Step& step);
void read_scatter(stablehlo::ScatterOp op, Program& program, Step& step);
void read_fft(stablehlo::FftOp op, Step& step);

}  // namespace tenon::cpu
