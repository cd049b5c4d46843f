#include "ops/logaddexp.h"

#include <limits>
#include <numbers>

#include "ops/convert.h"
#include "tenon/lax.h"

namespace tenon::lax {

// max + log1p(e^(x + y - 2 max)) with its angle brought to [-pi, pi).
static Array complex_logaddexp(const Array& x, const Array& y) {
  constexpr double kPi = std::numbers::pi;
  const Array larger = max(x, y);
  const Array out = add(larger, log1p(exp(sub(add(x, y), mul(larger, constant_like(larger, 2))))));
  const Array angle = imag(out), turn = constant_like(angle, 2 * kPi), half = constant_like(angle, kPi);
  const Array turned = rem(add(angle, half), turn);
  const Array positive = select(lt(turned, constant_like(angle, 0)), add(turned, turn), turned);
  return complex(real(out), sub(positive, half));
}

// log(e^x + e^y) = max + log1p(e^-|x - y|); x + y where the difference is NaN (inf and inf).
static Arrays logaddexp_body(const Arrays& xs) {
  if (xs[0].dtype().is_complex()) return {complex_logaddexp(xs[0], xs[1])};
  const Array larger = max(xs[0], xs[1]), difference = sub(xs[0], xs[1]);
  const Array is_nan = ne(difference, difference);
  const Array sum = add(xs[0], xs[1]);
  const Array rest = log1p(exp(neg(abs(difference))));
  return {select(is_nan, sum, add(larger, rest))};
}

// The share of x in the result: e^(x - result), where inf - inf is 0.
static Array share(const Array& x, const Array& result) {
  const auto without_inf = [](const Array& v) {
    const Array is_inf = eq(v, constant_like(v, std::numeric_limits<double>::infinity()));
    return select(is_inf, full_like(v, 0), v);
  };
  const Array numerator = without_inf(x);
  return exp(sub(numerator, without_inf(result)));
}

constinit const tenon::detail::FunctionWithJvp logaddexp_function{
    "logaddexp", "_logaddexp_jvp", logaddexp_body, [](const Arrays& in, const Tangents& t) -> JvpResult {
      const Array result = tenon::detail::call_custom_jvp(logaddexp_function, in)[0];
      const Array by_x = mul(t[0].value(), share(in[0], result));
      const Array by_y = mul(t[1].value(), share(in[1], result));
      return {{result}, {add(by_x, by_y)}};
    }};

}  // namespace tenon::lax
