// sort: arrays ordered along an axis by the first of them (the first several, lexicographically).
// NaN comes last, -0.0 equals 0.0.
#include <limits>

#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/gather_scatter.h"
#include "ops/rules.h"

namespace tenon::lax {

static Avals sort_abstract_eval(const Avals& in, const EqnParams& params) {
  const char* who = "sort";
  if (in.empty()) fail<TypeError>(who, "takes at least one array; got none");
  for (const Aval& operand : in) {
    check_kind(who, operand, kAny);
    if (operand.shape != in[0].shape) fail<ShapeError>(who, "arrays must have the same shape; got ", in);
  }
  const int64_t keys = params.get<int64_t>("num_keys"), dimension = params.get<int64_t>("dimension");
  if (keys < 1 || keys > static_cast<int64_t>(in.size()))
    fail<ValueError>(who, "num_keys must be in 1 .. ", in.size(), "; got ", keys);
  if (dimension < 0 || dimension >= in[0].ndim())
    fail<ValueError>(who, "dimension ", dimension, " is out of bounds for ", in[0]);
  return in;
}

// Zeros become 0.0 and NaNs one NaN, for the total order.
static Value canonical(StablehloBuilder& b, const Value& x) {
  const Aval aval = x.aval();
  Value is_zero = b.compare(x, full_value(b, 0, aval), ComparisonDirection::EQ);
  Value without_sign = b.select(is_zero, full_value(b, 0, aval), x);
  Value is_nan = b.compare(x, x, ComparisonDirection::NE);
  return b.select(is_nan, full_value(b, std::numeric_limits<double>::quiet_NaN(), aval), without_sign);
}

static void append_keys(StablehloBuilder& b, const Value& x, Values& keys) {
  const DType dtype = x.aval().dtype;
  if (dtype.is_complex()) {
    keys.push_back(canonical(b, b.real(x)));
    keys.push_back(canonical(b, b.imag(x)));
  } else {
    keys.push_back(dtype.is_floating() ? canonical(b, x) : x);
  }
}

static Value compare_keys(StablehloBuilder& b, const Value& x, const Value& y, ComparisonDirection direction) {
  if (!x.aval().dtype.is_floating()) return b.compare(x, y, direction);
  return static_cast<tenon::detail::StablehloOps&>(b).compare(x, y, direction, "#stablehlo<comparison_type TOTALORDER>");
}

// Of a pair of elements from each array: whether the first ones come before the second ones.
static Values comes_before(StablehloBuilder& b, const Values& pairs, int64_t num_keys) {
  Values x, y;
  for (int64_t k = 0; k < num_keys; ++k) {
    append_keys(b, pairs[2 * k], x);
    append_keys(b, pairs[2 * k + 1], y);
  }
  Value before;
  for (size_t k = x.size(); k-- > 0;) {  // less, or equal and the rest is less
    Value rest = before;
    before = compare_keys(b, x[k], y[k], ComparisonDirection::LT);
    if (rest) before = b.or_(before, b.and_(compare_keys(b, x[k], y[k], ComparisonDirection::EQ), rest));
  }
  return {before};
}

// The positions go along, and find the tangents.
static JvpResult jvp_sort(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const Shape shape = primals[0].shape();
  const int dimension = static_cast<int>(params.get<int64_t>("dimension"));
  Arrays operands = primals;
  operands.push_back(broadcasted_iota(jnp::uint32, shape, dimension));
  JvpResult out{bind_all(self, operands, params), {}};
  const Array positions = expand_dims(out.primals.back(), Axes(shape.ndim()));
  out.primals.pop_back();
  for (const Tangent& tangent : tangents)
    out.tangents.push_back(tangent.is_zero() ? tangent : Tangent(take_along(tangent.value(), positions, dimension)));
  return out;
}

static BatchResult batch_sort(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                              const EqnParams& params) {
  const int mapped = *std::ranges::find_if(axes, [](int each) { return each != kNotMapped; });
  Arrays all;
  for (size_t i = 0; i < operands.size(); ++i)
    all.push_back(axes[i] == kNotMapped ? broadcast_along(operands[i], axis.size, mapped) : move_axis(operands[i], axes[i], mapped));
  const EqnParams batched = params.with("dimension", batched_axis(params.get<int64_t>("dimension"), mapped));
  return {bind_all(self, all, batched), std::vector<int>(all.size(), mapped)};
}

constinit const Primitive sort_p{
    .name = "sort",
    .abstract_eval = sort_abstract_eval,
    .jvp = jvp_sort,
    .batching = batch_sort,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      Avals pairs;
      for (const Value& v : x) pairs.insert(pairs.end(), 2, v.aval().with_shape({}));
      const int64_t num_keys = params.get<int64_t>("num_keys");
      auto comparator = [&](StablehloBuilder& inner, const Values& v) { return comes_before(inner, v, num_keys); };
      return b.sort(x, Region{pairs, comparator}, params.get<int64_t>("dimension"), params.get<bool>("is_stable"));
    },
};

Arrays sort(const Arrays& xs, const SortOptions& options, Loc loc) {
  detail::SiteScope site(loc);
  if (xs.empty()) fail<TypeError>("sort", "takes at least one array; got none");
  const int64_t dimension = canonical_axis("sort", options.dimension, xs[0].ndim());
  return bind_all(sort_p, xs,
                  {{"dimension", dimension}, {"is_stable", options.is_stable}, {"num_keys", options.num_keys}});
}
Array sort(const Operand& x, const SortOptions& options) { return sort(Arrays{x.value}, options, x.loc)[0]; }
Arrays sort_key_val(const Operand& keys, const Operand& values, const SortOptions& options) {
  return sort(Arrays{keys.value, values.value}, options, keys.loc);
}

}  // namespace tenon::lax
