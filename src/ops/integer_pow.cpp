// integer_pow: x to the power y, for an integer y that is known while tracing.
#include <optional>

#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array integer_pow_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams& params) {
  const int64_t y = params.get<int64_t>("y");
  if (y == 0) return full_like(g, 0);
  if (y == 1) return g;
  if (y == 2) return mul(g, mul(constant_like(x[0], 2), x[0]));
  const Array power = integer_pow(x[0], static_cast<int>(y - 1));
  return mul(g, mul(constant_like(x[0], static_cast<double>(y)), power));
}
constinit const Primitive integer_pow_p{
    .name = "integer_pow",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      Avals out = unary_rule<"integer_pow", kNumber>(in, params);
      int64_t y = params.get<int64_t>("y");
      if (y < 0 && in[0].dtype.is_integer())
        fail<TypeError>("integer_pow", "an integer cannot be raised to a negative power; got ", in[0], " and y = ", y);
      return out;
    },
    .jvp = jvp_by_operand<integer_pow_jvp>,
    .batching = batch_unary,
    // Binary powers, lowest bit first: x^5 = x * (x^2)^2. x^3 is (x * x) * x, as JAX multiplies.
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      int64_t y = params.get<int64_t>("y");
      if (y == 0) return {full_value(b, 1, x[0].aval())};
      if (y == 2) return {b.multiply(x[0], x[0])};
      if (y == 3) return {b.multiply(b.multiply(x[0], x[0]), x[0])};
      std::optional<Value> product;
      Value power = x[0];
      uint64_t rest = y < 0 ? -static_cast<uint64_t>(y) : static_cast<uint64_t>(y);
      while (true) {
        if (rest & 1) product = product ? b.multiply(*product, power) : power;
        rest >>= 1;
        if (rest == 0) break;
        power = b.multiply(power, power);
      }
      if (y > 0) return {*product};
      return {b.divide(full_value(b, 1, x[0].aval()), *product)};
    },
};
Array integer_pow(const Operand& x, int y) { return apply(integer_pow_p, x, {{"y", y}}); }

}  // namespace tenon::lax
