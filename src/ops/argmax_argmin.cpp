// argmax and argmin: the index of the largest and of the smallest element along an axis.
// The first of equal ones, or the first NaN.
#include "base/promotion.h"
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/reductions.h"

namespace tenon::lax {

template <Name name>
static Avals arg_rule(const Avals& in, const EqnParams& params) {
  check_count(name.text, in, 1);
  check_kind(name.text, in[0], kOrdered);
  const auto& axes = params.get<Axes>("axes");
  const DType index_dtype = params.get<DType>("index_dtype");
  if (axes.size() != 1) fail<ValueError>(name.text, "takes one axis; got ", axes);
  if (!index_dtype.is_integer()) fail<TypeError>(name.text, "index_dtype must be an integer dtype; got ", index_dtype);
  Shape shape = reduced_shape(name.text, in[0], axes);
  if (in[0].shape[axes[0]] < 1)
    fail<ValueError>(name.text, "there is no element along axis ", axes[0], "; got ", in[0]);
  // The largest index that the dtype holds: all bits but the sign.
  const int bits = index_dtype.bits() - (index_dtype.is_signed() ? 1 : 0);
  if (bits < 63 && (in[0].shape[axes[0]] - 1) >> bits != 0)
    fail<ValueError>(name.text, index_dtype, " does not hold the indices of axis ", axes[0], "; got ", in[0],
                     "; use a wider index_dtype");
  return {{shape, index_dtype, false}};
}

// A reduction of pairs (value, index). The operand's pair wins when its value is better or NaN, or
// equal with a smaller index.
template <ComparisonDirection better>
static Values lower_arg(StablehloBuilder& b, const Values& x, const EqnParams& params) {
  const Aval operand = x[0].aval();
  const Axes axes = params.get<Axes>("axes");
  const DType index_dtype = params.get<DType>("index_dtype");
  Value indices = b.iota({operand.shape, index_dtype}, axes[0]);
  Value init = extreme_value(b, operand.dtype, better == ComparisonDirection::LT);
  Value first = full_value(b, 0, {{}, index_dtype});
  auto combine = [&](const Values& a, const Values& c) -> Values {
    Value is_better = b.compare(a[0], c[0], better);
    Value is_nan = b.compare(a[0], a[0], ComparisonDirection::NE);
    Value picks_value = b.or_(is_better, is_nan);
    Value is_equal = b.compare(a[0], c[0], ComparisonDirection::EQ);
    Value is_earlier = b.compare(a[1], c[1], ComparisonDirection::LT);
    Value picks_index = b.or_(picks_value, b.and_(is_equal, is_earlier));
    Value value = b.select(picks_value, a[0], c[0]);
    return {value, b.select(picks_index, a[1], c[1])};
  };
  return {b.reduce({x[0], indices}, {init, first}, axes, combine)[1]};
}

constinit const Primitive argmax_p{
    .name = "argmax", .abstract_eval = arg_rule<"argmax">, .jvp = jvp_zero, .batching = batch_reduction, .lowering = lower_arg<ComparisonDirection::GT>, .outlined = true};
constinit const Primitive argmin_p{
    .name = "argmin", .abstract_eval = arg_rule<"argmin">, .jvp = jvp_zero, .batching = batch_reduction, .lowering = lower_arg<ComparisonDirection::LT>, .outlined = true};

static EqnParams arg_params(const char* who, const Operand& x, int axis, DType index_dtype) {
  return {{"axes", Axes(std::vector<int64_t>{canonical_axis(who, axis, x.value.ndim())})},
          {"index_dtype", canonical_dtype(index_dtype)}};
}
Array argmax(const Operand& x, int axis, DType index_dtype) {
  return apply(argmax_p, x, arg_params("argmax", x, axis, index_dtype));
}
Array argmin(const Operand& x, int axis, DType index_dtype) {
  return apply(argmin_p, x, arg_params("argmin", x, axis, index_dtype));
}

}  // namespace tenon::lax
