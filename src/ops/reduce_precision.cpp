// reduce_precision: x rounded to a format with fewer bits, and back.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive reduce_precision_p{
    .name = "reduce_precision",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      const int64_t exponent = params.get<int64_t>("exponent_bits");
      const int64_t mantissa = params.get<int64_t>("mantissa_bits");
      if (exponent < 1 || mantissa < 0)
        fail<ValueError>("reduce_precision", "needs exponent_bits >= 1 and mantissa_bits >= 0; got ",
                         exponent, " and ", mantissa);
      return unary_rule<"reduce_precision", kFloat>(in, params);
    },
    .jvp = jvp_linear,
    .transpose = transpose_unary<[](const Array& ct, const LinearOperand&, const EqnParams& params) {
      return bind(reduce_precision_p, {ct}, params);
    }>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      return {b.reduce_precision(x[0], params.get<int64_t>("exponent_bits"),
                                 params.get<int64_t>("mantissa_bits"))};
    },
};
Array reduce_precision(const Operand& x, int exponent_bits, int mantissa_bits) {
  return apply(reduce_precision_p, x,
               {{"exponent_bits", exponent_bits}, {"mantissa_bits", mantissa_bits}});
}

}  // namespace tenon::lax
