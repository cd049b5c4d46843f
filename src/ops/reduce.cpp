// reduce: several arrays over axes, combined by a function of scalars.
#include "ops/batch.h"
#include "ops/body.h"
#include "ops/differentiate.h"
#include "ops/reductions.h"
#include "tenon/detail/jitted.h"

namespace tenon::lax {

// in: arrays, then their initial values.
static Avals reduce_abstract_eval(const Avals& in, const EqnParams& params) {
  const char* who = "reduce";
  const auto& body = params.get<Jaxpr>("jaxpr");
  if (in.empty() || in.size() % 2 != 0) fail<TypeError>(who, "needs an initial value for each array; got ", in);
  const size_t count = in.size() / 2;
  Avals results;
  for (size_t i = 0; i < count; ++i) {
    const Aval &x = in[i], &init = in[count + i];
    if (x.shape != in[0].shape) fail<ShapeError>(who, "arrays must have the same shape; got ", in);
    if (!init.shape.empty()) fail<ShapeError>(who, "initial values must be scalars; got ", in);
    if (x.dtype != init.dtype)
      fail<TypeError>(who, "an initial value must have the dtype of its array; got ", x, " and ", init);
    results.push_back({reduced_shape(who, x, params.get<Axes>("dimensions")), x.dtype, x.weak_type && init.weak_type});
  }
  const Avals out = body.out_avals();
  for (size_t i = 0; i < std::max(count, out.size()); ++i)
    if (out.size() != count || !out[i].shape.empty() || out[i].dtype != in[i].dtype)
      fail<TypeError>(who, "the function must give a scalar of each array's dtype; got ", out, " for ",
                      Avals(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(count)));
  return results;
}

static JvpResult jvp_reduce(const Primitive&, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const auto middle = std::ssize(primals) / 2;
  for (auto i = middle; i < std::ssize(tangents); ++i)
    if (!tangents[i].is_zero())
      fail<UnimplementedError>("reduce", "no derivative by initial values, which change nothing; wrap them in stop_gradient");
  const auto& body = params.get<Jaxpr>("jaxpr");
  auto combine = [&](const Duals& x) { return apply_body(body, x); };
  return jvp_of_tree(combine, Arrays(primals.begin() + middle, primals.end()), Arrays(primals.begin(), primals.begin() + middle),
                     Tangents(tangents.begin(), tangents.begin() + middle), params.get<Axes>("dimensions"));
}

// Element by element where the initial values differ.
static BatchResult batch_reduce_inits(const Primitive& self, const BatchAxis& axis, const Arrays& operands,
                                      const std::vector<int>& axes, const EqnParams& params) {
  std::vector<Arrays> elements, results(operands.size() / 2);
  for (size_t i = 0; i < operands.size(); ++i)
    elements.push_back(axes[i] == kNotMapped ? Arrays(static_cast<size_t>(axis.size), operands[i]) : unstack(operands[i], axes[i]));
  for (int64_t k = 0; k < axis.size; ++k) {
    Arrays each;
    for (const Arrays& all : elements) each.push_back(all[static_cast<size_t>(k)]);
    const Arrays reduced = bind_all(self, each, params);
    for (size_t i = 0; i < reduced.size(); ++i) results[i].push_back(reduced[i]);
  }
  BatchResult out;
  for (const Arrays& all : results) out.values.push_back(stack(all, 0));
  out.axes.assign(out.values.size(), 0);
  return out;
}

static BatchResult batch_reduce(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                                const EqnParams& params) {
  const size_t count = operands.size() / 2;
  Arrays batched = operands;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i >= count && axes[i] != kNotMapped && axis.size > 0) return batch_reduce_inits(self, axis, operands, axes, params);
    if (i < count) batched[i] = batch_at_front(operands[i], axes[i], axis.size);
    else if (axes[i] != kNotMapped) batched[i] = full({}, 0, operands[i].dtype());  // of no element
  }
  const EqnParams moved = params.with("dimensions", batched_axes(params.get<Axes>("dimensions"), 0));
  return {bind_all(self, batched, moved), std::vector<int>(count, 0)};
}

constinit const Primitive reduce_p{
    .name = "reduce",
    .abstract_eval = reduce_abstract_eval,
    .jvp = jvp_reduce,
    .batching = batch_reduce,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
      auto combine = [&](const Values& left, const Values& right) {
        Values arguments = left;
        arguments.insert(arguments.end(), right.begin(), right.end());
        return lower_body(b, params.get<Jaxpr>("jaxpr"), arguments);
      };
      return b.reduce(Values(x.begin(), middle), Values(middle, x.end()), params.get<Axes>("dimensions"), combine);
    },
};

Arrays reduce(const Arrays& xs, const Arrays& inits, tenon::detail::FunctionRef<Arrays(const Arrays&, const Arrays&)> combine,
              const Axes& dimensions, Loc loc) {
  detail::SiteScope site(loc);
  if (xs.empty() || xs.size() != inits.size())
    fail<TypeError>("reduce", "needs an initial value for each array; got ", xs.size(), " and ", inits.size());
  Avals scalars;
  for (int side = 0; side < 2; ++side)
    for (const Array& x : xs) scalars.push_back({{}, x.dtype(), false});
  const auto count = static_cast<std::ptrdiff_t>(xs.size());
  auto body = [&](const Arrays& v) { return combine(Arrays(v.begin(), v.begin() + count), Arrays(v.begin() + count, v.end())); };
  const Jaxpr jaxpr = detail::trace_body("reduce", body, scalars);
  Arrays operands = xs;
  for (size_t i = 0; i < inits.size(); ++i)
    operands.push_back(inits[i].aval().weak_type ? convert_element_type(inits[i], xs[i].dtype()) : inits[i]);
  // A function of JAX prints its address; ours has none to tell.
  return bind_all(reduce_p, operands,
                  {{"computation", "<function <lambda>.<locals>.<lambda> at 0xXXXXXXXXXXXX>"},
                   {"dimensions", dimensions},
                   {"jaxpr", jaxpr}});
}
Array reduce(const Operand& x, const Operand& init, tenon::detail::FunctionRef<Array(const Array&, const Array&)> combine,
             const Axes& dimensions) {
  auto body = [&](const Arrays& a, const Arrays& b) -> Arrays { return {combine(a[0], b[0])}; };
  return reduce({x.value}, {init.value}, body, dimensions, x.loc)[0];
}

}  // namespace tenon::lax
