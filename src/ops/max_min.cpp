// max and min; NaN wins.
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

constinit const Primitive max_p{
    .name = "max",
    .abstract_eval = nary_rule<"max", kAny>,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      if (x[0].aval().dtype.is_complex()) return {pick_complex(b, x[0], x[1], ComparisonDirection::GT)};
      return {b.maximum(x[0], x[1])};
    },
};
Array max(const Operand& x, const Operand& y) { return apply(max_p, x, y); }

constinit const Primitive min_p{
    .name = "min",
    .abstract_eval = nary_rule<"min", kAny>,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      if (x[0].aval().dtype.is_complex()) return {pick_complex(b, x[0], x[1], ComparisonDirection::LT)};
      return {b.minimum(x[0], x[1])};
    },
};
Array min(const Operand& x, const Operand& y) { return apply(min_p, x, y); }

}  // namespace tenon::lax
