// bitcast_convert_type: the same bits as another dtype of the same width.
#include "base/promotion.h"
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive bitcast_convert_type_p{
    .name = "bitcast_convert_type",
    .abstract_eval = [](const Avals& in, const Params& params) -> Avals {
      check_count("bitcast_convert_type", in, 1);
      check_kind("bitcast_convert_type", in[0], kAny);
      const DType dtype = params.get<DType>("new_dtype");
      check_kind("bitcast_convert_type", in[0].with_dtype(dtype), kAny);
      if (dtype.bits() != in[0].dtype.bits())
        fail<UnimplementedError>("bitcast_convert_type", "takes dtypes of one width; got ", in[0], " and ", dtype);
      return {in[0].with_dtype(dtype)};
    },
    .lowering = [](StablehloBuilder& b, const Values& x, const Params& params) -> Values {
      return {b.bitcast_convert(x[0], x[0].aval().with_dtype(params.get<DType>("new_dtype")))};
    },
};

Array bitcast_convert_type(const Operand& x, DType dtype) {
  return apply(bitcast_convert_type_p, x, {{"new_dtype", canonical_dtype(dtype)}});
}

}  // namespace tenon::lax
