// cbrt: the cube root.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive cbrt_p{
    .name = "cbrt",
    .abstract_eval = unary_rule<"cbrt", kFloat>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.cbrt(x[0])};
    },
    .prints_param = prints_accuracy,
};
Array cbrt(const Operand& x) { return apply(cbrt_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
