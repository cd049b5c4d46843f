// square: x * x.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive square_p{
    .name = "square",
    .abstract_eval = unary_rule<"square", kNumber>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {x[0].aval().dtype.is_inexact() ? b.chlo_square(x[0]) : b.multiply(x[0], x[0])};
    },
};
Array square(const Operand& x) { return apply(square_p, x); }

}  // namespace tenon::lax
