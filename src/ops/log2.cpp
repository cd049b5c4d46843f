// log2: log(x) / log(2), by a multiplication.
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array log2_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  const Array ln2 = log(constant_like(x[0], 2));
  return div(g, mul(x[0], ln2));
}
constinit const Primitive log2_p{
    .name = "log2",
    .abstract_eval = unary_rule<"log2", kInexact>,
    .jvp = jvp_by_operand<log2_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      const Value log = b.log(x[0]);
      if (!log.aval().dtype.is_complex())
        return {b.multiply(log, full_value(b, 1.44269504088896340736, log.aval()))};
      const Value re = b.real(log), im = b.imag(log);
      const Value scale = full_value(b, 1.44269504088896340736, re.aval());
      const Value scaled_re = b.multiply(re, scale), scaled_im = b.multiply(im, scale);
      return {b.complex(scaled_re, scaled_im)};
    },
    .prints_param = prints_accuracy,
};
Array log2(const Operand& x) { return apply(log2_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
