// Loops that do nothing but what is measured, of one instruction set, behind pointers; see gemm/kernel_table.h on files
// with flags of their own.
#pragma once

#include <cstdint>

namespace tenon::runtime {

struct MachineProbes {
  /// `rounds` times `flops` (of f32, of f64): multiply-adds that do not wait for each other. `numbers`, 16 of them, are
  /// read first, and written to at the end.
  int64_t f32_flops, f64_flops;
  void (*multiply_add_f32)(int64_t rounds, float* numbers);
  void (*multiply_add_f64)(int64_t rounds, double* numbers);
  /// c = a + b of `count` numbers, a multiple of 64; arrays begin at multiples of 64 bytes.
  void (*add)(const float* a, const float* b, float* c, int64_t count);
  void (*add_around_caches)(const float* a, const float* b, float* c, int64_t count);  // what is written stays out of them
};

extern const MachineProbes kBaselineProbes;
#if defined(__x86_64__)
extern const MachineProbes kAvx2Probes;
extern const MachineProbes kAvx512Probes;
#endif

}  // namespace tenon::runtime
