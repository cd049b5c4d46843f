// The comparisons of StableHLO's test files (dialect check): they throw where values differ.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "evaluator/element.h"
#include "evaluator/kernels.h"

namespace tenon::evaluator {
namespace {

/// Where a float stands in the order of all floats of its type.
template <class T>
std::int64_t rank(T x) {
  using Bits = std::conditional_t<sizeof(T) == 2, std::int16_t, std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;
  const auto bits = std::bit_cast<Bits>(x);
  return bits < 0 ? std::int64_t{std::numeric_limits<Bits>::min()} - bits : bits;
}

/// Floats between a and b; the highest number where one is not finite and the other is something else.
template <class T>
std::uint64_t ulp_distance(T a, T b) {
  const auto x = widen(a), y = widen(b);
  if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
  if (!std::isfinite(x) || !std::isfinite(y)) return std::numeric_limits<std::uint64_t>::max();
  const auto i = static_cast<std::uint64_t>(rank(a)), j = static_cast<std::uint64_t>(rank(b));
  return rank(a) > rank(b) ? i - j : j - i;
}

template <class T>
class CheckValues : public Kernel {
 public:
  CheckValues(Check check, const Aval& aval, double tolerance, std::uint64_t min_ulp, std::uint64_t max_ulp)
      : check_(check), aval_(aval), tolerance_(tolerance), min_ulp_(min_ulp), max_ulp_(max_ulp) {}

  void run(const void* const* operands, void* const*) const override {
    const T* actual = static_cast<const T*>(operands[0]);
    const T* expected = static_cast<const T*>(operands[1]);
    const std::int64_t count = aval_.shape.num_elements();
    for (std::int64_t i = 0; i < count; ++i) {
      if (!agree(actual[i], expected[i]))
        fail<ValueError>("check", "element ", i, " of ", aval_, " differs; got ", text_of(widen(actual[i])), ", expected ",
                         text_of(widen(expected[i])));
    }
  }

 private:
  template <class C>
  static std::string text_of(C value) {
    if constexpr (is_complex<C>) return detail::text("(", value.real(), ", ", value.imag(), ")");
    else return detail::text(value);
  }
  template <class E>
  bool agree(E actual, E expected) const {
    if constexpr (is_complex<E>) {
      return agree(actual.real(), expected.real()) && agree(actual.imag(), expected.imag());
    } else if constexpr (!is_float<Computed<E>>) {
      return actual == expected;
    } else {
      const Computed<E> a = widen(actual), e = widen(expected);
      switch (check_) {
        case Check::equal: return a == e || (std::isnan(a) && std::isnan(e));
        case Check::almost_equal: return a == e || (std::isnan(a) && std::isnan(e)) ||
                 std::fabs(a - e) <= tolerance_ * std::max<double>(1, std::fabs(e));
        case Check::close: {
          const std::uint64_t ulp = ulp_distance(actual, expected);
          return ulp >= min_ulp_ && ulp <= max_ulp_;
        }
      }
      return false;
    }
  }

  Check check_;
  Aval aval_;
  double tolerance_;
  std::uint64_t min_ulp_, max_ulp_;
};

}  // namespace

KernelRef check_kernel(Check check, const Aval& aval, double tolerance, std::uint64_t min_ulp, std::uint64_t max_ulp) {
  return with_element_type(aval.dtype, [&]<class T>() -> KernelRef {
    return std::make_shared<CheckValues<T>>(check, aval, tolerance, min_ulp, max_ulp);
  });
}

}  // namespace tenon::evaluator
