// cumsum, cumprod, cummax, cummin, cumlogsumexp: running totals along an axis. As JAX they lower to a
// reduce_window whose windows begin (or, reversed, end) at the edge; whoever runs it does so in linear
// time, in the order of math/scan_order.h.
#include <limits>
#include <numbers>

#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/logaddexp.h"
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
// max + log1p(e^(a + b - 2 max)) with its angle brought to [-pi, pi).
static Value complex_logaddexp(StablehloBuilder& b, const Values& v) {
  constexpr double kPi = std::numbers::pi;
  const Value larger = b.maximum(v[0], v[1]);
  const Value difference = b.subtract(b.add(v[0], v[1]), b.add(larger, larger));
  const Value sum = b.add(larger, b.log_plus_one(b.exponential(difference)));
  const Value angle = b.imag(sum);
  const auto number = [&](double value) { return full_value(b, value, angle.aval()); };
  const Value turned = b.remainder(b.add(angle, number(kPi)), number(2 * kPi));
  const Value is_negative = b.compare(turned, number(0), ComparisonDirection::LT);
  const Value positive = b.select(is_negative, b.add(turned, number(2 * kPi)), turned);
  return b.complex(b.real(sum), b.subtract(positive, number(kPi)));
}
// log(e^a + e^b) = max + log1p(e^-|a - b|), and a + b where the difference is NaN.
static Values lower_logaddexp(StablehloBuilder& b, const Values& v) {
  if (v[0].aval().dtype.is_complex()) return {complex_logaddexp(b, v)};
  Value larger = b.maximum(v[0], v[1]);
  Value difference = b.subtract(v[0], v[1]);
  Value is_nan = b.compare(difference, difference, ComparisonDirection::NE);
  Value sum = b.add(v[0], v[1]);
  Value rest = b.log_plus_one(b.exponential(b.negate(b.abs(difference))));
  return {b.select(is_nan, sum, b.add(larger, rest))};
}
static Values lower_cumlogsumexp(StablehloBuilder& b, const Values& x, const EqnParams& params) {
  Value init = full_value(b, -std::numeric_limits<double>::infinity(), {{}, x[0].aval().dtype});
  return lower_windows(b, x, init, params, lower_logaddexp, false);
}

template <Values (*lower)(StablehloBuilder&, const Values&, const EqnParams&)>
static Values unless_empty(StablehloBuilder& b, const Values& x, const EqnParams& params) {
  return x[0].aval().shape.num_elements() == 0 ? x : lower(b, x, params);
}

static BatchResult batch_cumulative(const Primitive& self, const BatchAxis&, const Arrays& x, const std::vector<int>& axes,
                                    const EqnParams& params) {
  return {{bind(self, x, params.with("axis", batched_axis(params.get<int64_t>("axis"), axes[0])))}, axes};
}

static Array transpose_cumsum(const Array& ct, const LinearOperand&, const EqnParams& params) {
  return cumsum(ct, static_cast<int>(params.get<int64_t>("axis")), !params.get<bool>("reverse"));
}

using Combination = Dual (*)(const Dual&, const Dual&);

template <const Primitive& primitive>
static Dual combine(const Dual& x, const Dual& y) {
  return apply(primitive, {x, y});
}

static Dual logaddexp(const Dual& x, const Dual& y) {
  if (x.tangent.is_zero() && y.tangent.is_zero())
    return constant(tenon::detail::call_custom_jvp(logaddexp_function, {x.primal, y.primal})[0]);
  const Tangents tangents = {instantiate(x.tangent), instantiate(y.tangent)};
  const JvpResult out = logaddexp_function.jvp({x.primal, y.primal}, tangents);
  return {out.primals[0], out.tangents[0]};
}

static int64_t size_along(const Dual& x, int axis) { return x.primal.shape()[axis]; }

// a[0], b[0], a[1], b[1], ...; b is as long as a, or shorter by one.
static Dual interleaved(const Dual& a, const Dual& b, int axis) {
  const int64_t equal = size_along(a, axis) == size_along(b, axis);
  std::vector<PaddingConfig::Axis> even(a.primal.shape().size()), odd = even;
  even[axis] = {0, equal, 1};
  odd[axis] = {1, 1 - equal, 1};
  const Dual zero = constant(constant_like(a.primal, 0));
  const Dual spread = apply(pad_p, {a, zero}, {{"padding_config", PaddingConfig(even)}});
  return apply(add_p, {spread, apply(pad_p, {b, zero}, {{"padding_config", PaddingConfig(odd)}})});
}

// Pairs of neighbours are combined and scanned: these are the odd elements of the result; the even ones combine
// them with what comes next.
static Dual scan(const Dual& x, int axis, Combination combine_two) {
  const int64_t size = size_along(x, axis);
  if (size < 2) return x;
  const Dual first_of_pairs = slice_along(x, axis, 0, size - 1, 2);
  const Dual pairs = combine_two(first_of_pairs, slice_along(x, axis, 1, size, 2));
  const Dual odd = scan(pairs, axis, combine_two);
  const Dual before = size % 2 == 0 ? slice_along(odd, axis, 0, size_along(odd, axis) - 1) : odd;
  const Dual rest = combine_two(before, slice_along(x, axis, 2, size, 2));
  const Dual first = slice_along(x, axis, 0, 1);
  return interleaved(apply(concatenate_p, {first, rest}, {{"dimension", int64_t{axis}}}), odd, axis);
}

template <Combination combine_two>
static JvpResult jvp_of_scan(const Primitive&, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const int axis = static_cast<int>(params.get<int64_t>("axis"));
  Dual x{primals[0], tangents[0]};
  const bool reverse = params.get<bool>("reverse");
  if (reverse) x = apply(rev_p, {x}, {{"dimensions", Axes(axis)}});
  x = scan(x, axis, combine_two);
  if (reverse) x = apply(rev_p, {x}, {{"dimensions", Axes(axis)}});
  return {{x.primal}, {x.tangent}};
}

#define TENON_CUMULATIVE(op, accepted, jvp_rule, transpose_rule)                                                    \
  constinit const Primitive op##_p{.name = #op,                                                                     \
                                   .abstract_eval = cumulative_rule<#op, accepted>,                                 \
                                   .jvp = jvp_rule,                                                                 \
                                   .transpose = transpose_rule,                                                     \
                                   .batching = batch_cumulative,                                                    \
                                   .lowering = unless_empty<lower_##op>,                                            \
                                   .outlined = true};                                                               \
  Array op(const Operand& x, int axis, bool reverse) {                                                              \
    return apply(op##_p, x, {{"axis", canonical_axis(#op, axis, x.value.ndim())}, {"reverse", reverse}});         \
  }
TENON_CUMULATIVE(cumlogsumexp, kInexact, jvp_of_scan<logaddexp>, nullptr)
TENON_CUMULATIVE(cummax, kNumber, jvp_of_scan<combine<max_p>>, nullptr)
TENON_CUMULATIVE(cummin, kNumber, jvp_of_scan<combine<min_p>>, nullptr)
TENON_CUMULATIVE(cumprod, kNumber, jvp_of_scan<combine<mul_p>>, nullptr)
TENON_CUMULATIVE(cumsum, kNumber, jvp_linear, transpose_unary<transpose_cumsum>)
#undef TENON_CUMULATIVE

}  // namespace tenon::lax
