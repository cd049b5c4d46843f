// Times of the stages of a compilation.
#pragma once

#include <array>
#include <chrono>

#include "tools/bench/workload.h"

namespace tenon::bench {

using Clock = std::chrono::steady_clock;
inline double seconds(Clock::time_point from, Clock::time_point to) { return std::chrono::duration<double>(to - from).count(); }

/// Median, least and number.
Timing summary(std::vector<double> times);

/// Each stage of a program that was never seen before: the functor is not empty, so nothing is known of it.
template <class F, class... A>
void time_stages(const std::string& name, int rounds, F function, const Emit& emit, const A&... args) {
  constexpr const char* kStages[] = {"trace", "lower", "compile", "total"};
  std::array<std::vector<double>, 4> times;
  for (int round = 0; round < rounds; ++round) {
    const auto t0 = Clock::now();
    const auto traced = jit(function, {.name = name}).trace(args...);
    const auto t1 = Clock::now();
    const auto lowered = traced.lower();
    const auto t2 = Clock::now();
    const auto compiled = lowered.compile();
    const auto t3 = Clock::now();
    const double stages[] = {seconds(t0, t1), seconds(t1, t2), seconds(t2, t3), seconds(t0, t3)};
    for (size_t k = 0; k < 4; ++k) times[k].push_back(stages[k]);
  }
  for (size_t k = 0; k < 4; ++k) emit("compile_" + name + "_" + kStages[k], summary(times[k]));
}

}  // namespace tenon::bench
