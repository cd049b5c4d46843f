// The dtypes of results where 64 bits are enabled: integers become floats of a width that follows their own.
#include <gtest/gtest.h>

#include "tenon/tenon.h"

namespace tenon::test {
namespace {

struct Row {
  const char* name;
  Array (*function)(const Array& x);
  const char* dtypes;  // of the results for operands of kDTypes, from JAX 0.12
};
const DType kDTypes[] = {jnp::bool_, jnp::int8, jnp::uint16, jnp::int32, jnp::uint32, jnp::int64, jnp::uint64, jnp::float32};

constexpr const char* kFloats = "float32 float32 float32 float32 float32 float64 float64 float32";
constexpr const char* kComplex = "complex64 complex64 complex64 complex64 complex64 complex128 complex128 complex64";

#define TENON_ROW(name, dtypes, ...) Row{#name, [](const Array& x) -> Array { return __VA_ARGS__; }, dtypes}
const Row kRows[] = {
    TENON_ROW(sin, kFloats, jnp::sin(x)),
    TENON_ROW(exp2, kFloats, jnp::exp2(x)),
    TENON_ROW(sqrt, kFloats, jnp::sqrt(x)),
    TENON_ROW(divide, kFloats, x / x),
    TENON_ROW(arctan2, kFloats, jnp::arctan2(x, x)),
    TENON_ROW(hypot, kFloats, jnp::hypot(x, x)),
    TENON_ROW(logaddexp, kFloats, jnp::logaddexp(x, x)),
    TENON_ROW(float_power, kFloats, jnp::float_power(x, x)),
    TENON_ROW(copysign, kFloats, jnp::copysign(x, x)),
    TENON_ROW(nextafter, kFloats, jnp::nextafter(x, x)),
    TENON_ROW(rad2deg, kFloats, jnp::rad2deg(x)),
    TENON_ROW(fabs, kFloats, jnp::fabs(x)),
    TENON_ROW(frexp, kFloats, jnp::frexp(x).first),
    TENON_ROW(mean, kFloats, jnp::mean(x)),
    TENON_ROW(var, kFloats, jnp::var(x)),
    TENON_ROW(std, kFloats, jnp::std(x)),
    TENON_ROW(median, kFloats, jnp::median(x)),
    TENON_ROW(quantile, kFloats, jnp::quantile(x, 0.5)),
    TENON_ROW(average, kFloats, jnp::average(x)),
    TENON_ROW(linspace, kFloats, jnp::linspace(x, x, 3)),
    TENON_ROW(logsumexp, kFloats, nn::logsumexp(x)),
    TENON_ROW(gelu, kFloats, nn::gelu(x)),
    TENON_ROW(fft, kComplex, jnp::fft::fft(x)),
    TENON_ROW(rfft, kComplex, jnp::fft::rfft(x)),
    // What is not converted by these rules.
    TENON_ROW(angle, "float64 float64 float64 float64 float64 float64 float64 float32", jnp::angle(x)),
    TENON_ROW(times_float, "float64 float64 float64 float64 float64 float64 float64 float32", x * 1.5),
    TENON_ROW(plus_int, "int64 int8 uint16 int32 uint32 int64 uint64 float32", x + 1),
    TENON_ROW(square, "int32 int8 uint16 int32 uint32 int64 uint64 float32", jnp::square(x)),
    TENON_ROW(relu, "int64 int8 uint16 int32 uint32 int64 uint64 float32", nn::relu(x)),
    TENON_ROW(sum, "int64 int64 uint64 int64 uint64 int64 uint64 float32", jnp::sum(x)),
    TENON_ROW(cumsum, "int64 int8 uint16 int32 uint32 int64 uint64 float32", jnp::cumsum(x)),
};
#undef TENON_ROW

TEST(X64, TypesOfResultsAreThoseOfJax) {
  const config::Scope wide({{"enable_x64", true}});
  for (const Row& row : kRows) {
    std::string dtypes;
    for (DType dtype : kDTypes) dtypes += (dtypes.empty() ? "" : " ") + eval_shape([&](Array x) { return row.function(x); }, ShapeDtype({4}, dtype)).dtype().str();
    EXPECT_EQ(dtypes, row.dtypes) << row.name;
  }
  EXPECT_EQ(jnp::sin(2).dtype(), jnp::float64);
}

// Without it there are no 64 bits to follow.
TEST(X64, Disabled) { EXPECT_EQ(jnp::sin(jnp::array({1, 2})).dtype(), jnp::float32); }

}  // namespace
}  // namespace tenon::test
