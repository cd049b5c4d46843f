// erf and erfc = 1 - erf.
#include <cmath>
#include <numbers>

#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"
#include "tenon/detail/jitted.h"

namespace tenon::lax {

// e^(-x^2). x^2 as a head that is exact and a rest, so that large squares keep their digits.
static Array exp_of_minus_square(const Array& x);
static Arrays exp_neg_sq_body(const Arrays& in) {
  const Array& x = in[0];
  const DType dtype = x.dtype();
  if (dtype.itemsize() < 4) return {exp(neg(square(x)))};
  const bool is_double = dtype == DType(DType::kFloat64);
  const Array size = min(abs(x), constant_like(x, is_double ? 28 : 11));
  const DType bits = is_double ? DType(DType::kUInt64) : DType(DType::kUInt32);
  // The upper half of the digits alone: its square is exact.
  const Array mask = is_double ? Array(uint64_t{0xfffffffff8000000}) : Array(uint64_t{0xfffff000});
  const Array head_bits = bitwise_and(bitcast_convert_type(size, bits), convert_type(mask, bits, false));
  const Array head = bitcast_convert_type(head_bits, dtype);
  const Array tail = sub(size, head);
  const Array square_of_head = mul(head, head);
  const Array rest = mul(tail, add(size, head));
  const Array value = exp(neg(square_of_head));
  return {add(value, mul(value, expm1(neg(rest))))};
}
static constexpr detail::FunctionWithJvp exp_neg_sq{
    "exp_neg_sq", "_exp_neg_sq_jvp", exp_neg_sq_body, [](const Arrays& in, const Tangents& t) -> JvpResult {
      const Array& x = in[0];
      const Array y = exp_of_minus_square(x);
      // Where the result is 0 the derivative is, also at infinity.
      const Array inside = lt(abs(x), constant_like(x, x.dtype() == DType(DType::kFloat64) ? 28 : 11));
      const Array safe = select(inside, x, full_like(x, 0));
      const Array factor = mul(mul(constant_like(x, -2), safe), y);
      return {{y}, {mul(factor, t[0].value())}};
    }};
static Array exp_of_minus_square(const Array& x) { return detail::call_custom_jvp(exp_neg_sq, {x})[0]; }
static Array erf_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  const Array product = mul(g, exp_of_minus_square(x[0]));
  return mul(constant_like(x[0], 2 / std::sqrt(std::numbers::pi)), product);
}
constinit const Primitive erf_p{
    .name = "erf",
    .abstract_eval = unary_rule<"erf", kFloat>,
    .jvp = jvp_by_operand<erf_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_erf(x[0])};
    },
};
Array erf(const Operand& x) { return apply(erf_p, x); }

static Array erfc_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  const Array product = mul(g, exp_of_minus_square(x[0]));
  return mul(constant_like(x[0], -2 / std::sqrt(std::numbers::pi)), product);
}
constinit const Primitive erfc_p{
    .name = "erfc",
    .abstract_eval = unary_rule<"erfc", kFloat>,
    .jvp = jvp_by_operand<erfc_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_erfc(x[0])};
    },
};
Array erfc(const Operand& x) { return apply(erfc_p, x); }

}  // namespace tenon::lax
