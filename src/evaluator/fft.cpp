// Fourier transforms, by the very code that the backend calls.
#include "evaluator/kernels.h"

namespace tenon::evaluator {
namespace {

class Fft : public Kernel {
 public:
  explicit Fft(math::ArrayTransform transform) : transform_(std::move(transform)) {}
  void run(const void* const* operands, void* const* results) const override {
    std::vector<double> middle(static_cast<size_t>(transform_.middle_bytes()) / sizeof(double));
    transform_.run(operands[0], results[0], middle.data(), [](std::int64_t count, std::int64_t, size_t scratch_bytes, const auto& body) {
      std::vector<double> scratch(scratch_bytes / sizeof(double) + 1);
      body(0, count, scratch.data());
    });
  }

 private:
  math::ArrayTransform transform_;
};

}  // namespace

KernelRef fft_kernel(math::FftKind kind, const Aval& operand, const Shape& shape, std::int64_t axes) {
  const bool is_double = operand.dtype.code() == DType::kFloat64 || operand.dtype.code() == DType::kComplex128;
  return std::make_shared<Fft>(math::ArrayTransform(kind, is_double, shape.dims(), static_cast<std::size_t>(axes)));
}

}  // namespace tenon::evaluator
