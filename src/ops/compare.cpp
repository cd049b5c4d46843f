// eq ne lt le gt ge: comparisons, element by element, with a bool result.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

template <ComparisonDirection direction>
static Values lower_compare(StablehloBuilder& b, const Values& operands, const EqnParams&) {
  Values x = broadcast_values(b, operands);
  return {b.compare(x[0], x[1], direction)};
}

constinit const Primitive eq_p{
    .name = "eq", .abstract_eval = predicate_rule<"eq", kAny | kKey>, .jvp = jvp_zero, .batching = batch_elementwise, .lowering = lower_compare<ComparisonDirection::EQ>};
constinit const Primitive ne_p{
    .name = "ne", .abstract_eval = predicate_rule<"ne", kAny | kKey>, .jvp = jvp_zero, .batching = batch_elementwise, .lowering = lower_compare<ComparisonDirection::NE>};
constinit const Primitive lt_p{
    .name = "lt", .abstract_eval = predicate_rule<"lt", kOrdered>, .jvp = jvp_zero, .batching = batch_elementwise, .lowering = lower_compare<ComparisonDirection::LT>};
constinit const Primitive le_p{
    .name = "le", .abstract_eval = predicate_rule<"le", kOrdered>, .jvp = jvp_zero, .batching = batch_elementwise, .lowering = lower_compare<ComparisonDirection::LE>};
constinit const Primitive gt_p{
    .name = "gt", .abstract_eval = predicate_rule<"gt", kOrdered>, .jvp = jvp_zero, .batching = batch_elementwise, .lowering = lower_compare<ComparisonDirection::GT>};
constinit const Primitive ge_p{
    .name = "ge", .abstract_eval = predicate_rule<"ge", kOrdered>, .jvp = jvp_zero, .batching = batch_elementwise, .lowering = lower_compare<ComparisonDirection::GE>};

Array eq(const Operand& x, const Operand& y) { return apply(eq_p, x, y); }
Array ne(const Operand& x, const Operand& y) { return apply(ne_p, x, y); }
Array lt(const Operand& x, const Operand& y) { return apply(lt_p, x, y); }
Array le(const Operand& x, const Operand& y) { return apply(le_p, x, y); }
Array gt(const Operand& x, const Operand& y) { return apply(gt_p, x, y); }
Array ge(const Operand& x, const Operand& y) { return apply(ge_p, x, y); }

}  // namespace tenon::lax
