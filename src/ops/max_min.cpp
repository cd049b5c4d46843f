// max and min; NaN wins.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

// Complex numbers in the order of their real, then of their imaginary parts.
static Value pick_complex(StablehloBuilder& b, const Value& x, const Value& y, ComparisonDirection wins) {
  const Value x_re = b.real(x), y_re = b.real(y);
  const Value tie = b.compare(x_re, y_re, ComparisonDirection::EQ);
  const Value re_wins = b.compare(x_re, y_re, wins);
  const Value x_im = b.imag(x), y_im = b.imag(y);
  const Value im_wins = b.compare(x_im, y_im, wins);
  return b.select(b.select(tie, im_wins, re_wins), x, y);
}

// 1 where x > y, a half where they are equal, else 0.
static Array share_of_larger(const Array& x, const Array& y) {
  const Array larger = gt(x, y), equal = eq(x, y);
  const DType dtype = x.dtype();
  const Array ones = full_like(larger, 1, dtype), zeros = full_like(larger, 0, dtype), halves = full_like(larger, 0.5, dtype);
  const Array otherwise = select(equal, halves, zeros);
  return select(larger, ones, otherwise);
}
static Array max_jvp_x(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return mul(g, share_of_larger(x[0], x[1]));
}
static Array max_jvp_y(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return mul(g, share_of_larger(x[1], x[0]));
}
constinit const Primitive max_p{
    .name = "max",
    .abstract_eval = nary_rule<"max", kAny>,
    .jvp = jvp_by_operand<max_jvp_x, max_jvp_y>,
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      if (x[0].aval().dtype.is_complex()) return {pick_complex(b, x[0], x[1], ComparisonDirection::GT)};
      return {b.maximum(x[0], x[1])};
    },
};
Array max(const Operand& x, const Operand& y) { return apply(max_p, x, y); }

static Array min_jvp_x(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return mul(g, share_of_larger(x[1], x[0]));
}
static Array min_jvp_y(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return mul(g, share_of_larger(x[0], x[1]));
}
constinit const Primitive min_p{
    .name = "min",
    .abstract_eval = nary_rule<"min", kAny>,
    .jvp = jvp_by_operand<min_jvp_x, min_jvp_y>,
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      if (x[0].aval().dtype.is_complex()) return {pick_complex(b, x[0], x[1], ComparisonDirection::LT)};
      return {b.minimum(x[0], x[1])};
    },
};
Array min(const Operand& x, const Operand& y) { return apply(min_p, x, y); }

}  // namespace tenon::lax
