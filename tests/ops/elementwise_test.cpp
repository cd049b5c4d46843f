// Elementwise operations on float32: against the C++ library in double precision, and three ways.
#include "ops/op_cases.h"

namespace tenon::test {
namespace {

OP_CASES(sin, {.function = [](const Arrays& x) { return jnp::sin(x[0]); },
    .reference = [](const double* x) -> double { return std::sin(x[0]); }});
OP_CASES(cos, {.function = [](const Arrays& x) { return jnp::cos(x[0]); },
    .reference = [](const double* x) -> double { return std::cos(x[0]); }});
OP_CASES(tanh, {.function = [](const Arrays& x) { return jnp::tanh(x[0]); },
    .reference = [](const double* x) -> double { return std::tanh(x[0]); }});
OP_CASES(exp, {.function = [](const Arrays& x) { return jnp::exp(x[0]); },
    .reference = [](const double* x) -> double { return std::exp(x[0]); }});
OP_CASES(log, {.function = [](const Arrays& x) { return jnp::log(x[0]); },
    .reference = [](const double* x) -> double { return std::log(x[0]); },
    .low = 0, .high = 100});
OP_CASES(sqrt, {.function = [](const Arrays& x) { return jnp::sqrt(x[0]); },
    .reference = [](const double* x) -> double { return std::sqrt(x[0]); },
    .low = 0, .high = 100, .ulps = 0.5});
OP_CASES(square, {.function = [](const Arrays& x) { return jnp::square(x[0]); },
    .reference = [](const double* x) -> double { return x[0] * x[0]; },
    .ulps = 0.5});
OP_CASES(abs, {.function = [](const Arrays& x) { return jnp::abs(x[0]); },
    .reference = [](const double* x) -> double { return std::abs(x[0]); },
    .ulps = 0});
OP_CASES(floor, {.function = [](const Arrays& x) { return jnp::floor(x[0]); },
    .reference = [](const double* x) -> double { return std::floor(x[0]); },
    .ulps = 0});
OP_CASES(round, {.function = [](const Arrays& x) { return jnp::round(x[0]); },
    .reference = [](const double* x) -> double { return std::nearbyint(x[0]); },
    .ulps = 0});
OP_CASES(negative, {.function = [](const Arrays& x) { return jnp::negative(x[0]); },
    .reference = [](const double* x) -> double { return -x[0]; },
    .ulps = 0});
OP_CASES(rsqrt, {.function = [](const Arrays& x) { return jnp::rsqrt(x[0]); },
    .reference = [](const double* x) -> double { return 1 / std::sqrt(x[0]); },
    .low = 0.01, .high = 100});
OP_CASES(sign, {.function = [](const Arrays& x) { return jnp::sign(x[0]); },
    .reference = [](const double* x) -> double { return std::isnan(x[0]) || x[0] == 0 ? x[0] : std::copysign(1, x[0]); },
    .ulps = 0});
OP_CASES(cube, {.function = [](const Arrays& x) { return jnp::power(x[0], 3); },
    .reference = [](const double* x) -> double { return static_cast<float>(x[0] * x[0]) * x[0]; },
    .ulps = 0.5});
OP_CASES(reciprocal, {.function = [](const Arrays& x) { return jnp::reciprocal(x[0]); },
    .reference = [](const double* x) -> double { return 1 / x[0]; },
    .ulps = 0.5});
OP_CASES(isfinite, {.function = [](const Arrays& x) { return jnp::isfinite(x[0]); },
    .reference = [](const double* x) -> double { return std::isfinite(x[0]); }});
OP_CASES(isnan, {.function = [](const Arrays& x) { return jnp::isnan(x[0]); },
    .reference = [](const double* x) -> double { return std::isnan(x[0]); }});
OP_CASES(to_int32, {.function = [](const Arrays& x) { return jnp::astype(x[0], jnp::int32); },
    .reference = [](const double* x) -> double { return std::isnan(x[0]) ? 0 : std::clamp(std::trunc(x[0]), -2147483648.0, 2147483647.0); },
    .ulps = 0, .specials = false});
OP_CASES(to_bool, {.function = [](const Arrays& x) { return jnp::astype(x[0], jnp::bool_); },
    .reference = [](const double* x) -> double { return x[0] != 0; }});
OP_CASES(add, {.function = [](const Arrays& x) { return jnp::add(x[0], x[1]); },
    .reference = [](const double* x) -> double { return x[0] + x[1]; },
    .operands = 2, .ulps = 0.5});
OP_CASES(subtract, {.function = [](const Arrays& x) { return jnp::subtract(x[0], x[1]); },
    .reference = [](const double* x) -> double { return x[0] - x[1]; },
    .operands = 2, .ulps = 0.5});
OP_CASES(multiply, {.function = [](const Arrays& x) { return jnp::multiply(x[0], x[1]); },
    .reference = [](const double* x) -> double { return x[0] * x[1]; },
    .operands = 2, .ulps = 0.5});
OP_CASES(true_divide, {.function = [](const Arrays& x) { return jnp::true_divide(x[0], x[1]); },
    .reference = [](const double* x) -> double { return x[0] / x[1]; },
    .operands = 2, .ulps = 0.5});
OP_CASES(maximum, {.function = [](const Arrays& x) { return jnp::maximum(x[0], x[1]); },
    .reference = [](const double* x) -> double { return std::isnan(x[0]) || std::isnan(x[1]) ? NAN : std::max(x[0], x[1]); },
    .operands = 2, .ulps = 0});
OP_CASES(minimum, {.function = [](const Arrays& x) { return jnp::minimum(x[0], x[1]); },
    .reference = [](const double* x) -> double { return std::isnan(x[0]) || std::isnan(x[1]) ? NAN : std::min(x[0], x[1]); },
    .operands = 2, .ulps = 0});
OP_CASES(less, {.function = [](const Arrays& x) { return jnp::less(x[0], x[1]); },
    .reference = [](const double* x) -> double { return x[0] < x[1]; },
    .operands = 2});
OP_CASES(less_equal, {.function = [](const Arrays& x) { return jnp::less_equal(x[0], x[1]); },
    .reference = [](const double* x) -> double { return x[0] <= x[1]; },
    .operands = 2});
OP_CASES(greater, {.function = [](const Arrays& x) { return jnp::greater(x[0], x[1]); },
    .reference = [](const double* x) -> double { return x[0] > x[1]; },
    .operands = 2});
OP_CASES(greater_equal, {.function = [](const Arrays& x) { return jnp::greater_equal(x[0], x[1]); },
    .reference = [](const double* x) -> double { return x[0] >= x[1]; },
    .operands = 2});
OP_CASES(equal, {.function = [](const Arrays& x) { return jnp::equal(x[0], x[1]); },
    .reference = [](const double* x) -> double { return x[0] == x[1]; },
    .operands = 2});
OP_CASES(not_equal, {.function = [](const Arrays& x) { return jnp::not_equal(x[0], x[1]); },
    .reference = [](const double* x) -> double { return x[0] != x[1]; },
    .operands = 2});
OP_CASES(rem, {.function = [](const Arrays& x) { return lax::rem(x[0], x[1]); },
    .reference = [](const double* x) -> double { return std::fmod(x[0], x[1]); },
    .operands = 2, .ulps = 0});
OP_CASES(where, {.function = [](const Arrays& x) { return jnp::where(x[0] > 0, x[0], x[1]); },
    .reference = [](const double* x) -> double { return x[0] > 0 ? x[0] : x[1]; },
    .operands = 2, .ulps = 0});

}  // namespace
}  // namespace tenon::test
