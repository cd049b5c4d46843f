// MPFR as the judge of scalar functions: error in units in the last place of the exact result.
#pragma once

#include <mpfr.h>

#include <cmath>
#include <limits>

namespace tenon::math {

/// A function of MPFR: mpfr_exp, mpfr_sin, ...
using MpfrFunction = int (*)(mpfr_t result, const mpfr_t x, mpfr_rnd_t mode);
using MpfrBinaryFunction = int (*)(mpfr_t result, const mpfr_t x, const mpfr_t y, mpfr_rnd_t mode);

/// What an ulp is: of a number in [2^(e-1), 2^e) it is 2^(e - digits), and no less than that of
/// min_exponent; the names are those of std::numeric_limits.
struct UlpFormat {
  int digits, min_exponent, max_exponent;
};
template <class F>
inline constexpr UlpFormat kUlpOf = {std::numeric_limits<F>::digits, std::numeric_limits<F>::min_exponent,
                                     std::numeric_limits<F>::max_exponent};
inline constexpr UlpFormat kUlpOfFloat16 = {11, -13, 16};
inline constexpr UlpFormat kUlpOfBFloat16 = {8, -125, 128};

/// Calls a function of MPFR and compares with what it gives.
class MpfrJudge {
 public:
  explicit MpfrJudge(MpfrFunction function) : MpfrJudge(function, nullptr) {}
  explicit MpfrJudge(MpfrBinaryFunction function) : MpfrJudge(nullptr, function) {}
  ~MpfrJudge() { mpfr_clears(x_, y_, exact_, difference_, static_cast<mpfr_ptr>(nullptr)); }
  MpfrJudge(const MpfrJudge&) = delete;
  MpfrJudge& operator=(const MpfrJudge&) = delete;

  /// Computes f(x) or f(x, y), which the rest speaks of.
  MpfrJudge& at(double x) {
    mpfr_set_d(x_, x, MPFR_RNDN);
    function_(exact_, x_, MPFR_RNDN);
    return *this;
  }
  MpfrJudge& at(double x, double y) {
    mpfr_set_d(x_, x, MPFR_RNDN);
    mpfr_set_d(y_, y, MPFR_RNDN);
    binary_function_(exact_, x_, y_, MPFR_RNDN);
    return *this;
  }

  /// |result - exact| in ulp of the exact value; an ulp of subnormal results is the smallest
  /// subnormal. Infinite where one is NaN and the other is not, where the sign of a zero is wrong (f
  /// odd and monotonic at 0 is what MPFR gives), or where one is infinite too early.
  template <class F>
  double ulp_error(F result) {
    if (mpfr_nan_p(exact_) || std::isnan(result)) return mpfr_nan_p(exact_) && std::isnan(result) ? 0 : HUGE_VAL;
    if (mpfr_inf_p(exact_)) return std::isinf(result) && (mpfr_sgn(exact_) > 0) == (result > 0) ? 0 : HUGE_VAL;
    if (mpfr_zero_p(exact_))
      return result == 0 && std::signbit(result) == (mpfr_signbit(exact_) != 0) ? 0 : HUGE_VAL;
    if (std::isinf(result)) {
      // Allowed where the exact result is beyond the highest number by rounding.
      mpfr_set_d(difference_, static_cast<double>(std::numeric_limits<F>::max()), MPFR_RNDN);
      return mpfr_cmpabs(exact_, difference_) > 0 && (mpfr_sgn(exact_) > 0) == (result > 0) ? 0 : HUGE_VAL;
    }
    return distance(static_cast<double>(result), kUlpOf<F>);
  }

  /// How far `result` of a 16-bit format is from the exact value, in its ulp: at most 1/2 when it is
  /// rounded to nearest. Infinity counts as the number after the highest.
  double rounding_error(double result, UlpFormat format) {
    if (mpfr_nan_p(exact_) || std::isnan(result)) return mpfr_nan_p(exact_) && std::isnan(result) ? 0 : HUGE_VAL;
    if (mpfr_zero_p(exact_)) return ulp_error(result);
    if (!std::isinf(result)) return mpfr_inf_p(exact_) ? HUGE_VAL : distance(result, format);
    if ((mpfr_sgn(exact_) > 0) != (result > 0)) return HUGE_VAL;
    if (mpfr_inf_p(exact_) || mpfr_get_exp(exact_) > format.max_exponent) return 0;
    return distance(std::copysign(std::ldexp(1.0, format.max_exponent), result), format);
  }

  /// |value - exact| / |exact|; 0 where neither is an ordinary number and they agree.
  double relative_error(long double value) {
    if (!mpfr_regular_p(exact_)) {
      if (mpfr_nan_p(exact_)) return std::isnan(value) ? 0 : HUGE_VAL;
      return value == mpfr_get_ld(exact_, MPFR_RNDN) ? 0 : HUGE_VAL;
    }
    mpfr_set_ld(difference_, value, MPFR_RNDN);
    mpfr_sub(difference_, difference_, exact_, MPFR_RNDN);
    mpfr_div(difference_, difference_, exact_, MPFR_RNDN);
    return std::fabs(mpfr_get_d(difference_, MPFR_RNDN));
  }

 private:
  MpfrJudge(MpfrFunction function, MpfrBinaryFunction binary_function)
      : function_(function), binary_function_(binary_function) {
    mpfr_init2(x_, 64);
    mpfr_init2(y_, 64);
    mpfr_init2(exact_, 160);
    mpfr_init2(difference_, 160);
  }

  double distance(double result, UlpFormat format) {
    mpfr_exp_t exponent = mpfr_get_exp(exact_) - format.digits;
    if (exponent < format.min_exponent - format.digits) exponent = format.min_exponent - format.digits;
    mpfr_set_d(difference_, result, MPFR_RNDN);
    mpfr_sub(difference_, difference_, exact_, MPFR_RNDN);
    mpfr_mul_2si(difference_, difference_, -exponent, MPFR_RNDN);
    return std::fabs(mpfr_get_d(difference_, MPFR_RNDN));
  }

  MpfrFunction function_;
  MpfrBinaryFunction binary_function_;
  mpfr_t x_, y_, exact_, difference_;
};

}  // namespace tenon::math
