// The scalar functions by their meaning on each kind of element, as StableHLO defines them.
//
// `apply` takes computed elements (f16 and bf16 come as float). What a kind of element lacks has no
// overload; find_loop then finds none.
#pragma once

#include <cmath>

#include "evaluator/element.h"
#include "evaluator/elementwise.h"
#include "math/complex.h"
#include "math/functions.h"
#include "math/integer.h"
#include "math/next_after.h"
#include "math/reduce_precision.h"

namespace tenon::evaluator {

template <class T>
concept Float = is_float<T>;
template <class T>
concept Integer = is_integer<T>;
template <class T>
concept Bool = std::same_as<T, bool>;
template <class T>
concept Complex = is_complex<T>;

/// f(x, ...) in double, rounded to T.
template <class F, class... T>
auto in_double(F f, T... x) {
  using Result = std::common_type_t<T...>;
  using Part = typename Result::value_type;
  const Complex128 y = f(Complex128(x.real(), x.imag())...);
  return Result(static_cast<Part>(y.real()), static_cast<Part>(y.imag()));
}

#define TENON_APPLY [[gnu::always_inline]] static inline

// ---- one operand

struct Abs {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::abs(x); }
  TENON_APPLY auto apply(const ScalarParams&, Integer auto x) { return math::abs(x); }
  template <Complex T>
  TENON_APPLY typename T::value_type apply(const ScalarParams&, T x) { return in_double(math::complex_abs, x).real(); }
};
struct Negate {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return -x; }
  TENON_APPLY auto apply(const ScalarParams&, Integer auto x) { return math::negate(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return -x; }
};
struct Sign {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::sign(x); }
  TENON_APPLY auto apply(const ScalarParams&, Integer auto x) { return math::sign(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_sign, x); }
};
struct Floor {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::floor(x); }
};
struct Ceil {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return -math::floor(-x); }
};
struct RoundNearestEven {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::round_even(x); }
};
struct RoundNearestAfz {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return std::round(x); }
};
struct IsFinite {
  TENON_APPLY bool apply(const ScalarParams&, Float auto x) { return x - x == 0; }
};
struct Not {
  TENON_APPLY bool apply(const ScalarParams&, Bool auto x) { return !x; }
  template <Integer T>
  TENON_APPLY T apply(const ScalarParams&, T x) { return static_cast<T>(~x); }
};
struct Popcnt {
  TENON_APPLY auto apply(const ScalarParams&, Integer auto x) { return math::population_count(x); }
};
struct CountLeadingZeros {
  TENON_APPLY auto apply(const ScalarParams&, Integer auto x) { return math::count_leading_zeros(x); }
};
struct Real {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return x; }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return x.real(); }
};
struct Imag {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return decltype(x)(0); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return x.imag(); }
};
struct Conj {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return x; }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return std::conj(x); }
};
struct Exponential {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::exp(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_exp, x); }
};
struct ExponentialMinusOne {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::expm1(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_expm1, x); }
};
struct LogPlusOne {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::log1p(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_log1p, x); }
};
struct Logistic {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::logistic(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_logistic, x); }
};
struct Log {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::log(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_log, x); }
};
struct Sine {
  TENON_APPLY bool is_rare(Float auto x) { return math::is_huge(x); }
  TENON_APPLY auto apply_common(Float auto x) { return math::sin_moderate(x); }
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::sin(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_sin, x); }
};
struct Cosine {
  TENON_APPLY bool is_rare(Float auto x) { return math::is_huge(x); }
  TENON_APPLY auto apply_common(Float auto x) { return math::cos_moderate(x); }
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::cos(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_cos, x); }
};
struct Tan {
  TENON_APPLY bool is_rare(Float auto x) { return math::is_huge(x); }
  TENON_APPLY auto apply_common(Float auto x) { return math::tan_moderate(x); }
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::tan(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_tan, x); }
};
struct Atan {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::atan(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_atan, x); }
};
struct Asin {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::asin(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_asin, x); }
};
struct Acos {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::acos(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_acos, x); }
};
struct Sinh {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::sinh(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_sinh, x); }
};
struct Cosh {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::cosh(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_cosh, x); }
};
struct Asinh {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::asinh(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_asinh, x); }
};
struct Acosh {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::acosh(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_acosh, x); }
};
struct Atanh {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::atanh(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_atanh, x); }
};
struct Cbrt {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::cbrt(x); }
};
struct Erf {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::erf(x); }
};
struct ErfInv {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::erf_inv(x); }
};
struct Erfc {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::erfc(x); }
};
struct Lgamma {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::lgamma(x); }
};
struct Digamma {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::digamma(x); }
};
struct Tanh {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::tanh(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_tanh, x); }
};
struct Sqrt {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::sqrt(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_sqrt, x); }
};
struct Rsqrt {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return math::rsqrt(x); }
  TENON_APPLY auto apply(const ScalarParams&, Complex auto x) { return in_double(math::complex_rsqrt, x); }
};
struct Square {
  TENON_APPLY auto apply(const ScalarParams&, Float auto x) { return x * x; }
  TENON_APPLY auto apply(const ScalarParams&, Integer auto x) { return math::multiply(x, x); }
  template <Complex T>
  TENON_APPLY T apply(const ScalarParams&, T x) {
    const bool is_diagonal = std::fabs(x.real()) == std::fabs(x.imag());  // where the sum may overflow
    return T(is_diagonal ? x.real() - x.real() : (x.real() - x.imag()) * (x.real() + x.imag()), 2 * (x.real() * x.imag()));
  }
};
struct IsInf {
  TENON_APPLY bool apply(const ScalarParams&, Float auto x) { return math::abs(x) == HUGE_VAL; }
};
struct IsPosInf {
  TENON_APPLY bool apply(const ScalarParams&, Float auto x) { return x == HUGE_VAL; }
};
struct IsNegInf {
  TENON_APPLY bool apply(const ScalarParams&, Float auto x) { return x == -HUGE_VAL; }
};

