// lgamma and digamma in double words (a sum of two doubles, 104 bits), for single numbers.
//
// For x >= 20, Stirling's series; below, gamma(x) = gamma(x + n) / (x (x + 1) ... (x + n - 1)); for
// negative x, reflection:
//
//     log|gamma(x)| = log(pi / |sin(pi x)|) - log gamma(1 - x)      psi(x) = psi(1 - x) - pi cot(pi x)
//
// Where the result is near 0 that loses more than the second word holds: there, about 1, 2 and the
// zeros on the negative axis, a Taylor series (whose zero is a double word) takes over. Zeros that
// are not in the tables lie so close to a pole (lgamma), or among numbers so far apart (digamma), that
// no double comes close enough. Constants: gamma_coefficients.py.
#include <cmath>

#include "math/double_word.h"
#include "math/fma_target.h"
#include "math/log.h"
#include "math/rare.h"
#include "math/trig.h"

namespace tenon::math {

namespace {

using Word = DoubleWord<double>;

/// 2 / (2k + 1): log((1 + s) / (1 - s)) / s in s^2, and its rest.
constexpr Word kLog[] = {
    {0x1p+1, 0x0.0p+0}, {0x1.5555555555555p-1, 0x1.5555555555555p-55},
    {0x1.999999999999ap-2, -0x1.999999999999ap-56}, {0x1.2492492492492p-2, 0x1.2492492492492p-56},
    {0x1.c71c71c71c71cp-3, 0x1.c71c71c71c71cp-57}, {0x1.745d1745d1746p-3, -0x1.745d1745d1746p-58},
    {0x1.3b13b13b13b14p-3, -0x1.3b13b13b13b14p-57}, {0x1.1111111111111p-3, 0x1.1111111111111p-59},
    {0x1.e1e1e1e1e1e1ep-4, 0x1.e1e1e1e1e1e1ep-60}, {0x1.af286bca1af28p-4, 0x1.af286bca1af28p-58},
    {0x1.8618618618618p-4, 0x1.8618618618618p-58},};
constexpr double kLogRest[] = {
    0x1.642c8590b2164p-4, 0x1.47ae147ae147bp-4, 0x1.2f684bda12f68p-4, 0x1.1a7b9611a7b96p-4,
    0x1.0842108421084p-4, 0x1.f07c1f07c1f08p-5, 0x1.d41d41d41d41dp-5, 0x1.bacf914c1bad0p-5,
    0x1.a41a41a41a41ap-5, 0x1.8f9c18f9c18fap-5, 0x1.7d05f417d05f4p-5,};
/// sin(t) / t and cos(t) in t^2, and their rests.
constexpr Word kSin[] = {
    {0x1p+0, 0x0.0p+0}, {-0x1.5555555555555p-3, -0x1.5555555555555p-57},
    {0x1.1111111111111p-7, 0x1.1111111111111p-63},
    {-0x1.a01a01a01a01ap-13, -0x1.a01a01a01a01ap-73},
    {0x1.71de3a556c734p-19, -0x1.c154f8ddc6c00p-73},
    {-0x1.ae64567f544e4p-26, 0x1.c062e06d1f209p-80},
    {0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87},
    {-0x1.ae7f3e733b81fp-41, -0x1.1d8656b0ee8cbp-97},
    {0x1.952c77030ad4ap-49, 0x1.ac981465ddc6cp-103},
    {-0x1.2f49b46814157p-57, -0x1.2650f61dbdcb4p-112},
    {0x1.71b8ef6dcf572p-66, -0x1.d043ae40c4647p-120},};
constexpr double kSinRest[] = {
    -0x1.761b41316381ap-75, 0x1.3f3ccdd165fa9p-84, -0x1.d1ab1c2dccea3p-94, 0x1.259f98b4358adp-103,
    -0x1.434d2e783f5bcp-113, 0x1.3981254dd0d52p-123, -0x1.0dc59c716d91fp-133,
    0x1.9ec8d1c94e85bp-144,};
constexpr Word kCos[] = {
    {0x1p+0, 0x0.0p+0}, {-0x1p-1, 0x0.0p+0}, {0x1.5555555555555p-5, 0x1.5555555555555p-59},
    {-0x1.6c16c16c16c17p-10, 0x1.f49f49f49f49fp-65},
    {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76},
    {-0x1.27e4fb7789f5cp-22, -0x1.cbbc05b4fa99ap-76},
    {0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83},
    {-0x1.93974a8c07c9dp-37, -0x1.05d6f8a2efd1fp-92},
    {0x1.ae7f3e733b81fp-45, 0x1.1d8656b0ee8cbp-101},
    {-0x1.6827863b97d97p-53, -0x1.eec01221a8b0bp-107},
    {0x1.e542ba4020225p-62, 0x1.ea72b4afe3c2fp-120},};
constexpr double kCosRest[] = {
    -0x1.0ce396db7f853p-70, 0x1.f2cf01972f578p-80, -0x1.88e85fc6a4e5ap-89, 0x1.0a18a2635085dp-98,
    -0x1.3932c5047d60ep-108, 0x1.434d2e783f5bcp-118, -0x1.2710231c0fd7ap-128,
    0x1.df983290c2ca9p-139,};
/// B_2k / (2k (2k - 1)): Stirling's series for log gamma in 1 / x^2, and its rest.
constexpr Word kStirling[] = {
    {0x1.5555555555555p-4, 0x1.5555555555555p-58}, {-0x1.6c16c16c16c17p-9, 0x1.f49f49f49f49fp-64},
    {0x1.a01a01a01a01ap-11, 0x1.a01a01a01a01ap-71},
    {-0x1.3813813813814p-11, 0x1.fb1fb1fb1fb20p-65},
    {0x1.b951e2b18ff23p-11, 0x1.5c3a9ce01b952p-65},
    {-0x1.f6ab0d9993c7dp-10, 0x1.f82553c999b0ep-64},
    {0x1.a41a41a41a41ap-8, 0x1.0690690690690p-62}, {-0x1.e4286cb0f5398p-6, 0x1.1efcdab896745p-61},};
constexpr double kStirlingRest[] = {
    0x1.6fe96381e0680p-3, -0x1.6476701181f3ap+0, 0x1.ace44322ce006p+3, -0x1.39b2525cccc1bp+7,
    0x1.12234e81b4e82p+11, -0x1.1a198ae1c4ab8p+15, 0x1.51a2089a6e11ap+19, -0x1.d1089b142d357p+23,
    0x1.6d29a0f6433b8p+28, -0x1.445119d9e466fp+33, 0x1.43779bc9d4025p+38,};
/// B_2k / 2k: its derivative.
constexpr Word kPsi[] = {
    {0x1.5555555555555p-4, 0x1.5555555555555p-58},
    {-0x1.1111111111111p-7, -0x1.1111111111111p-63},
    {0x1.0410410410410p-8, 0x1.0410410410410p-62},
    {-0x1.1111111111111p-8, -0x1.1111111111111p-64},
    {0x1.f07c1f07c1f08p-8, -0x1.f07c1f07c1f08p-63},
    {-0x1.5995995995996p-6, 0x1.9a99a99a99a9ap-60}, {0x1.5555555555555p-4, 0x1.5555555555555p-58},
    {-0x1.c5e5e5e5e5e5ep-2, -0x1.7979797979798p-56},};
constexpr double kPsiRest[] = {
    0x1.86e7f9b9fe6e8p+1, -0x1.a74ca514ca515p+4, 0x1.1975cc0ed7304p+8, -0x1.c2f0566566566p+11,
    0x1.ac572aaaaaaabp+15, -0x1.dc0b1a5cfbe16p+19, 0x1.31fad7cbf3c00p+24, -0x1.c280563b8bcbdp+28,
    0x1.7892edfdf5555p+33, -0x1.62b8b44651d09p+38, 0x1.76024c215d22bp+43,};
constexpr Word kLn2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}, kPi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
constexpr Word kHalfLogTwoPi = {0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55}, kLogPi = {0x1.250d048e7a1bdp+0, 0x1.7abf2ad8d5088p-57};
/// Taylor series of log gamma about 1 and 2, less its first coefficient.
constexpr double kAboutOne[] = {
    0x1.a51a6625307d3p-1, -0x1.9a4d55beab2d7p-2, 0x1.151322ac7d848p-2, -0x1.a8b9c17aa6149p-3,
    0x1.5b40cb100c306p-3, -0x1.2703a1dcea3aep-3, 0x1.010b36af86397p-3, -0x1.c806706d57db4p-4,
    0x1.9a01e385d5f8fp-4, -0x1.748c33114c6d6p-4, 0x1.556ad63243bc4p-4, -0x1.3b1d971fc5985p-4,
    0x1.2496df8320c5fp-4, -0x1.11133476e7fe0p-4, 0x1.00010064cdeb2p-4, -0x1.e1e2d311e8abdp-5,
    0x1.c71ce3a20b419p-5, -0x1.af28a1b5688a0p-5,};
constexpr double kAboutTwo[] = {
    0x1.4a34cc4a60fa6p-2, -0x1.13e001a557607p-4, 0x1.51322ac7d8483p-6, -0x1.e404fc218f5f2p-8,
    0x1.7add6eadb6c30p-9, -0x1.38ac5c2bf8e08p-10, 0x1.0b36af86396e9p-11, -0x1.d3fd4c76d2fc8p-13,
    0x1.a127b0f17d65ap-14, -0x1.78de5bd7c81efp-15, 0x1.580dcee66eb02p-16, -0x1.3cbc963ce2243p-17,
    0x1.2597a39f34aacp-18, -0x1.11b2eb7679541p-19, 0x1.0064cdeb22f0fp-20, -0x1.e2600d93cfd2fp-22,
    0x1.c76bbb3f07a4dp-23, -0x1.af5a6cbbf8a97p-24,};
constexpr Word kFirstOfOne = {-0x1.2788cfc6fb619p-1, 0x1.6cb90701fbfabp-58}, kFirstOfTwo = {0x1.b0ee6072093cep-2, 0x1.6cb90701fbfabp-58};
/// Zeros of log |gamma| where it rises or falls slowest: the zero, the slope, half the second
/// derivative, and how near they serve.
struct Zero {
  Word at;
  double slope, bend, reach;
};
constexpr Zero kLgammaZeros[] = {
    {{-0x1.3a7fc9600f86cp+1, -0x1.55f64f98af8d0p-55}, 0x1.83fe966af535fp+0, 0x1.36eebb002f55dp+2, 0x1p-32},
    {{-0x1.5fb410a1bd901p+1, 0x1.a19a96d2e6f85p-54}, -0x1.ea12da904b18cp+0, 0x1.3267f3c265a52p+3, 0x1p-32},
    {{-0x1.9260dbc9e59afp+1, -0x1.f717cd335a7b3p-53}, 0x1.f20a65f2fac55p+2, 0x1.9d4d2977150efp+4, 0x1p-33},
    {{-0x1.fa471547c2fe5p+1, -0x1.70d4561291237p-56}, -0x1.4b99d966c5647p+4, 0x1.f76deae0436bep+7, 0x1p-35},
    {{-0x1.0284e78599581p+2, 0x1.e78c1e9e43cfep-53}, 0x1.aca5cf4921642p+4, 0x1.44415cd813f8ep+8, 0x1p-35},
    {{-0x1.3f7577a6eeafdp+2, 0x1.5de5eab7f12cfp-53}, -0x1.d224a3ef9e41fp+6, 0x1.b533c678a3956p+12, 0x1p-37},
    {{-0x1.4086a57f0b6d9p+2, -0x1.95262b72ca9cap-55}, 0x1.ed72e0829ae02p+6, 0x1.cecc32ec22f9bp+12, 0x1p-37},
    {{-0x1.7fe92f591f40dp+2, -0x1.7dd4ed62cbd32p-52}, -0x1.661f6a43a5e12p+9, 0x1.f79dcb794f26fp+17, 0x1p-40},
};
constexpr Zero kDigammaZeros[] = {
    {{0x1.762d86356be3fp+0, 0x1.b86a722197829p-54}, 0x1.ef72bc8ee38acp-1, -0x1.c563b54aa1a35p-2, 0x1p-30},
    {{-0x1.02172b05ee260p-1, -0x1.2cd704405bff6p-57}, 0x1.1e12d46d5ae28p+3, -0x1.9e62874978640p-1, 0x1p-30},
    {{-0x1.92d0cbc289d4ap+0, -0x1.2262d144a30e4p-56}, 0x1.3e20e129a441ep+3, -0x1.f35db31e6a1d4p+2, 0x1p-30},
    {{-0x1.4e2c19f679e5ap+1, 0x1.c7b999bd14f47p-54}, 0x1.5b2582701b783p+3, -0x1.98a9c8ee5f509p+3, 0x1p-30},
    {{-0x1.d1514b041b2a8p+1, 0x1.f71449c2a5446p-55}, 0x1.74d47ec7ac492p+3, -0x1.0f036e4ba3313p+4, 0x1p-30},
    {{-0x1.29cea5c1ccbd0p+2, -0x1.25e92119a56a9p-52}, 0x1.8bd4130f4ee75p+3, -0x1.4a31244049061p+4, 0x1p-30},
    {{-0x1.6ab2ca18e6ce3p+2, -0x1.da7ecae62c5bdp-59}, 0x1.a0af5c72c8e84p+3, -0x1.802c5fd17ebafp+4, 0x1p-30},
    {{-0x1.ab6b34398a4ffp+2, 0x1.9027e5b26e237p-52}, 0x1.b3cda28232d1dp+3, -0x1.b23832f615893p+4, 0x1p-30},
    {{-0x1.ec04b952a5368p+2, -0x1.37a62af51caacp-53}, 0x1.c57b9f5a07e4bp+3, -0x1.e11ef4f9ada39p+4, 0x1p-30},
    {{-0x1.1643b3352a3f5p+3, -0x1.7ad951453a497p-52}, 0x1.d5f3731fec637p+3, -0x1.06b5741bdf27ep+5, 0x1p-30},
    {{-0x1.367c4b1f635e4p+3, -0x1.776d89f6e1950p-52}, 0x1.e5621de9944cep+3, -0x1.1bc02f3541771p+5, 0x1p-30},
    {{-0x1.56ae014434848p+3, -0x1.6a6ede6ee3df8p-51}, 0x1.f3eb2c3f70b31p+3, -0x1.2fd5af99223ebp+5, 0x1p-30},
    {{-0x1.76da2d93df103p+3, 0x1.efa7c6ac12c96p-51}, 0x1.00d59a9be36bfp+4, -0x1.4313bb2ac17bap+5, 0x1p-30},
    {{-0x1.9701cf864ba95p+3, -0x1.11f3c0c1a3c48p-51}, 0x1.075cca2efe328p+4, -0x1.55923e30ac4f7p+5, 0x1p-30},
    {{-0x1.b725a99120b77p+3, 0x1.05099936de9a6p-51}, 0x1.0d94d145599e7p+4, -0x1.6764d78d02577p+5, 0x1p-30},
    {{-0x1.d74652d341c14p+3, -0x1.51bec0981dfc3p-55}, 0x1.1385cc0be45f3p+4, -0x1.789be48fde576p+5, 0x1p-30},
    {{-0x1.f76442d8ce088p+3, 0x1.e69f83449d240p-54}, 0x1.193699d305f67p+4, -0x1.89453c9355675p+5, 0x1p-30},
};

TENON_MATH_INLINE Word sum(Word a, Word b) {
  const auto [high, low] = two_sum(a.high, b.high);
  const auto [more, rest] = two_sum(a.low, b.low);
  const Word first = fast_two_sum(high, low + more);
  return fast_two_sum(first.high, first.low + rest);
}
TENON_MATH_INLINE Word negative(Word a) { return {-a.high, -a.low}; }
TENON_MATH_INLINE Word scaled(Word a, double power_of_two) { return {a.high * power_of_two, a.low * power_of_two}; }
/// a / b, to the last bits: one more step than divide.
TENON_MATH_INLINE Word quotient(Word a, Word b) {
  const double first = a.high / b.high;
  const Word rest = sum(a, negative(multiply(first, b)));
  const double second = rest.high / b.high;
  const Word more = sum(rest, negative(multiply(second, b)));
  const Word low = fast_two_sum(second, more.high / b.high);
  return sum({first, 0}, low);
}

/// words[0] + z (words[1] + ... + z (rest[0] + z (...))).
template <std::size_t Count, std::size_t RestCount>
TENON_MATH_INLINE Word series(Word z, const Word (&words)[Count], const double (&rest)[RestCount]) {
  Word total{z.high * horner(z.high, rest), 0};
  for (std::size_t i = Count; i-- > 0;) {
    total = sum(words[i], total);
    if (i > 0) total = multiply(z, total);
  }
  return total;
}

/// log of a positive number. x = 2^e m, log m = 2 atanh(s), s = (m - 1) / (m + 1).
TENON_MATH_INLINE Word log_of(Word x) {
  int e;
  double m = std::frexp(x.high, &e);
  if (m < 0.70710678118654757) m *= 2, --e;
  const Word scaled_x{m, std::ldexp(x.low, -e)};
  const Word s = quotient(sum(scaled_x, {-1, 0}), sum(scaled_x, {1, 0}));
  const Word of_m = multiply(s, series(multiply(s, s), kLog, kLogRest));
  return sum(multiply(static_cast<double>(e), kLn2), of_m);
}

constexpr double kFar = 20;  // from here on, Stirling's series is good to the last bit

/// log gamma(x), x >= kFar.
TENON_MATH_INLINE Word stirling(Word x) {
  const Word inverse = quotient({1, 0}, x);
  const Word tail = multiply(inverse, series(multiply(inverse, inverse), kStirling, kStirlingRest));
  const Word main = multiply(sum(x, {-0.5, 0}), log_of(x));
  return sum(sum(main, negative(x)), sum(kHalfLogTwoPi, tail));
}

/// log gamma(x), x > 0.
TENON_MATH_INLINE Word log_gamma_of_positive(Word x) {
  if (x.high >= kFar) return stirling(x);
  Word product = x;
  Word y = sum(x, {1, 0});
  for (; y.high < kFar; y = sum(y, {1, 0})) product = multiply(product, y);
  return sum(stirling(y), negative(log_of(product)));
}

/// psi(x), x > 0.
TENON_MATH_INLINE Word psi_of_positive(Word x) {
  Word top{0, 0}, bottom{1, 0};  // 1/x + 1/(x + 1) + ... as a fraction
  for (; x.high < kFar; x = sum(x, {1, 0})) {
    top = sum(multiply(top, x), bottom);
    bottom = multiply(bottom, x);
  }
  const Word inverses = quotient(top, bottom);
  const Word inverse = quotient({1, 0}, x);
  const Word square = multiply(inverse, inverse);
  const Word tail = sum(scaled(inverse, 0.5), multiply(square, series(square, kPsi, kPsiRest)));
  return sum(sum(log_of(x), negative(tail)), negative(inverses));
}

/// sin(pi r) / (pi r) and cos(pi r), |r| <= 1/2.
TENON_MATH_INLINE Word sin_pi(double r) {
  const Word t = multiply(r, kPi);
  return multiply(t, series(multiply(t, t), kSin, kSinRest));
}
TENON_MATH_INLINE Word cos_pi(double r) {
  const Word t = multiply(r, kPi);
  return series(multiply(t, t), kCos, kCosRest);
}

/// Whether x is next to one of the zeros, and what the function is there.
template <std::size_t Count>
TENON_MATH_INLINE bool is_at_zero(double x, const Zero (&zeros)[Count], double& result) {
  for (const Zero& zero : zeros) {
    const double d = (x - zero.at.high) - zero.at.low;
    if (!(std::fabs(d) < zero.reach)) continue;
    result = d * fma(d, zero.bend, zero.slope);
    return true;
  }
  return false;
}

TENON_MATH_INLINE double lgamma_of(double x) {
  if (!(std::fabs(x) < HUGE_VAL)) return x * x;  // inf of both infinities
  if (x > 0x1p1000) {  // x log x is larger than the result, which may be the largest number
    const Word log_minus_one = sum(log_of({x, 0}), Word{-1, 0});
    return fma(x, log_minus_one.high, x * log_minus_one.low);
  }
  if (x <= 0 && std::floor(x) == x) return HUGE_VAL;
  if (std::fabs(x) < 0x1p-60) return -log_of({std::fabs(x), 0}).high;
  if (x == 1) return 0;
  if (const double d = x - 1; std::fabs(d) < 0.0625)
    return d * (kFirstOfOne.high + fma(d, horner(d, kAboutOne), kFirstOfOne.low));
  if (const double d = x - 2; std::fabs(d) < 0.0625)
    return d * (kFirstOfTwo.high + fma(d, horner(d, kAboutTwo), kFirstOfTwo.low));
  if (x > 0) return log_gamma_of_positive({x, 0}).high;
  double result;
  if (is_at_zero(x, kLgammaZeros, result)) return result;
  const Word sine = sin_pi(x - round_even(x));
  const Word log_sine = log_of(sine.high < 0 ? negative(sine) : sine);
  const Word other = log_gamma_of_positive(two_sum(1.0, -x));
  return sum(sum(kLogPi, negative(log_sine)), negative(other)).high;
}

TENON_MATH_INLINE double digamma_of(double x) {
  if (x == 0) return -HUGE_VAL;
  if (!(x > -HUGE_VAL)) return std::nan("");
  if (x == HUGE_VAL) return x;
  if (x < 0 && std::floor(x) == x) return std::nan("");
  if (std::fabs(x) < 0x1p-60) return -1 / x;
  double result;
  if (is_at_zero(x, kDigammaZeros, result)) return result;
  if (x > 0) return psi_of_positive({x, 0}).high;
  const double r = x - round_even(x);
  const Word cotangent = quotient(cos_pi(r), sin_pi(r));
  return sum(psi_of_positive(two_sum(1.0, -x)), negative(multiply(kPi, cotangent))).high;
}

// ---- The same in double, for single precision: absolute error some 2^-48.

constexpr double kNear = 8;  // from here on, eight terms of the series are good to 2^-52

TENON_MATH_INLINE double plain_lgamma_of_positive(double x) {
  double product = 1;
  for (; x < kNear; x += 1) product *= x;
  const double inverse = 1 / x, z = inverse * inverse;
  double tail = kStirling[7].high;
  for (int k = 7; k-- > 0;) tail = fma(tail, z, kStirling[k].high);
  return fma(x - 0.5, log(x), kHalfLogTwoPi.high - x) + (inverse * tail - log(product));
}
TENON_MATH_INLINE double plain_lgamma(double x) {
  if (x > 0) return plain_lgamma_of_positive(x);
  const double sine = std::fabs(sin_moderate((x - round_even(x)) * kPi.high));
  return kLogPi.high - log(sine) - plain_lgamma_of_positive(1 - x);
}

TENON_MATH_INLINE double plain_digamma_of_positive(double x) {
  double top = 0, bottom = 1;
  for (; x < kNear; x += 1) {
    top = fma(top, x, bottom);
    bottom *= x;
  }
  const double inverse = 1 / x, z = inverse * inverse;
  double tail = kPsi[7].high;
  for (int k = 7; k-- > 0;) tail = fma(tail, z, kPsi[k].high);
  return log(x) - fma(0.5, inverse, z * tail) - top / bottom;
}
TENON_MATH_INLINE double plain_digamma(double x) {
  if (x > 0) return plain_digamma_of_positive(x);
  const double t = (x - round_even(x)) * kPi.high;
  return plain_digamma_of_positive(1 - x) - kPi.high * (cos_moderate(t) / sin_moderate(t));
}

TENON_WITH_FMA double plain_lgamma_fma(double x) { return plain_lgamma(x); }
double plain_lgamma_baseline(double x) { return plain_lgamma(x); }
TENON_WITH_FMA double plain_digamma_fma(double x) { return plain_digamma(x); }
double plain_digamma_baseline(double x) { return plain_digamma(x); }

// Small results may have lost their digits, and what is not finite has its own rules.
bool is_plain(double y) { return std::fabs(y) > 0x1p-10 && std::fabs(y) < 0x1p100; }

TENON_WITH_FMA double lgamma_fma(double x) { return lgamma_of(x); }
double lgamma_baseline(double x) { return lgamma_of(x); }
TENON_WITH_FMA double digamma_fma(double x) { return digamma_of(x); }
double digamma_baseline(double x) { return digamma_of(x); }

}  // namespace

double Lgamma::call(double x) { return kHasFma ? lgamma_fma(x) : lgamma_baseline(x); }
double Digamma::call(double x) { return kHasFma ? digamma_fma(x) : digamma_baseline(x); }

float Lgamma::call(float x) {
  const double y = kHasFma ? plain_lgamma_fma(x) : plain_lgamma_baseline(x);
  return static_cast<float>(is_plain(y) ? y : call(static_cast<double>(x)));
}
float Digamma::call(float x) {
  const double y = kHasFma ? plain_digamma_fma(x) : plain_digamma_baseline(x);
  return static_cast<float>(is_plain(y) ? y : call(static_cast<double>(x)));
}

}  // namespace tenon::math
