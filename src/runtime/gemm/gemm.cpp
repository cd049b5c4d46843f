// Chooses the kernels; driver.h does the work.
#include "runtime/gemm/gemm.h"

#include "base/fail.h"
#include "runtime/gemm/converted.h"
#include "runtime/gemm/driver.h"
#include "runtime/trace_hook.h"

namespace tenon::runtime {
namespace {

#if defined(__x86_64__)
#define TENON_GEMM_KERNELS(type) {&kGemmBaseline##type, &kGemmAvx2##type, &kGemmAvx512##type}
#else
#define TENON_GEMM_KERNELS(type) {&kGemmBaseline##type, &kGemmBaseline##type, &kGemmBaseline##type}
#endif

/// Calls use(driver) with the kernels for `problem`, which has some.
template <class Use>
auto with_driver(const GemmProblem& problem, Use use) {
  const auto driver = [&]<class T>(const GemmKernels<T>* const(&kernels)[3]) {
    return GemmDriver<T>(problem, *kernels[static_cast<int>(problem.instruction_set)]);
  };
  switch (problem.type) {
    case DType::kFloat32: return use(driver(TENON_GEMM_KERNELS(F32)));
    case DType::kFloat64: return use(driver(TENON_GEMM_KERNELS(F64)));
    case DType::kInt64:
    case DType::kUInt64: return use(driver(TENON_GEMM_KERNELS(S64)));
    default: return use(driver(TENON_GEMM_KERNELS(S32)));
  }
}

}  // namespace

static bool has_kernels(DType::Code type, DType::Code result_type) {
  if (type == DType::kFloat32 || type == DType::kFloat64) return type == result_type;
  const bool is_signed = type == DType::kInt32 || type == DType::kInt64;
  const bool is_word = is_signed || type == DType::kUInt32 || type == DType::kUInt64;
  return is_word && type == result_type;
}

bool has_gemm(DType::Code type, DType::Code result_type) noexcept {
  return has_kernels(type, result_type) || has_converted_gemm(type, result_type);
}

void gemm(const GemmProblem& problem) {
  if (!has_gemm(problem.type, problem.result_type)) {
    fail<UnimplementedError>("gemm", "no kernels for ", DType(problem.type), " with results of ",
                             DType(problem.result_type),
                             "; they go into src/runtime/gemm/kernel_table.h");
  }
  if (!has_kernels(problem.type, problem.result_type)) return gemm_converted(problem);
  TraceSpan span(TraceEventKind::gemm, "gemm");
  with_driver(problem, [](auto driver) { driver.run(); });
}

int64_t gemm_scratch_bytes(const GemmProblem& problem, int threads) {
  if (!has_gemm(problem.type, problem.result_type)) return 0;
  if (!has_kernels(problem.type, problem.result_type)) return gemm_converted_scratch_bytes(problem, threads);
  return with_driver(problem, [&](auto driver) { return driver.scratch_bytes(threads); });
}

int64_t packed_b_bytes(const GemmProblem& problem) {
  if (!has_kernels(problem.type, problem.result_type)) return 0;
  return with_driver(problem, [](const auto& driver) { return driver.packed_b_bytes(); });
}

void pack_gemm_b(const GemmProblem& problem, void* out) {
  with_driver(problem, [&](auto driver) { driver.pack_all_of_b(static_cast<typename decltype(driver)::Element*>(out)); });
}

}  // namespace tenon::runtime
