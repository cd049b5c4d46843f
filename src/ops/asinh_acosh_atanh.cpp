// asinh, acosh and atanh.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive asinh_p{
    .name = "asinh",
    .abstract_eval = unary_rule<"asinh", kInexact>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_asinh(x[0])};
    },
};
Array asinh(const Operand& x) { return apply(asinh_p, x); }

constinit const Primitive acosh_p{
    .name = "acosh",
    .abstract_eval = unary_rule<"acosh", kInexact>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_acosh(x[0])};
    },
};
Array acosh(const Operand& x) { return apply(acosh_p, x); }

constinit const Primitive atanh_p{
    .name = "atanh",
    .abstract_eval = unary_rule<"atanh", kInexact>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_atanh(x[0])};
    },
};
Array atanh(const Operand& x) { return apply(atanh_p, x); }

}  // namespace tenon::lax
