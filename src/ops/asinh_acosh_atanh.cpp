// asinh, acosh and atanh.
#include <cmath>
#include <limits>

#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

// A power by which a number of this size is divided before it is squared: 1 unless the square overflows.
static Array asinh_scale(const Array& size) {
  const DType dtype = size.dtype();
  const int max_exponent = dtype == DType(DType::kFloat16) ? 16 : dtype == DType(DType::kFloat64) ? 1024 : 128;
  const Array ratio = mul(size, constant_like(size, std::ldexp(1.0, -(max_exponent / 2 - 2))));
  return stop_gradient(clamp(constant_like(size, 1), ratio, constant_like(size, std::ldexp(1.0, max_exponent / 2 + 2))));
}
// The same for z = x + iy: the real part of z^2 + 1 as x^2 + (1 - y^2), exact near the branch points.
static Array complex_asinh_derivative(const Array& z) {
  const Array x = real(z), y = imag(z);
  const Array x_size = abs(x);
  const Array size = max(x_size, abs(y));
  const Array inverse = integer_pow(asinh_scale(size), -1);
  const Array xs = mul(x, inverse), ys = mul(y, inverse);
  const Array x_square = square(xs);
  // x^2 - y^2 + s^2 with s^2 - y^2 = (s + y) (s - y).
  const Array sum = add(inverse, ys);
  const Array rest = mul(sum, sub(inverse, ys));
  const Array re = add(x_square, rest);
  const Array im = mul(constant_like(xs, 2), mul(xs, ys));
  const Array root = rsqrt(complex(re, im));
  const Array re_out = mul(real(root), inverse);
  const Array derivative = complex(re_out, mul(imag(root), inverse));
  const Array is_infinite = eq(size, constant_like(size, std::numeric_limits<double>::infinity()));
  return select(is_infinite, full_like(z, 0), derivative);
}
static Array asinh_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  if (x[0].dtype().is_complex()) return mul(g, complex_asinh_derivative(x[0]));
  // rsqrt(x^2 + 1), with x scaled where its square overflows.
  const Array scale = asinh_scale(abs(x[0]));
  const Array inverse = integer_pow(scale, -1);
  const Array scaled = mul(x[0], inverse);
  const Array scaled_square = square(scaled);
  const Array root = rsqrt(add(scaled_square, square(inverse)));
  return mul(g, mul(inverse, root));
}
constinit const Primitive asinh_p{
    .name = "asinh",
    .abstract_eval = unary_rule<"asinh", kInexact>,
    .jvp = jvp_by_operand<asinh_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_asinh(x[0])};
    },
};
Array asinh(const Operand& x) { return apply(asinh_p, x); }

static Array acosh_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  const Array below = rsqrt(sub(x[0], constant_like(x[0], 1)));
  const Array above = rsqrt(add(x[0], constant_like(x[0], 1)));
  return mul(g, mul(below, above));
}
constinit const Primitive acosh_p{
    .name = "acosh",
    .abstract_eval = unary_rule<"acosh", kInexact>,
    .jvp = jvp_by_operand<acosh_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_acosh(x[0])};
    },
};
Array acosh(const Operand& x) { return apply(acosh_p, x); }

static Array atanh_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return div(g, one_minus_square(x[0]));
}
constinit const Primitive atanh_p{
    .name = "atanh",
    .abstract_eval = unary_rule<"atanh", kInexact>,
    .jvp = jvp_by_operand<atanh_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_atanh(x[0])};
    },
};
Array atanh(const Operand& x) { return apply(atanh_p, x); }

}  // namespace tenon::lax
