// sin and cos.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

// sin(x + iy) = sin x cosh y + i cos x sinh y; cos(x + iy) = cos x cosh y - i sin x sinh y. On the
// imaginary axis the part with sin x is 0 however large cosh y is.
static Value complex_sin_cos(StablehloBuilder& b, const Value& z, bool is_sin) {
  const Value x = b.real(z), y = b.imag(z);
  const Aval part = x.aval();
  const Value on_axis = b.compare(x, full_value(b, 0, part), ComparisonDirection::EQ);
  const Value sin = b.sine(x), cos = b.cosine(x);
  const Value up = b.exponential_minus_one(y), down = b.exponential_minus_one(b.negate(y));
  const Value sinh = b.divide(b.subtract(up, down), full_value(b, 2, part));
  const Value sum = b.add(up, down);
  const Value twice_cosh = b.add(sum, full_value(b, 2, part));
  const Value cosh = b.divide(twice_cosh, full_value(b, 2, part));
  if (is_sin) {
    const Value re = b.multiply(sin, cosh), im = b.multiply(cos, sinh);
    const Value imaginary = b.complex(full_value(b, 0, part), im);
    return b.select(on_axis, imaginary, b.complex(re, im));
  }
  const Value re = b.multiply(cos, cosh), im = b.multiply(b.negate(sin), sinh);
  const Value real = b.complex(re, full_value(b, 0, part));
  return b.select(on_axis, real, b.complex(re, im));
}

static Array sin_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return mul(g, cos(x[0]));
}
constinit const Primitive sin_p{
    .name = "sin",
    .abstract_eval = unary_rule<"sin", kInexact>,
    .jvp = jvp_by_operand<sin_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {x[0].aval().dtype.is_complex() ? complex_sin_cos(b, x[0], true) : b.sine(x[0])};
    },
    .prints_param = prints_accuracy,
};
Array sin(const Operand& x) { return apply(sin_p, x, {{"accuracy", Param()}}); }

static Array cos_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return neg(mul(g, sin(x[0])));
}
constinit const Primitive cos_p{
    .name = "cos",
    .abstract_eval = unary_rule<"cos", kInexact>,
    .jvp = jvp_by_operand<cos_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {x[0].aval().dtype.is_complex() ? complex_sin_cos(b, x[0], false) : b.cosine(x[0])};
    },
    .prints_param = prints_accuracy,
};
Array cos(const Operand& x) { return apply(cos_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
