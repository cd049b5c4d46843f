// log2: log(x) / log(2), by a multiplication.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive log2_p{
    .name = "log2",
    .abstract_eval = unary_rule<"log2", kInexact>,
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
