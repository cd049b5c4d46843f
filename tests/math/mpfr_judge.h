// MPFR as the judge of scalar functions: error in units in the last place of the exact result.
#pragma once

#include <mpfr.h>

#include <cmath>
#include <limits>

namespace tenon::math {

/// A function of MPFR: mpfr_exp, mpfr_sin, ...
using MpfrFunction = int (*)(mpfr_t result, const mpfr_t x, mpfr_rnd_t mode);
using MpfrBinaryFunction = int (*)(mpfr_t result, const mpfr_t x, const mpfr_t y, mpfr_rnd_t mode);

inline int mpfr_floor_function(mpfr_t result, const mpfr_t x, mpfr_rnd_t) { return mpfr_floor(result, x); }

/// log |gamma|; of the poles MPFR has inf too.
inline int mpfr_log_gamma(mpfr_t result, const mpfr_t x, mpfr_rnd_t mode) {
  int sign;
  return mpfr_lgamma(result, &sign, x, mode);
}

inline int mpfr_logistic(mpfr_t result, const mpfr_t x, mpfr_rnd_t mode) {
  mpfr_neg(result, x, mode);
  mpfr_exp(result, result, mode);
  mpfr_add_ui(result, result, 1, mode);
  return mpfr_ui_div(result, 1, result, mode);
}

/// Compares values of format F with the exact function.
template <class F>
class MpfrJudge {
 public:
  explicit MpfrJudge(MpfrFunction function) : MpfrJudge(function, nullptr) {}
  explicit MpfrJudge(MpfrBinaryFunction function) : MpfrJudge(nullptr, function) {}
  ~MpfrJudge() { mpfr_clears(x_, y_, exact_, difference_, static_cast<mpfr_ptr>(nullptr)); }
  MpfrJudge(const MpfrJudge&) = delete;
  MpfrJudge& operator=(const MpfrJudge&) = delete;

  /// |y - f(x)| in ulp of f(x); an ulp of subnormal results is the smallest subnormal. Infinite where
  /// one is NaN and the other is not, where the sign of a zero is wrong (f odd and monotonic at 0
  /// is what MPFR gives), or where one overflows more than half an ulp early or late.
  double ulp_error(F x, F y) {
    mpfr_set_d(x_, static_cast<double>(x), MPFR_RNDN);
    function_(exact_, x_, MPFR_RNDN);
    return ulp_error(y);
  }
  /// |z - f(x, y)| likewise.
  double ulp_error(F x, F y, F z) {
    mpfr_set_d(x_, static_cast<double>(x), MPFR_RNDN);
    mpfr_set_d(y_, static_cast<double>(y), MPFR_RNDN);
    binary_function_(exact_, x_, y_, MPFR_RNDN);
    return ulp_error(z);
  }

 private:
  MpfrJudge(MpfrFunction function, MpfrBinaryFunction binary_function)
      : function_(function), binary_function_(binary_function) {
    mpfr_init2(x_, 64);
    mpfr_init2(y_, 64);
    mpfr_init2(exact_, 160);
    mpfr_init2(difference_, 160);
  }

  double ulp_error(F y) {
    using Limits = std::numeric_limits<F>;
    constexpr int digits = Limits::digits;
    if (mpfr_nan_p(exact_) || std::isnan(y)) return mpfr_nan_p(exact_) && std::isnan(y) ? 0 : HUGE_VAL;
    if (mpfr_inf_p(exact_)) return std::isinf(y) && (mpfr_sgn(exact_) > 0) == (y > 0) ? 0 : HUGE_VAL;
    if (mpfr_zero_p(exact_)) return y == 0 && std::signbit(y) == (mpfr_signbit(exact_) != 0) ? 0 : HUGE_VAL;
    if (std::isinf(y)) {
      // Allowed where the exact result is beyond the highest number by rounding.
      mpfr_set_d(difference_, static_cast<double>(Limits::max()), MPFR_RNDN);
      return mpfr_cmpabs(exact_, difference_) > 0 && (mpfr_sgn(exact_) > 0) == (y > 0) ? 0 : HUGE_VAL;
    }
    mpfr_exp_t exponent = mpfr_get_exp(exact_) - digits;
    if (exponent < Limits::min_exponent - digits) exponent = Limits::min_exponent - digits;
    mpfr_set_d(difference_, static_cast<double>(y), MPFR_RNDN);
    mpfr_sub(difference_, difference_, exact_, MPFR_RNDN);
    mpfr_mul_2si(difference_, difference_, -exponent, MPFR_RNDN);
    return std::fabs(mpfr_get_d(difference_, MPFR_RNDN));
  }

  MpfrFunction function_;
  MpfrBinaryFunction binary_function_;
  mpfr_t x_, y_, exact_, difference_;
};

}  // namespace tenon::math
