// AVX2 with FMA: compiled with -mavx2 -mfma; 6 x 16 tiles of f32.
#if defined(__x86_64__)
#include "runtime/gemm/micro_kernels.h"

namespace tenon::runtime {

constinit const GemmKernels<float> kGemmAvx2F32 = Kernels<float, 32>::table<6, 2>();
constinit const GemmKernels<double> kGemmAvx2F64 = Kernels<double, 32>::table<6, 2>();
constinit const GemmKernels<uint32_t> kGemmAvx2S32 = Kernels<uint32_t, 32>::table<4, 2>();
constinit const GemmKernels<uint64_t> kGemmAvx2S64 = Kernels<uint64_t, 32>::table<4, 2>();

}  // namespace tenon::runtime
#endif
