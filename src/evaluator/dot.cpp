// dot_general: batched contraction of two arrays.
//
// Floats accumulate in double (complex: complex double), in order of the contracted index, rounded
// once at the end: more exact than any kernel that accumulates in the result's type, so it can judge
// them. Products of f32 are exact in double. Kernels of f64 may differ by k eps sum |a b|.
// Integers accumulate modulo 2^64, which is exact for every result type; bools by and / or.
#include <algorithm>
#include <memory>

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

/// Elements of `data` in that order, as Sum.
template <class Sum, class T>
std::unique_ptr<Sum[]> gathered(const Ordered& order, const void* data, std::int64_t count) {
  auto out = std::make_unique<Sum[]>(static_cast<std::size_t>(count));
  Sum* next = out.get();
  for (Odometer at(order.sizes, order.strides); !at.done(); at.next()) {
    const auto value = widen(static_cast<const T*>(data)[at.offset()]);
    if constexpr (is_complex<T> && !is_complex<Sum>) *next++ = static_cast<Sum>(value.real());
    else if constexpr (is_complex<T>) *next++ = Sum(value.real(), value.imag());
    else if constexpr (is_complex<Sum>) *next++ = Sum(static_cast<double>(value), 0);
    else *next++ = static_cast<Sum>(value);
  }
  return out;
}

template <class Sum>
std::unique_ptr<Sum[]> gathered(DType dtype, const Ordered& order, const void* data) {
  const std::int64_t count = order.count[0] * order.count[1] * order.count[2];
  return with_element_type(dtype, [&]<class T>() { return gathered<Sum, T>(order, data, count); });
}

[[gnu::always_inline]] inline void add_product(double& sum, double a, double b) { sum = math::fma(a, b, sum); }
[[gnu::always_inline]] inline void add_product(std::uint64_t& sum, std::uint64_t a, std::uint64_t b) { sum += a * b; }
[[gnu::always_inline]] inline void add_product(Complex128& sum, Complex128 a, Complex128 b) {
  double real = sum.real(), imag = sum.imag();
  add_product(real, a.real(), b.real());
  add_product(real, -a.imag(), b.imag());
  add_product(imag, a.real(), b.imag());
  add_product(imag, a.imag(), b.real());
  sum = {real, imag};
}

/// sums[m] = sum over k of a[k] * b[m][k], several m at once: each in order of k.
template <class Sum>
struct Row {
  [[gnu::always_inline]] static inline void all(const Sum* a, const Sum* b, Sum* sums, std::int64_t n, std::int64_t k) {
    std::int64_t j = 0;
    for (; j + 8 <= n; j += 8) {
      Sum s[8] = {};
      for (std::int64_t i = 0; i < k; ++i)
        for (int l = 0; l < 8; ++l) add_product(s[l], a[i], b[(j + l) * k + i]);
      std::copy_n(s, 8, sums + j);
    }
    for (; j < n; ++j) {
      Sum s = {};
      for (std::int64_t i = 0; i < k; ++i) add_product(s, a[i], b[j * k + i]);
      sums[j] = s;
    }
  }
  static void baseline(const Sum* a, const Sum* b, Sum* sums, std::int64_t n, std::int64_t k) { all(a, b, sums, n, k); }
  TENON_TARGET_FMA static void fma(const Sum* a, const Sum* b, Sum* sums, std::int64_t n, std::int64_t k) {
    all(a, b, sums, n, k);
  }
};

template <class T, class Sum>
T rounded(Sum sum) {
  if constexpr (is_complex<T>) {
    using Part = typename T::value_type;
    if constexpr (is_complex<Sum>) return T(static_cast<Part>(sum.real()), static_cast<Part>(sum.imag()));
    else return T(static_cast<Part>(sum));
  } else if constexpr (is_half<T>) {
    return narrow<T>(static_cast<float>(sum));
  } else if constexpr (std::is_same_v<T, bool>) {
    return sum != 0;
  } else {
    return static_cast<T>(sum);
  }
}

template <class T>
using SumOf = std::conditional_t<is_complex<T>, Complex128,
                                 std::conditional_t<is_integer<T> || std::is_same_v<T, bool>, std::uint64_t, double>>;

template <class T>
class Dot : public Kernel {
  using Sum = SumOf<T>;

 public:
  Dot(const Aval& lhs, const Aval& rhs, const DotNumbers& numbers)
      : lhs_dtype_(lhs.dtype), rhs_dtype_(rhs.dtype), lhs_(lhs.shape, numbers.lhs_batching, numbers.lhs_contracting),
        rhs_(rhs.shape, numbers.rhs_batching, numbers.rhs_contracting) {}

  void run(const void* const* operands, void* const* results) const override {
    const auto a = gathered<Sum>(lhs_dtype_, lhs_, operands[0]);
    const auto b = gathered<Sum>(rhs_dtype_, rhs_, operands[1]);
    const std::int64_t batch = lhs_.count[0], m = lhs_.count[1], n = rhs_.count[1], k = lhs_.count[2];
    const auto sums = std::make_unique<Sum[]>(static_cast<std::size_t>(n));
    T* out = static_cast<T*>(results[0]);
    const auto row = kHasFma ? Row<Sum>::fma : Row<Sum>::baseline;
    for (std::int64_t i = 0; i < batch; ++i) {
      for (std::int64_t j = 0; j < m; ++j) {
        row(a.get() + (i * m + j) * k, b.get() + i * n * k, sums.get(), n, k);
        for (std::int64_t l = 0; l < n; ++l) *out++ = rounded<T>(sums[static_cast<std::size_t>(l)]);
      }
    }
  }

  bool has_compiled_bits() const override { return std::is_same_v<Sum, std::uint64_t>; }

 private:
  DType lhs_dtype_, rhs_dtype_;
  Ordered lhs_, rhs_;
};

}  // namespace

KernelRef dot_kernel(const Aval& lhs, const Aval& rhs, const Aval& result, const DotNumbers& numbers) {
  return with_element_type(result.dtype, [&]<class T>() -> KernelRef {
    return std::make_shared<Dot<T>>(lhs, rhs, numbers);
  });
}

}  // namespace tenon::evaluator
