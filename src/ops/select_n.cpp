// select_n: one of several arrays, element by element.
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

constinit const Primitive select_n_p{
    .name = "select_n",
    .abstract_eval = select_n_abstract_eval,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      if (x.size() == 2) return {x[1]};
      if (x[0].aval().dtype.is_bool()) return {b.select(x[0], x[2], x[1])};
      return {lower_cases(b, x[0], std::span(x).subspan(1), 0)};
    },
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

}  // namespace tenon::lax
