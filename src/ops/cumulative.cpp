// cumsum, cumprod, cummax, cummin, cumlogsumexp: running totals along an axis. As JAX they lower to a
// reduce_window whose windows begin (or, reversed, end) at the edge; whoever runs it does so in linear
// time, in the order of math/scan_order.h.
#include <limits>

#include "ops/reductions.h"

namespace tenon::lax {

template <Name name, Kinds accepted>
static Avals cumulative_rule(const Avals& in, const EqnParams& params) {
  check_count(name.text, in, 1);
  check_kind(name.text, in[0], accepted);
  const int64_t axis = params.get<int64_t>("axis");
  if (axis < 0 || axis >= in[0].ndim())
    fail<ValueError>(name.text, "axis ", axis, " is out of bounds for ", in[0]);
  Aval result = in[0];
  result.weak_type = false;
  return {result};
}

using Combine = Values (*)(StablehloBuilder&, const Values&);

static std::string padding_text(int ndim, int64_t axis, int64_t size, bool reverse) {
  std::string rows;
  for (int i = 0; i < ndim; ++i) {
    const int64_t before = i == axis && !reverse ? size - 1 : 0, after = i == axis && reverse ? size - 1 : 0;
    rows += detail::text(i > 0 ? ", " : "", "[", before, ", ", after, "]");
  }
  return detail::text("dense<[", rows, "]> : tensor<", ndim, "x2xi64>");
}

// JAX's reduction by a monoid broadcasts the initial value to rank 0; that by a function does not.
static Values lower_windows(StablehloBuilder& b, const Values& x, Value init, const EqnParams& params, Combine combine,
                            bool is_monoid) {
  const Aval aval = x[0].aval();
  const int64_t axis = params.get<int64_t>("axis"), size = aval.shape[axis];
  if (is_monoid) init = b.broadcast_in_dim(init, Shape{}, {});
  std::vector<int64_t> window(aval.shape.size(), 1), ones = window;
  window[axis] = size;
  return b.reduce_window({x[0]}, {init}, window, Region{{aval.with_shape({}), aval.with_shape({})}, combine}, ones, ones,
                         ones, padding_text(aval.ndim(), axis, size, params.get<bool>("reverse")));
}

static Values lower_cumsum(StablehloBuilder& b, const Values& x, const EqnParams& params) {
  return lower_windows(b, x, full_value(b, 0, {{}, x[0].aval().dtype}), params,
                       [](StablehloBuilder& in, const Values& v) -> Values { return {in.add(v[0], v[1])}; }, true);
}
static Values lower_cumprod(StablehloBuilder& b, const Values& x, const EqnParams& params) {
  return lower_windows(b, x, full_value(b, 1, {{}, x[0].aval().dtype}), params,
                       [](StablehloBuilder& in, const Values& v) -> Values { return {in.multiply(v[0], v[1])}; }, false);
}
static Values lower_cummax(StablehloBuilder& b, const Values& x, const EqnParams& params) {
  return lower_windows(b, x, extreme_value(b, x[0].aval().dtype, false), params,
                       [](StablehloBuilder& in, const Values& v) -> Values { return {in.maximum(v[0], v[1])}; }, true);
}
static Values lower_cummin(StablehloBuilder& b, const Values& x, const EqnParams& params) {
  return lower_windows(b, x, extreme_value(b, x[0].aval().dtype, true), params,
                       [](StablehloBuilder& in, const Values& v) -> Values { return {in.minimum(v[0], v[1])}; }, true);
}
// log(e^a + e^b) = max + log1p(e^-|a - b|), and a + b where the difference is NaN.
static Values logaddexp(StablehloBuilder& b, const Values& v) {
  Value larger = b.maximum(v[0], v[1]);
  Value difference = b.subtract(v[0], v[1]);
  Value is_nan = b.compare(difference, difference, ComparisonDirection::NE);
  Value sum = b.add(v[0], v[1]);
  Value rest = b.log_plus_one(b.exponential(b.negate(b.abs(difference))));
  return {b.select(is_nan, sum, b.add(larger, rest))};
}
static Values lower_cumlogsumexp(StablehloBuilder& b, const Values& x, const EqnParams& params) {
  Value init = full_value(b, -std::numeric_limits<double>::infinity(), {{}, x[0].aval().dtype});
  return lower_windows(b, x, init, params, logaddexp, false);
}

template <Values (*lower)(StablehloBuilder&, const Values&, const EqnParams&)>
static Values unless_empty(StablehloBuilder& b, const Values& x, const EqnParams& params) {
  return x[0].aval().shape.num_elements() == 0 ? x : lower(b, x, params);
}

#define TENON_CUMULATIVE(op, accepted)                                                                              \
  constinit const Primitive op##_p{                                                                                 \
      .name = #op, .abstract_eval = cumulative_rule<#op, accepted>, .lowering = unless_empty<lower_##op>, .outlined = true};  \
  Array op(const Operand& x, int axis, bool reverse) {                                                              \
    return apply(op##_p, x, {{"axis", canonical_axis(#op, axis, x.value.ndim())}, {"reverse", reverse}});         \
  }
TENON_CUMULATIVE(cumlogsumexp, kFloat)
TENON_CUMULATIVE(cummax, kOrdered)
TENON_CUMULATIVE(cummin, kOrdered)
TENON_CUMULATIVE(cumprod, kNumber)
TENON_CUMULATIVE(cumsum, kNumber)
#undef TENON_CUMULATIVE

}  // namespace tenon::lax
