// dot_general: batched contraction of two arrays.
//
// The order of summation is that of the GEMM (runtime/gemm/gemm.h), so the bits are the same on machines
// with FMA: blocks of kProductBlock, in a block fma from 0 on in order of k, block sums added in order. Floats
// of 16 and 32 bits accumulate in f32, of 64 bits and integers with float results in f64; complex products are
// four real ones, (rr - ii, ri + ir). The result is rounded once. Integers accumulate modulo 2^64, which is
// exact for every result type; bools by and / or.
#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

#include "base/product_order.h"
#include "evaluator/element.h"
#include "evaluator/index_space.h"
#include "evaluator/kernels.h"
#include "evaluator/loop.h"
#include "math/number.h"

namespace tenon::evaluator {
namespace {

enum class Group { batch, free, contracted };

/// The dimensions of one operand, brought into the order batch, free, contracted.
struct Ordered {
  Dims sizes, strides;
  std::int64_t count[3] = {1, 1, 1};

  Ordered(const Shape& shape, const Dims& batching, const Dims& contracting) {
    const Dims all = row_major_strides(shape);
    const auto take = [&](std::int64_t d, Group group) {
      sizes.push_back(shape[static_cast<std::size_t>(d)]);
      strides.push_back(all[static_cast<std::size_t>(d)]);
      count[static_cast<int>(group)] *= sizes.back();
    };
    for (std::int64_t d : batching) take(d, Group::batch);
    for (std::int64_t d = 0; d < shape.ndim(); ++d)
      if (std::ranges::find(batching, d) == batching.end() && std::ranges::find(contracting, d) == contracting.end())
        take(d, Group::free);
    for (std::int64_t d : contracting) take(d, Group::contracted);
  }
};

/// Elements of `data` in that order, as Sum; of complex numbers the real or imaginary parts.
template <class Sum>
std::unique_ptr<Sum[]> gathered(DType dtype, const Ordered& order, const void* data, bool imaginary = false) {
  const std::int64_t count = order.count[0] * order.count[1] * order.count[2];
  auto out = std::make_unique<Sum[]>(static_cast<std::size_t>(count));
  with_element_type(dtype, [&]<class T>() {
    Sum* next = out.get();
    for (Odometer at(order.sizes, order.strides); !at.done(); at.next()) {
      const auto value = widen(static_cast<const T*>(data)[at.offset()]);
      if constexpr (is_complex<T>) *next++ = static_cast<Sum>(imaginary ? value.imag() : value.real());
      else *next++ = imaginary ? Sum(0) : static_cast<Sum>(value);
    }
  });
  return out;
}

template <class Sum>
[[gnu::always_inline]] inline void add_product(Sum& sum, Sum a, Sum b) {
  if constexpr (std::is_same_v<Sum, std::uint64_t>) sum += a * b;
  else sum = math::fma(a, b, sum);
}

/// sums[m] = sum over k of a[k] * b[m][k], several m at once: each in order of k, block by block.
template <class Sum>
struct Row {
  template <int kCount>
  [[gnu::always_inline]] static inline void some(const Sum* a, const Sum* b, Sum* sums, std::int64_t k) {
    Sum total[kCount] = {};
    for (std::int64_t first = 0; first < k; first += detail::kProductBlock) {
      const std::int64_t last = std::min(first + detail::kProductBlock, k);
      Sum s[kCount] = {};
      for (std::int64_t i = first; i < last; ++i)
        for (int l = 0; l < kCount; ++l) add_product(s[l], a[i], b[l * k + i]);
      for (int l = 0; l < kCount; ++l) total[l] = first == 0 ? s[l] : total[l] + s[l];
    }
    std::copy_n(total, kCount, sums);
  }
  [[gnu::always_inline]] static inline void all(const Sum* a, const Sum* b, Sum* sums, std::int64_t n, std::int64_t k) {
    std::int64_t j = 0;
    for (; j + 8 <= n; j += 8) some<8>(a, b + j * k, sums + j, k);
    for (; j < n; ++j) some<1>(a, b + j * k, sums + j, k);
  }
  static void baseline(const Sum* a, const Sum* b, Sum* sums, std::int64_t n, std::int64_t k) { all(a, b, sums, n, k); }
  TENON_TARGET_FMA static void fma(const Sum* a, const Sum* b, Sum* sums, std::int64_t n, std::int64_t k) {
    all(a, b, sums, n, k);
  }
};

/// The two operands' batches of matrices, multiplied: dense sums.
template <class Sum>
std::unique_ptr<Sum[]> multiply(const Sum* a, const Sum* b, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k) {
  auto sums = std::make_unique<Sum[]>(static_cast<std::size_t>(batch * m * n));
  const auto row = kHasFma ? Row<Sum>::fma : Row<Sum>::baseline;
  for (std::int64_t i = 0; i < batch; ++i)
    for (std::int64_t j = 0; j < m; ++j) row(a + (i * m + j) * k, b + i * n * k, sums.get() + (i * m + j) * n, n, k);
  return sums;
}

template <class T, class Sum>
T rounded(Sum sum) {
  if constexpr (is_complex<T>) return T(static_cast<typename T::value_type>(sum));
  else if constexpr (is_half<T>) return narrow<T>(static_cast<float>(sum));
  else if constexpr (std::is_same_v<T, bool>) return sum != 0;
  else return static_cast<T>(sum);
}

template <class Sum>
class Dot : public Kernel {
 public:
  Dot(const Aval& lhs, const Aval& rhs, const Aval& result, const DotNumbers& numbers)
      : lhs_dtype_(lhs.dtype), rhs_dtype_(rhs.dtype), dtype_(result.dtype),
        lhs_(lhs.shape, numbers.lhs_batching, numbers.lhs_contracting),
        rhs_(rhs.shape, numbers.rhs_batching, numbers.rhs_contracting) {}

