// Arguments for the scalar functions: all exponents alike, and many where functions are hard.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace tenon::math {

/// Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (splitmix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t limit) { return bits() % limit; }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }   // [0, 1)
  double centered() { return 2 * unit() - 1; }                            // [-1, 1)
  double small() { return std::ldexp(centered(), -static_cast<int>(below(64))); }  // of all sizes

 private:
  std::uint64_t state_;
};

template <class F>
std::vector<F> special_values() {
  using L = std::numeric_limits<F>;
  std::vector<F> values;
  for (F x : {F(0), L::denorm_min(), L::min(), std::nextafter(L::min(), F(0)), L::epsilon(), F(0.5), F(1),
              std::nextafter(F(1), F(0)), std::nextafter(F(1), F(2)), F(2), F(3.1415926535897932), F(88.7), F(88.8),
              F(104), F(709.7), F(745.2), F(1e10), L::max(), L::infinity(), L::quiet_NaN()}) {
    values.push_back(x);
    values.push_back(-x);
  }
  return values;
}

/// Where functions turn: zeros, poles, the ends of ranges, and where src/math changes its way.
inline constexpr double kHardPlaces[] = {
    0x1p-149, 0x1p-126, 0x1p-1022, 0x1p-60, 0x1p-53, 0x1p-30, 0x1p-24,             // subnormals, f(x) = x
    0.25, 0.41421356237309503, 0.5, 0.70710678118654757, 1, 2, 2.414213562373095,  // selections
    0.34657359027997264, 0.69314718055994529, 1.0397207708399179,                  // ln2 / 2, ln2, 3 ln2 / 2
    1.4616321449683623, 0.50408300826445541, 1.5734984731623912, 2.6107208684441449, 3.6352933664369010,  // digamma = 0
    2.4570247382208006, 2.7476826467274127, 3.1435808883499801, 3.9552942848585979, 4.0393618397405371,   // lgamma = 0
    4.9915446405600470, 5.0082181684407599, 5.9986074800808753, 6.0001984818371, 3, 4, 8, 20,
    5.8636, 5.9215871957945083, 9.1945, 10.0546, 26.5432, 27.2264,                 // erf = 1, erfc = 0
    8.6643, 9.0109, 17.3287, 18.7149, 20, 30, 36.7368, 37.4299, 40, 60,            // tanh = 1, expm1 = -1, logistic
    87.3365, 88.3763, 88.7228, 89.4160, 103.2789, 103.9721,                        // exp in f32
    708.3964, 709.0896, 709.7827, 710.4758, 744.4401, 745.1332, 0x1p14, 0x1p17, 0x1p28, 0x1p30, 0x1p100, 0x1p127,
    0x1p1000, 0x1.7e8p1014};

/// The multiples of pi/2, of all sizes, and their neighbours.
template <class F>
F next_to_multiple_of_half_pi(Random& random) {
  constexpr int bits = sizeof(F) == 4 ? 30 : 62;
  const std::uint64_t n = random.bits() >> (64 - 1 - random.below(bits));
  const long double half_pi = 1.57079632679489661923132169163975144L;
  F x = static_cast<F>(half_pi * static_cast<long double>(n));
  for (std::uint64_t steps = random.below(3); steps > 0; --steps) x = std::nextafter(x, F(0));
  return random.below(2) ? x : -x;
}

/// A number of any size or from where functions are hard, by turns.
template <class F>
F any_number(Random& random) {
  using Bits = std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>;
  const double sign = random.below(2) ? 1 : -1;
  switch (random.below(8)) {
    case 0:
    case 1: return std::bit_cast<F>(static_cast<Bits>(random.bits()));
    case 2: return static_cast<F>(random.centered() * 4);
    case 3: return static_cast<F>(std::ldexp(random.centered(), static_cast<int>(random.below(90)) - 60));
    case 4: return static_cast<F>(random.centered() * (sizeof(F) == 4 ? 104 : 746));
    case 5: return static_cast<F>(sign * (1 + random.small()));
    case 6: {
      const std::uint64_t place = random.below(std::size(kHardPlaces));
      return static_cast<F>(sign * kHardPlaces[place] * (1 + random.small()));
    }
    default: return next_to_multiple_of_half_pi<F>(random);
  }
}

/// Two numbers: any; near each other; or such that x^y is in range.
template <class F>
std::pair<F, F> any_pair(Random& random) {
  const F x = any_number<F>(random);
  switch (random.below(4)) {
    case 0: return {x, any_number<F>(random)};
    case 1: return {x, static_cast<F>(static_cast<double>(x) * random.small())};
    case 2: return {x, static_cast<F>(static_cast<double>(random.below(2000)) - 1000)};
    default: {
      const double highest = sizeof(F) == 4 ? 104 : 746;
      return {std::fabs(x), static_cast<F>(random.centered() * highest / std::log(std::fabs(static_cast<double>(x))))};
    }
  }
}

}  // namespace tenon::math
