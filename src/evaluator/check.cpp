// The comparisons of StableHLO's test files (dialect check): they throw where values differ.
#include <algorithm>
#include <bit>
#include <cmath>

#include "evaluator/element.h"
#include "evaluator/kernels.h"
#include "math/number.h"

namespace tenon::evaluator {
namespace {

/// Floats between a and b; large for NaN beside a number.
template <class T>
double ulp_distance(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : HUGE_VAL;
  using Signed = std::make_signed_t<math::BitsOf<T>>;
  const auto rank = [](T x) {
    const Signed bits = std::bit_cast<Signed>(x);
    return bits < 0 ? std::numeric_limits<Signed>::min() - bits : bits;
  };
  return std::fabs(static_cast<double>(rank(a)) - static_cast<double>(rank(b)));
}

template <class T>
class CheckValues : public Kernel {
 public:
  CheckValues(Check check, const Aval& aval, double tolerance, std::int64_t min_ulp, std::int64_t max_ulp)
      : check_(check), aval_(aval), tolerance_(tolerance), min_ulp_(min_ulp), max_ulp_(max_ulp) {}

  void run(const void* const* operands, void* const*) const override {
    const T* actual = static_cast<const T*>(operands[0]);
    const T* expected = static_cast<const T*>(operands[1]);
    const std::int64_t count = aval_.shape.num_elements();
    for (std::int64_t i = 0; i < count; ++i) {
      const Computed<T> a = widen(actual[i]), e = widen(expected[i]);
      if (!agree(a, e))
        fail<ValueError>("check", "element ", i, " of ", aval_, " differs; got ", text_of(a), ", expected ", text_of(e));
    }
  }

 private:
  template <class C>
  static std::string text_of(C value) {
    if constexpr (is_complex<C>) return detail::text("(", value.real(), ", ", value.imag(), ")");
    else return detail::text(value);
  }
  template <class C>
  bool agree(C a, C e) const {
    if constexpr (is_complex<C>) {
      return agree(a.real(), e.real()) && agree(a.imag(), e.imag());
    } else if constexpr (!is_float<C>) {
      return a == e;
    } else {
      switch (check_) {
        case Check::equal: return a == e || (std::isnan(a) && std::isnan(e));
        case Check::almost_equal:
          return a == e || (std::isnan(a) && std::isnan(e)) || std::fabs(a - e) <= tolerance_;
        case Check::close: {
          const double ulp = ulp_distance(a, e);
          return ulp >= static_cast<double>(min_ulp_) && ulp <= static_cast<double>(max_ulp_);
        }
      }
      return false;
    }
  }

  Check check_;
  Aval aval_;
  double tolerance_;
  std::int64_t min_ulp_, max_ulp_;
};

}  // namespace

KernelRef check_kernel(Check check, const Aval& aval, double tolerance, std::int64_t min_ulp, std::int64_t max_ulp) {
  return with_element_type(aval.dtype, [&]<class T>() -> KernelRef {
    return std::make_shared<CheckValues<T>>(check, aval, tolerance, min_ulp, max_ulp);
  });
}

}  // namespace tenon::evaluator