  void run(const void* const* operands, void* const* results) const override {
    const std::int64_t batch = lhs_.count[0], m = lhs_.count[1], n = rhs_.count[1], k = lhs_.count[2];
    const auto product = [&](bool left_imaginary, bool right_imaginary) {
      const auto a = gathered<Sum>(lhs_dtype_, lhs_, operands[0], left_imaginary);
      const auto b = gathered<Sum>(rhs_dtype_, rhs_, operands[1], right_imaginary);
      return multiply(a.get(), b.get(), batch, m, n, k);
    };
    const auto real = product(false, false);
    with_element_type(dtype_, [&]<class T>() {
      T* out = static_cast<T*>(results[0]);
      if constexpr (is_complex<T>) {
        using Part = typename T::value_type;
        const auto ii = product(true, true), ri = product(false, true), ir = product(true, false);
        for (std::int64_t i = 0; i < batch * m * n; ++i)
          out[i] = T(static_cast<Part>(real[i] - ii[i]), static_cast<Part>(ri[i] + ir[i]));
      } else {
        for (std::int64_t i = 0; i < batch * m * n; ++i) out[i] = rounded<T>(real[i]);
      }
    });
  }

  bool has_compiled_bits() const override { return std::is_same_v<Sum, std::uint64_t>; }

 private:
  DType lhs_dtype_, rhs_dtype_, dtype_;
  Ordered lhs_, rhs_;
};

bool is_double(DType dtype) { return dtype.code() == DType::kFloat64 || dtype.code() == DType::kComplex128; }

}  // namespace

KernelRef dot_kernel(const Aval& lhs, const Aval& rhs, const Aval& result, const DotNumbers& given) {
  // Pairs of contracted dimensions in the order of the left operand, as the pass canonicalize-dots.
  DotNumbers numbers = given;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::size_t i = 0; i < given.lhs_contracting.size(); ++i) pairs.emplace_back(given.lhs_contracting[i], given.rhs_contracting[i]);
  std::ranges::sort(pairs);
  for (std::size_t i = 0; i < pairs.size(); ++i) std::tie(numbers.lhs_contracting[i], numbers.rhs_contracting[i]) = pairs[i];
  if (!result.dtype.is_inexact()) {
    if (lhs.dtype.is_inexact() || rhs.dtype.is_inexact()) return std::make_shared<Dot<double>>(lhs, rhs, result, numbers);
    return std::make_shared<Dot<std::uint64_t>>(lhs, rhs, result, numbers);
  }
  const bool wide = is_double(result.dtype) || is_double(lhs.dtype) || is_double(rhs.dtype) || !lhs.dtype.is_inexact();
  if (wide) return std::make_shared<Dot<double>>(lhs, rhs, result, numbers);
  return std::make_shared<Dot<float>>(lhs, rhs, result, numbers);
}

}  // namespace tenon::evaluator
