// sinh and cosh.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive sinh_p{
    .name = "sinh",
    .abstract_eval = unary_rule<"sinh", kInexact>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_sinh(x[0])};
    },
};
Array sinh(const Operand& x) { return apply(sinh_p, x); }

constinit const Primitive cosh_p{
    .name = "cosh",
    .abstract_eval = unary_rule<"cosh", kInexact>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_cosh(x[0])};
    },
};
Array cosh(const Operand& x) { return apply(cosh_p, x); }

}  // namespace tenon::lax
