// select_n: one of several arrays, element by element.
//
// With the parameter `hides`, which is not printed, the values that are not chosen take no part (reductions with
// `where=`): in reverse, what they hold does not turn the zero of a cotangent into NaN (transforms/backward.cpp).
#include "ops/select_n.h"

#include <algorithm>

#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Avals select_n_abstract_eval(const Avals& in, const EqnParams&) {
  if (in.size() < 2) fail<TypeError>("select_n", "takes at least one case; got none");
  const Aval& which = in[0];
  std::span<const Aval> cases = std::span(in).subspan(1);
  check_kind("select_n", which, kBoolOrInt);
  check_same_dtype("select_n", cases);
  for (const Aval& c : cases)
    if (c.shape != cases[0].shape)
      fail<ShapeError>("select_n", "cases must have the same shape; got ", Avals(cases.begin(), cases.end()));
  if (!which.shape.empty() && which.shape != cases[0].shape)
    fail<ShapeError>("select_n", "`which` must be a scalar or have the shape of the cases; got ", which, " for cases of ",
                     cases[0]);
  if (which.dtype.is_bool() && cases.size() > 2)
    fail<TypeError>("select_n", "a bool chooses between at most two cases; got ", cases.size());
  return {{cases[0].shape, cases[0].dtype, all_weak(cases)}};
}

// Binary search: which < middle ? first half : second half.
static Value lower_cases(StablehloBuilder& b, const Value& which, std::span<const Value> cases, int64_t offset) {
  if (cases.size() == 1) return cases[0];
  size_t middle = cases.size() / 2;
  Value bound = full_value(b, static_cast<double>(offset + static_cast<int64_t>(middle)), which.aval());
  Value in_first = b.compare(which, bound, ComparisonDirection::LT);
  Value first = lower_cases(b, which, cases.first(middle), offset);
  Value second = lower_cases(b, which, cases.subspan(middle), offset + static_cast<int64_t>(middle));
  return b.select(in_first, first, second);
}

static JvpResult select_jvp(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const Array y = bind(self, primals, params);
  Arrays operands = {primals[0]};
  Array zeros;
  for (size_t i = 1; i < tangents.size() && zeros.is_empty(); ++i)
    if (!tangents[i].is_zero()) zeros = instantiate(Tangent::zero(tangents[i].aval()));
  if (zeros.is_empty()) return {{y}, {zero_like(y)}};
  for (size_t i = 1; i < tangents.size(); ++i) operands.push_back(tangents[i].is_zero() ? zeros : tangents[i].value());
  return {{y}, {bind(self, operands, params)}};
}
static Cotangents select_transpose(const Primitive& self, const Cotangents& cts, const LinearOperands& x, const EqnParams& params) {
  const Array& ct = cts[0].value();
  Cotangents out;
  for (const LinearOperand& operand : x) out.push_back(Cotangent::zero(operand.aval));
  if (x.size() == 2) {
    out[1] = ct;
    return out;
  }
  const Array zeros = full_like(ct, 0);
  Array which = x[0].value;
  if (which.dtype().is_bool()) {
    if (x[1].linear) out[1] = bind(self, {which, ct, zeros}, params);
    if (x[2].linear) out[2] = bind(self, {which, zeros, ct}, params);
    return out;
  }
  which = clamp(constant_like(which, 0), which, constant_like(which, static_cast<double>(x.size() - 2)));
  for (size_t i = 1; i < x.size(); ++i) {
    if (!x[i].linear) continue;
    const Array chosen = eq(which, constant_like(which, static_cast<double>(i - 1)));
    out[i] = select(chosen, ct, zeros);
  }
  return out;
}
static BatchResult select_batching(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                                   const EqnParams& params) {
  const auto choose = [&](Array which, Arrays cases) {
    cases.insert(cases.begin(), std::move(which));
    return Arrays{bind(self, cases, params)};
  };
  Array which = operands[0];
  Arrays cases(operands.begin() + 1, operands.end());
  const std::vector<int> case_axes(axes.begin() + 1, axes.end());
  const bool cases_agree = std::ranges::all_of(case_axes, [&](int a) { return a == case_axes[0]; });
  if (cases_agree && case_axes[0] != kNotMapped) {
    if (which.ndim() == 0) return {choose(which, cases), {case_axes[0]}};
    if (axes[0] == case_axes[0]) {
      // A scalar for each element, next to arrays.
      if (which.shape() != cases[0].shape()) which = broadcast_in_dim(which, cases[0].shape(), {axes[0]});
      return {choose(which, cases), {axes[0]}};
    }
  }
  const bool unmapped_scalar = axes[0] == kNotMapped && which.ndim() == 0;
  if (!unmapped_scalar) which = batch_at_front(which, axes[0], axis.size);
  for (size_t i = 0; i < cases.size(); ++i) cases[i] = batch_at_front(cases[i], case_axes[i], axis.size);
  if (which.ndim() > 0 && which.ndim() < cases[0].ndim()) which = broadcast_in_dim(which, cases[0].shape(), {0});
  return {choose(which, cases), {0}};
}
constinit const Primitive select_n_p{
    .name = "select_n",
    .abstract_eval = select_n_abstract_eval,
    .jvp = select_jvp,
    .transpose = select_transpose,
    .batching = select_batching,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      if (x.size() == 2) return {x[1]};
      if (x[0].aval().dtype.is_bool()) return {b.select(x[0], x[2], x[1])};
      return {lower_cases(b, x[0], std::span(x).subspan(1), 0)};
    },
    .prints_param = [](std::string_view name, const Param&, const EqnParams&) { return name != "hides"; },
};

Array select_n(const Operand& which, const Arrays& cases) {
  detail::SiteScope site(which.loc);
  Arrays operands = {which.value};
  operands.insert(operands.end(), cases.begin(), cases.end());
  return bind(select_n_p, operands);
}
Array select(const Operand& pred, const Operand& on_true, const Operand& on_false) {
  return apply(select_n_p, pred, on_false, on_true);
}

Array select_visible(const Array& is_visible, const Array& x, const Array& instead) {
  return bind(select_n_p, {is_visible, instead, x}, {{"hides", true}});
}

}  // namespace tenon::lax
