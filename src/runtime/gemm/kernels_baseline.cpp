// Any x86-64 (SSE2, product and sum rounded) and AArch64 (NEON, fused); 6 x 8 tiles of f32.
#include "runtime/gemm/micro_kernels.h"

namespace tenon::runtime {

constinit const GemmKernels<float> kGemmBaselineF32 = Kernels<float, 16>::table<6, 2>();
constinit const GemmKernels<double> kGemmBaselineF64 = Kernels<double, 16>::table<6, 2>();
constinit const GemmKernels<uint32_t> kGemmBaselineS32 = Kernels<uint32_t, 16>::table<4, 2>();
constinit const GemmKernels<uint64_t> kGemmBaselineS64 = Kernels<uint64_t, 16>::table<4, 2>();

}  // namespace tenon::runtime
