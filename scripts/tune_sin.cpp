// Searches the coefficients of TrigConstants<float>::kSin: those near the minimax polynomial whose
// evaluation, with its roundings, has the least largest error. Prints each better set with its error
// in ulp. Not part of the library:
//     clang++ -O2 -mfma -std=c++20 tune_sin.cpp && ./a.out
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

struct Sample {
  float r;
  double sin;
};
using Coefficients = std::array<float, 4>;

// The largest error, or the first above `limit`.
static double worst_error(const std::vector<Sample>& samples, const Coefficients& k, double limit) {
  double worst = 0;
  for (const Sample& at : samples) {
    const float z = at.r * at.r;
    const float p = std::fma(z, std::fma(z, std::fma(z, k[3], k[2]), k[1]), k[0]);
    const double error = std::fabs(std::fma(z * at.r, p, at.r) - at.sin) / (at.sin < 0.5 ? 0x1p-25 : 0x1p-24);
    worst = std::max(worst, error);
    if (worst > limit) break;
  }
  return worst;
}

int main() {
  // Below the first, nothing but the last rounding counts.
  std::vector<Sample> samples;
  for (uint32_t bits = std::bit_cast<uint32_t>(0.3125f); bits < std::bit_cast<uint32_t>(1.5712f); bits += 3) {
    const float r = std::bit_cast<float>(bits);
    samples.push_back({r, std::sin(double{r})});
  }
  std::mt19937 random(1);
  std::ranges::shuffle(samples, random);  // a bad set shows early

  Coefficients best = {-0x1.55554cp-3f, 0x1.110ed4p-7f, -0x1.9f6f22p-13f, 0x1.5da83p-19f};  // coefficients.py
  double least = worst_error(samples, best, 9);
  constexpr std::array kReach = {6, 80, 2000, 60000};  // ulp
  for (int trial = 0; trial < 60000; ++trial) {
    Coefficients tried = best;
    for (int i = 0; i < 4; ++i) {
      const int step = static_cast<int>(random() % (2 * kReach[i] + 1)) - kReach[i];
      if (random() % 2) tried[i] = std::bit_cast<float>(std::bit_cast<uint32_t>(tried[i]) + step);
    }
    const double error = worst_error(samples, tried, least);
    if (error >= least) continue;
    least = error, best = tried;
    std::printf("%.4f  %a %a %a %a\n", least, best[0], best[1], best[2], best[3]);
    std::fflush(stdout);
  }
}
