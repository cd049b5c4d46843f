// Fourier transforms of the last axes of an array: one axis after the other, line by line.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace tenon::math {

/// Complex to complex, or between a real axis of n and the first n/2 + 1 results (the others are
/// their conjugates). Inverses divide by the number of elements.
enum class FftKind { forward, inverse, real_forward, real_inverse };

/// Calls body(begin, end, scratch) for ranges that cover [0, count), in any order, on any threads; `grain` of them are
/// worth a thread's attention. A call has `scratch_bytes` of scratch to itself.
using FftRange = std::function<void(std::int64_t begin, std::int64_t end, void* scratch)>;
using ForEachRange = std::function<void(std::int64_t count, std::int64_t grain, std::size_t scratch_bytes, const FftRange& body)>;

/// Of arrays of one shape and type; row-major. What it needs to know is computed once.
class ArrayTransform {
 public:
  /// The last `axes` axes of an array; `shape` is that of the real or of both arrays.
  ArrayTransform(FftKind kind, bool is_double, const std::vector<std::int64_t>& shape, std::size_t axes);
  ~ArrayTransform();
  ArrayTransform(ArrayTransform&&) noexcept;

  /// Operand and result do not overlap; `middle` has middle_bytes(). The same bits for any way of running ranges.
  void run(const void* operand, void* result, void* middle, const ForEachRange& for_each) const;
  /// What stands between a complex and a real axis.
  std::int64_t middle_bytes() const { return middle_bytes_; }
  /// The most scratch that `threads` threads have at once.
  std::int64_t scratch_bytes(int threads) const;
  /// Lower bound of its floating point operations: 5 n log2 n.
  double flops() const { return flops_; }

 private:
  class Axis;
  template <class T>
  class AxisOf;

  std::vector<std::unique_ptr<const Axis>> axes_;  // in order of execution
  std::int64_t middle_bytes_ = 0;
  double flops_ = 0;
};

}  // namespace tenon::math