template <int own_exponent_bits>
struct ReducePrecision {
  TENON_APPLY auto apply(const ScalarParams& params, Float auto x) {
    return math::reduce_precision(x, own_exponent_bits, params.exponent_bits, params.mantissa_bits);
  }
};

// ---- two operands

struct Add {
  TENON_APPLY bool apply(const ScalarParams&, Bool auto a, Bool auto b) { return a | b; }
  template <Integer T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return math::add(a, b); }
  template <Float T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return a + b; }
  template <Complex T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return a + b; }
};
struct Subtract {
  template <Integer T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return math::subtract(a, b); }
  template <Float T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return a - b; }
  template <Complex T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return a - b; }
};
struct Multiply {
  TENON_APPLY bool apply(const ScalarParams&, Bool auto a, Bool auto b) { return a & b; }
  template <Integer T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return math::multiply(a, b); }
  template <Float T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return a * b; }
  template <Complex T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) {  // as HLO: no rescue of infinities
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  }
};
struct Divide {
  template <Integer T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return math::divide(a, b); }
  template <Float T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return a / b; }
  template <Complex T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return in_double(math::complex_divide, a, b); }
};
struct Remainder {
  template <Integer T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return math::remainder(a, b); }
  template <Float T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return std::fmod(a, b); }
};
struct Maximum {
  TENON_APPLY bool apply(const ScalarParams&, Bool auto a, Bool auto b) { return a | b; }
  template <Integer T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return a > b ? a : b; }
  template <Float T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return math::maximum(a, b); }
  template <Complex T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return math::complex_maximum(a, b); }
};
struct Minimum {
  TENON_APPLY bool apply(const ScalarParams&, Bool auto a, Bool auto b) { return a & b; }
  template <Integer T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return a < b ? a : b; }
  template <Float T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return math::minimum(a, b); }
  template <Complex T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return math::complex_minimum(a, b); }
};
struct Power {
  template <Integer T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return math::power(a, b); }
  template <Float T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return math::pow(a, b); }
  template <Complex T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) {
    return in_double(math::complex_pow, a, b);
  }
};
struct Atan2 {
  template <Float T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return math::atan2(a, b); }
  template <Complex T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return in_double(math::complex_atan2, a, b); }
};
struct And {
  TENON_APPLY bool apply(const ScalarParams&, Bool auto a, Bool auto b) { return a & b; }
  template <Integer T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return static_cast<T>(a & b); }
};
struct Or {
  TENON_APPLY bool apply(const ScalarParams&, Bool auto a, Bool auto b) { return a | b; }
  template <Integer T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return static_cast<T>(a | b); }
};
struct Xor {
  TENON_APPLY bool apply(const ScalarParams&, Bool auto a, Bool auto b) { return a != b; }
  template <Integer T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return static_cast<T>(a ^ b); }
};
struct ShiftLeft {
  template <Integer T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return math::shift_left(a, b); }
};
struct ShiftRightLogical {
  template <Integer T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return math::shift_right_logical(a, b); }
};
struct ShiftRightArithmetic {
  template <Integer T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) { return math::shift_right_arithmetic(a, b); }
};
struct Mulhi {
  template <Integer T>
  TENON_APPLY T apply(const ScalarParams&, T a, T b) {
    using Wide = std::conditional_t<std::is_signed_v<T>, Int128, UInt128>;
    return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b) >> (8 * sizeof(T)));
  }
  __extension__ typedef __int128 Int128;
  __extension__ typedef unsigned __int128 UInt128;
};
/// On the bits of a number.
template <int exponent_bits, class T>
struct NextAfter {
  TENON_APPLY T apply(const ScalarParams&, T a, T b) {
    constexpr math::FloatBits format = math::float_bits(exponent_bits, 8 * sizeof(T));
    return math::next_after(a, b, static_cast<T>(format.sign), static_cast<T>(format.infinity),
                            static_cast<T>(format.quiet), T{1}, T{0});
  }
};
struct MakeComplex {
  template <Float T>
  TENON_APPLY std::complex<T> apply(const ScalarParams&, T a, T b) { return {a, b}; }
};

