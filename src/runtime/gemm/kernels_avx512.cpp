// AVX-512: compiled with -mavx512f and its company; 12 x 32 tiles of f32.
#if defined(__x86_64__)
#include "runtime/gemm/micro_kernels.h"

namespace tenon::runtime {

constinit const GemmKernels<float> kGemmAvx512F32 = Kernels<float, 64>::table<12, 2>();
constinit const GemmKernels<double> kGemmAvx512F64 = Kernels<double, 64>::table<12, 2>();
constinit const GemmKernels<uint32_t> kGemmAvx512S32 = Kernels<uint32_t, 64>::table<4, 2>();
constinit const GemmKernels<uint64_t> kGemmAvx512S64 = Kernels<uint64_t, 64>::table<4, 2>();

}  // namespace tenon::runtime
#endif
