// exp2: 2^x, as e^(x log 2).
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array exp2_jvp(const Array& g, const Array& y, const Arrays& x, const EqnParams&) {
  const Array ln2 = log(constant_like(x[0], 2));
  return mul(ln2, mul(g, y));
}
constinit const Primitive exp2_p{
    .name = "exp2",
    .abstract_eval = unary_rule<"exp2", kInexact>,
    .jvp = jvp_by_operand<exp2_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      const auto times_log2 = [&](const Value& v) { return b.multiply(full_value(b, 0.69314718055994530942, v.aval()), v); };
      if (!x[0].aval().dtype.is_complex()) return {b.exponential(times_log2(x[0]))};
      // Part by part: 0 log(2) times an infinite part would be NaN.
      return {b.exponential(b.complex(times_log2(b.real(x[0])), times_log2(b.imag(x[0]))))};
    },
    .prints_param = prints_accuracy,
};
Array exp2(const Operand& x) { return apply(exp2_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
