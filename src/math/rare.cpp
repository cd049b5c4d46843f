// Payne & Hanek, "Radian reduction for trigonometric functions", SIGNUM 1983.
//
// |x| = m 2^e with an integer m of 53 bits. Of m * 2^e / pi only what lies below 2^1 matters
// (multiples of 2 pi vanish), so a window of 192 bits of 1/pi, that begins where m 2^e makes it
// count 2^1 or less, gives the quotient mod 2 with 128 bits and more behind the point. The fraction
// about the nearest integer times pi is r, to twice the precision of a double.
#include "math/rare.h"

#include <bit>
#include <cmath>

#include "math/trig.h"

namespace tenon::math {

__extension__ typedef unsigned __int128 uint128;

// 1/pi = sum of kInversePi[i] 2^(-64 (i + 1)); coefficients.py. 20 words reach 2^-1280.
static constexpr std::uint64_t kInversePi[20] = {
    0x517cc1b727220a94, 0xfe13abe8fa9a6ee0, 0x6db14acc9e21c820, 0xff28b1d5ef5de2b0, 0xdb92371d2126e970,
    0x0324977504e8c90e, 0x7f0ef58e5894d39f, 0x74411afa975da242, 0x74ce38135a2fbf20, 0x9cc8eb1cc1a99cfa,
    0x4e422fc5defc941d, 0x8ffc4bffef02cc07, 0xf79788c5ad05368f, 0xb69b3f6793e584db, 0xa7a31fb34f2ff516,
    0xba93dd63f5f2f8bd, 0x9e839cfbc5294975, 0x35fdafd88fc6ae84, 0x2b0198237e3db5d5, 0xf867de104d7a1b0e};

/// 64 bits of 1/pi from bit `position` (0 counts 2^-1) on.
static std::uint64_t inverse_pi_bits(int position) {
  if (position < 0) return position <= -64 ? 0 : kInversePi[0] >> -position;
  const int word = position / 64, shift = position % 64;
  const std::uint64_t high = kInversePi[word] << shift;
  return shift == 0 ? high : high | kInversePi[word + 1] >> (64 - shift);
}

/// |x| / pi modulo 2, times 2^127.
static uint128 over_pi_mod_2(double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) & ~(std::uint64_t{1} << 63);
  const std::uint64_t m = (bits & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1} << 52;
  const int e = static_cast<int>(bits >> 52) - 1023 - 52;
  // Bit p of 1/pi counts 2^(e - 1 - p) in the quotient per unit of m; those with e - 1 - p > 0
  // are multiples of 2. The window's first bit counts 2^0.
  const int first = e - 1;
  const std::uint64_t w0 = inverse_pi_bits(first);
  const std::uint64_t w1 = inverse_pi_bits(first + 64);
  const std::uint64_t w2 = inverse_pi_bits(first + 128);
  // m * (w0 2^128 + w1 2^64 + w2) modulo 2^192, its upper 128 bits: the first of them counts 2^0.
  const uint128 low = static_cast<uint128>(m) * w2;
  const uint128 middle = static_cast<uint128>(m) * w1;
  const uint128 high = static_cast<uint128>(m * w0) << 64;
  return high + middle + (low >> 64);
}

/// turns 2^-127 pi as (n + f) pi, |f| <= 1/2: r = f pi, and whether n is odd.
struct Reduced {
  DoubleWord<double> r;
  bool odd;
};
static Reduced reduce_turns(uint128 turns) {
  const uint128 half = static_cast<uint128>(1) << 126;  // 1/2
  // Nearest integer (0, 1 or 2): add 1/2, look at the bit that counts 2^0.
  const bool odd = ((turns + half) >> 127) & 1;
  uint128 fraction = odd ? turns - (static_cast<uint128>(1) << 127) : turns;  // in [-1/2, 1/2), wrapped
  const bool below = fraction >> 127;
  if (below) fraction = -fraction;
  // fraction 2^-127 as a sum of two doubles, of full length however small it is.
  const int zeros = fraction >> 64 ? std::countl_zero(static_cast<std::uint64_t>(fraction >> 64))
                                   : 64 + std::countl_zero(static_cast<std::uint64_t>(fraction) | 1);
  const uint128 aligned = fraction << zeros;
  const std::uint64_t top = static_cast<std::uint64_t>(aligned >> 64) & ~std::uint64_t{0x7ff};
  const uint128 rest = aligned - (static_cast<uint128>(top) << 64);
  const double sign = below ? -1 : 1;
  const double f_high = sign * std::ldexp(static_cast<double>(top), -63 - zeros);
  const double f_low = sign * std::ldexp(static_cast<double>(rest), -127 - zeros);
  constexpr double pi_high = TrigConstants<double>::kPi[0], pi_low = TrigConstants<double>::kPi[1];
  return {multiply(DoubleWord<double>{f_high, f_low}, DoubleWord<double>{pi_high, pi_low}), odd};
}

static double sin_turns(uint128 turns, bool negative) {
  const auto [r, odd] = reduce_turns(turns);
  const double y = sin_polynomial(r.high);
  return odd != negative ? -y : y;
}

double SinHuge::call(double x) {
  if (!std::isfinite(x)) return x - x;
  return sin_turns(over_pi_mod_2(x), std::signbit(x));
}

double CosHuge::call(double x) {
  if (!std::isfinite(x)) return x - x;
  return sin_turns(over_pi_mod_2(x) + (static_cast<uint128>(1) << 126), false);  // sin(|x| + pi/2)
}

double TanHuge::call(double x) {
  if (!std::isfinite(x)) return x - x;
  // In quarter turns: twice |x| / pi modulo 2, so that an odd n stands for pi/2.
  const auto [twice, odd] = reduce_turns(over_pi_mod_2(x) << 1);
  const auto [sin, cos] = sin_cos_quarter(DoubleWord<double>{twice.high / 2, twice.low / 2});
  const double y = odd ? -divide(cos, sin).high : divide(sin, cos).high;
  return std::signbit(x) ? -y : y;
}

float TanHuge::call(float x) { return static_cast<float>(call(static_cast<double>(x))); }
float SinHuge::call(float x) { return static_cast<float>(call(static_cast<double>(x))); }
float CosHuge::call(float x) { return static_cast<float>(call(static_cast<double>(x))); }

template <class Slow, class F>
static void apply(F* result, const F* x, std::uint64_t lanes) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const int i = std::countr_zero(lanes);
    result[i] = Slow::call(x[i]);
  }
}

static constexpr RareFunction kRareFunctions[] = {
    {SinHuge::kName, apply<SinHuge, float>, apply<SinHuge, double>},
    {CosHuge::kName, apply<CosHuge, float>, apply<CosHuge, double>},
    {TanHuge::kName, apply<TanHuge, float>, apply<TanHuge, double>},
    {Lgamma::kName, apply<Lgamma, float>, apply<Lgamma, double>},
    {Digamma::kName, apply<Digamma, float>, apply<Digamma, double>},
};

const RareFunction* find_rare(std::string_view name) {
  for (const RareFunction& function : kRareFunctions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

std::span<const RareFunction> rare_functions() { return kRareFunctions; }

}  // namespace tenon::math
