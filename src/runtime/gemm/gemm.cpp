// Chooses the kernels; driver.h does the work.
#include "runtime/gemm/gemm.h"

#include "base/fail.h"
#include "runtime/gemm/driver.h"
#include "runtime/trace_hook.h"

namespace tenon::runtime {
namespace {

#if defined(__x86_64__)
#define TENON_GEMM_KERNELS(type) {&kGemmBaseline##type, &kGemmAvx2##type, &kGemmAvx512##type}
#else
#define TENON_GEMM_KERNELS(type) {&kGemmBaseline##type, &kGemmBaseline##type, &kGemmBaseline##type}
#endif

template <class T>
void run(const GemmProblem& problem, const GemmKernels<T>* const (&kernels)[3]) {
  GemmDriver<T>(problem, *kernels[static_cast<int>(problem.instruction_set)]).run();
}

}  // namespace

bool has_gemm(DType::Code type, DType::Code result_type) noexcept {
  return type == result_type && (type == DType::kFloat32 || type == DType::kFloat64 ||
                                 type == DType::kInt32 || type == DType::kUInt32);
}

void gemm(const GemmProblem& problem) {
  if (!has_gemm(problem.type, problem.result_type)) {
    fail<UnimplementedError>("gemm", "no kernels for ", DType(problem.type), " with results of ",
                             DType(problem.result_type),
                             "; they go into src/runtime/gemm/kernel_table.h");
  }
  TraceSpan span(TraceEventKind::gemm, "gemm");
  switch (problem.type) {
    case DType::kFloat32:
      return run<float>(problem, TENON_GEMM_KERNELS(F32));
    case DType::kFloat64:
      return run<double>(problem, TENON_GEMM_KERNELS(F64));
    default:
      return run<uint32_t>(problem, TENON_GEMM_KERNELS(S32));
  }
}

}  // namespace tenon::runtime