template <Comparison direction>
struct Compare {
  template <class T>
  TENON_APPLY bool apply(const ScalarParams&, T a, T b) {
    if constexpr (direction == Comparison::eq) return a == b;
    if constexpr (direction == Comparison::ne) return a != b;
    if constexpr (!is_complex<T>) {
      if constexpr (direction == Comparison::ge) return a >= b;
      if constexpr (direction == Comparison::gt) return a > b;
      if constexpr (direction == Comparison::le) return a <= b;
      if constexpr (direction == Comparison::lt) return a < b;
    }
    return false;  // complex numbers have no order; the verifier refuses
  }
};
/// Floats by their bits: the order of IEEE 754's totalOrder.
template <Comparison direction>
struct CompareTotalOrder {
  template <Float T>
  TENON_APPLY auto rank(T x) {
    using Signed = std::make_signed_t<math::BitsOf<T>>;
    const Signed bits = static_cast<Signed>(math::to_bits(x));
    return bits < 0 ? static_cast<Signed>(~math::to_bits(x) ^ math::sign_mask(x)) : bits;
  }
  template <Float T>
  TENON_APPLY bool apply(const ScalarParams& params, T a, T b) {
    return Compare<direction>::apply(params, rank(a), rank(b));
  }
};

// ---- three operands

struct Select {
  template <class T>
  TENON_APPLY T apply(const ScalarParams&, bool predicate, T a, T b) { return predicate ? a : b; }
};
struct Clamp {
  template <class T>
  TENON_APPLY T apply(const ScalarParams& params, T low, T x, T high) {
    return Minimum::apply(params, Maximum::apply(params, low, x), high);
  }
};

#undef TENON_APPLY

}  // namespace tenon::evaluator
