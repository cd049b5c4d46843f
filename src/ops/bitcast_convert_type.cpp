// bitcast_convert_type: the bits as elements of another dtype. Elements of half the size, say, make a
// new minor axis of 2; elements of twice the size take one away.
#include "base/promotion.h"
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Shape bitcast_shape(const Aval& x, DType dtype) {
  std::vector<int64_t> dims = x.shape.dims();
  const int from = x.dtype.bits(), to = dtype.bits();
  if (from > to) dims.push_back(from / to);
  if (from >= to) return Shape(std::move(dims));
  if (dims.empty() || dims.back() * from != to)
    fail<ValueError>("bitcast_convert_type", "the last axis must hold the ", to / from,
                     " parts of an element of ", dtype, "; got ", x);
  dims.pop_back();
  return Shape(std::move(dims));
}

constinit const Primitive bitcast_convert_type_p{
    .name = "bitcast_convert_type",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      check_count("bitcast_convert_type", in, 1);
      const DType from = in[0].dtype, to = params.get<DType>("new_dtype");
      const auto is_plain = [](DType type) { return type.is_integer() || type.is_floating(); };
      if (from != to && !(is_plain(from) && is_plain(to)))
        fail<TypeError>("bitcast_convert_type", "does not support bool or complex values unless the operand and ",
                        "destination types match; got ", in[0], " and new_dtype ", to);
      return {{bitcast_shape(in[0], to), to, false}};
    },
    .jvp = jvp_zero,
    .batching = [](const Primitive& self, const BatchAxis& axis, const Arrays& x, const std::vector<int>& axes, const EqnParams& params) {
      const bool joins = params.get<DType>("new_dtype").bits() > x[0].dtype().bits();  // takes the last axis
      if (!joins || axes[0] + 1 < x[0].ndim()) return batch_unary(self, axis, x, axes, params);
      return batch_unary(self, axis, {move_axis(x[0], axes[0], 0)}, {0}, params);
    },
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      const DType dtype = params.get<DType>("new_dtype");
      const Aval aval = x[0].aval();
      return {b.bitcast_convert(x[0], {bitcast_shape(aval, dtype), dtype, false})};
    },
};
Array bitcast_convert_type(const Operand& x, DType dtype) {
  return apply(bitcast_convert_type_p, x, {{"new_dtype", canonical_dtype(dtype)}});
}

}  // namespace tenon::lax
