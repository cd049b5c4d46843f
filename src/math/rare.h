// The slow sides of functions: called for single lanes that hardly ever occur.
//
// Generated code calls them by the name that `rare<Slow>` (number.h) carries.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tenon::math {

/// sin, cos and tan of a number of any size, infinity (NaN) included. Error below 1 ulp.
struct SinHuge {
  static constexpr const char kName[] = "sin_huge";
  static float call(float x);
  static double call(double x);
};
struct CosHuge {
  static constexpr const char kName[] = "cos_huge";
  static float call(float x);
  static double call(double x);
};
struct TanHuge {
  static constexpr const char kName[] = "tan_huge";
  static float call(float x);
  static double call(double x);
};

/// log |gamma(x)| and its derivative, whole functions: too much code to be inlined anywhere. Error
/// below 1 ulp. Of 0 and the negative integers, lgamma is inf and digamma NaN.
struct Lgamma {
  static constexpr const char kName[] = "lgamma";
  static float call(float x);
  static double call(double x);
};
struct Digamma {
  static constexpr const char kName[] = "digamma";
  static float call(float x);
  static double call(double x);
};

/// For generated code: result[i] = f(x[i]) where bit i of `lanes` is set; the rest is left alone.
using RareF32 = void (*)(float* result, const float* x, std::uint64_t lanes);
using RareF64 = void (*)(double* result, const double* x, std::uint64_t lanes);

struct RareFunction {
  std::string_view name;
  RareF32 f32;
  RareF64 f64;
};

/// The function called `name` (SinHuge::kName, ...); nullptr when there is none.
const RareFunction* find_rare(std::string_view name);
/// All of them.
std::span<const RareFunction> rare_functions();

}  // namespace tenon::math
