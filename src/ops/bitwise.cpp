// and or xor not: logic of bool, bits of integers. (`and`, `or`, `not` are C++ keywords, so the functions are
// called bitwise_and, ..., as in JAX.)
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive and_p{
    .name = "and",
    .abstract_eval = nary_rule<"and", kBoolOrInt>,
    .jvp = jvp_zero,
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.and_(x[0], x[1])};
    },
};
constinit const Primitive or_p{
    .name = "or",
    .abstract_eval = nary_rule<"or", kBoolOrInt>,
    .jvp = jvp_zero,
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.or_(x[0], x[1])};
    },
};
constinit const Primitive xor_p{
    .name = "xor",
    .abstract_eval = nary_rule<"xor", kBoolOrInt>,
    .jvp = jvp_zero,
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.xor_(x[0], x[1])};
    },
};
constinit const Primitive not_p{
    .name = "not",
    .abstract_eval = unary_rule<"not", kBoolOrInt>,
    .jvp = jvp_zero,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {b.not_(x[0])}; },
};

Array bitwise_and(const Operand& x, const Operand& y) { return apply(and_p, x, y); }
Array bitwise_or(const Operand& x, const Operand& y) { return apply(or_p, x, y); }
Array bitwise_xor(const Operand& x, const Operand& y) { return apply(xor_p, x, y); }
Array bitwise_not(const Operand& x) { return apply(not_p, x); }

}  // namespace tenon::lax
