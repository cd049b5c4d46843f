// dot_general: sums of products over paired axes.
#include <tuple>

#include "base/promotion.h"
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static std::string list_str(const Axes& axes) {
  std::string tuple;
  for (int64_t axis : axes) tuple += (tuple.empty() ? "" : ", ") + std::to_string(axis);
  return "[" + tuple + "]";
}

std::string DotDimensionNumbers::str() const {
  return detail::text("((", list_str(lhs_contracting), ", ", list_str(rhs_contracting), "), (", list_str(lhs_batch), ", ",
                      list_str(rhs_batch), "))");
}

std::string param_str(Precision precision) {
  const std::string one = precision == Precision::highest ? "Precision.HIGHEST" : precision == Precision::high ? "Precision.HIGH" : "Precision.DEFAULT";
  return "(" + one + ", " + one + ")";
}

// Of two dtypes the result has the "greater": complex, then range, precision, width, sign.
static std::tuple<bool, bool, int, bool> rank_of(DType dtype) {
  return {dtype.is_complex(), dtype.is_inexact(), dtype.bits(), !dtype.is_unsigned()};
}

static DType result_dtype(const Aval& x, const Aval& y, const Param& preferred) {
  check_kind("dot_general", x, kAny);
  check_kind("dot_general", y, kAny);
  if (x.dtype != y.dtype && rank_of(x.dtype) == rank_of(y.dtype))
    fail<TypeError>("dot_general", "no common dtype for the operands; got ", Avals{x, y});
  const DType natural = rank_of(x.dtype) < rank_of(y.dtype) ? y.dtype : x.dtype;
  if (preferred.is_none()) return natural;
  const DType wanted = preferred.get<DType>();
  const int bits = natural.is_complex() && !wanted.is_complex() ? natural.bits() / 2 : natural.bits();  // the real part is taken
  if (!natural.is_floating() && wanted.bits() < bits)
    fail<TypeError>("dot_general", "preferred_element_type ", wanted, " is narrower than the result's ", natural, "; got ",
                    Avals{x, y});
  return wanted;
}

// Throws with the axis that does not fit.
static void check_pairs(const Aval& x, const Aval& y, const Axes& left, const Axes& right, const char* what) {
  const char* who = "dot_general";
  if (left.size() != right.size())
    fail<ShapeError>(who, what, " axes must come in pairs; got ", left, " and ", right, " for ", Avals{x, y});
  for (size_t i = 0; i < left.size(); ++i)
    if (x.shape[left[i]] != y.shape[right[i]])
      fail<ShapeError>(who, what, " sizes differ: lhs axis ", left[i], " is ", x.shape[left[i]], ", rhs axis ", right[i],
                       " is ", y.shape[right[i]], "; got ", Avals{x, y});
}

static Axes joined(const Axes& a, const Axes& b) {
  Axes out = a;
  for (int64_t axis : b) out.push_back(axis);
  return out;
}

static Shape dot_shape(const Aval& x, const Aval& y, const DotDimensionNumbers& dims) {
  Shape shape;
  for (int64_t axis : dims.lhs_batch) shape.push_back(x.shape[axis]);
  for (int axis = 0; axis < x.ndim(); ++axis)
    if (!dims.lhs_batch.contains(axis) && !dims.lhs_contracting.contains(axis)) shape.push_back(x.shape[axis]);
  for (int axis = 0; axis < y.ndim(); ++axis)
    if (!dims.rhs_batch.contains(axis) && !dims.rhs_contracting.contains(axis)) shape.push_back(y.shape[axis]);
  return shape;
}

// The same precision for both operands, as an attribute.
static std::string precision_config(const Param* precision) {
  const std::string given = precision ? precision->str() : "";
  auto names = [&](const char* name) { return given.find(name) != std::string::npos; };
  const std::string one = std::string("#stablehlo<precision ") + (names("HIGHEST") ? "HIGHEST" : names("HIGH") ? "HIGH" : "DEFAULT") + ">";
  return "[" + one + ", " + one + "]";
}

static Axes axes_from(int64_t first, size_t count) {
  Axes out;
  for (size_t i = 0; i < count; ++i) out.push_back(first + static_cast<int64_t>(i));
  return out;
}

// The cotangent of one operand, x: that of the product summed with the other, y, over the axes that are
// y's alone. The result has the paired axes, x's own ones, then the contracted ones in the order of y's;
// they return to their places in x. `own_first`: x's own axes come before y's in the product.
static Array transpose_product(const Array& ct, const LinearOperand& x, const LinearOperand& y, const DotDimensionNumbers& dims,
                               bool own_first, const EqnParams& params) {
  auto own_axes = [](int ndim, const Axes& contracting, const Axes& batch) {
    Axes out;
    for (int axis = 0; axis < ndim; ++axis)
      if (!contracting.contains(axis) && !batch.contains(axis)) out.push_back(axis);
    return out;
  };
  const Axes x_own = own_axes(x.aval.ndim(), dims.lhs_contracting, dims.lhs_batch);
  const Axes y_own = own_axes(y.aval.ndim(), dims.rhs_contracting, dims.rhs_batch);
  const size_t batch = dims.lhs_batch.size();
  DotDimensionNumbers with_y{axes_from(static_cast<int64_t>(batch + (own_first ? x_own.size() : 0)), y_own.size()), y_own,
                             axes_from(0, batch), dims.rhs_batch};
  std::vector<size_t> by_y(dims.rhs_contracting.size());
  for (size_t i = 0; i < by_y.size(); ++i) by_y[i] = i;
  std::ranges::sort(by_y, {}, [&](size_t i) { return dims.rhs_contracting[i]; });
  Axes places = joined(dims.lhs_batch, x_own);
  for (size_t i : by_y) places.push_back(dims.lhs_contracting[i]);
  Axes back = places;
  for (size_t i = 0; i < places.size(); ++i) back[places[i]] = static_cast<int64_t>(i);
  const Array product = bind(dot_general_p, {ct, y.value}, params.with("dimension_numbers", with_y));
  const Array out = transpose(product, back);
  return out.dtype() == x.aval.dtype ? out : convert_type(out, x.aval.dtype, x.aval.weak_type);
}

static Array transpose_lhs(const Array& ct, const LinearOperand& x, const LinearOperand& y, const EqnParams& params) {
  return transpose_product(ct, x, y, params.get<DotDimensionNumbers>("dimension_numbers"), true, params);
}
static Array transpose_rhs(const Array& ct, const LinearOperand& x, const LinearOperand& y, const EqnParams& params) {
  const auto& dims = params.get<DotDimensionNumbers>("dimension_numbers");
  return transpose_product(ct, y, x, {dims.rhs_contracting, dims.lhs_contracting, dims.rhs_batch, dims.lhs_batch}, false, params);
}

// How many of the operand's own axes come before the mapped one.
static int own_axes_before(int mapped, const Axes& contracting, const Axes& batch) {
  int count = 0;
  for (int axis = 0; axis < mapped; ++axis) count += !contracting.contains(axis) && !batch.contains(axis);
  return count;
}

// Mapped axes are paired; the only one is one more of the operand's own.
static BatchResult batch_dot_general(const Primitive& self, const BatchAxis&, const Arrays& operands, const std::vector<int>& axes,
                                     const EqnParams& params) {
  const int left = axes[0], right = axes[1];
  const auto& old = params.get<DotDimensionNumbers>("dimension_numbers");
  DotDimensionNumbers dims = old;
  if (left != kNotMapped) {
    dims.lhs_contracting = batched_axes(old.lhs_contracting, left);
    dims.lhs_batch = batched_axes(old.lhs_batch, left);
  }
  if (right != kNotMapped) {
    dims.rhs_contracting = batched_axes(old.rhs_contracting, right);
    dims.rhs_batch = batched_axes(old.rhs_batch, right);
  }
  int mapped = 0;
  if (left != kNotMapped && right != kNotMapped) {
    dims.lhs_batch = with_first(left, dims.lhs_batch);
    dims.rhs_batch = with_first(right, dims.rhs_batch);
  } else if (left != kNotMapped) {
    mapped = static_cast<int>(old.lhs_batch.size()) + own_axes_before(left, old.lhs_contracting, old.lhs_batch);
  } else {
    mapped = operands[0].ndim() - static_cast<int>(old.lhs_contracting.size()) +
             own_axes_before(right, old.rhs_contracting, old.rhs_batch);
  }
  return {{bind(self, operands, params.with("dimension_numbers", dims))}, {mapped}};
}

constinit const Primitive dot_general_p{
    .name = "dot_general",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      check_count("dot_general", in, 2);
      const auto& dims = params.get<DotDimensionNumbers>("dimension_numbers");
      check_axes("dot_general", "lhs axis", joined(dims.lhs_contracting, dims.lhs_batch), in[0].ndim());
      check_axes("dot_general", "rhs axis", joined(dims.rhs_contracting, dims.rhs_batch), in[1].ndim());
      check_pairs(in[0], in[1], dims.lhs_contracting, dims.rhs_contracting, "contracting");
      check_pairs(in[0], in[1], dims.lhs_batch, dims.rhs_batch, "batch");
      return {{dot_shape(in[0], in[1], dims), result_dtype(in[0], in[1], params.at("preferred_element_type")),
               all_weak(in)}};
    },
    .jvp = jvp_bilinear,
    .transpose = transpose_bilinear<transpose_lhs, transpose_rhs>,
    .batching = batch_dot_general,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams& params) -> Values {
      const auto& dims = params.get<DotDimensionNumbers>("dimension_numbers");
      Values x = operands;
      const Aval left = x[0].aval(), right = x[1].aval();
      const DType wanted = result_dtype(left, right, params.at("preferred_element_type"));
      const DType natural = result_dtype(left, right, Param());
      const bool takes_real = natural.is_complex() && !wanted.is_complex();  // of complex products, as JAX does
      const DType dtype = takes_real ? natural : wanted;
      // Mixed operands are converted to the result's dtype.
      if (left.dtype != right.dtype) x = {b.convert(x[0], dtype), b.convert(x[1], dtype)};
      const Value product = b.dot_general(x[0], x[1],
                            {.lhs_batching_dimensions = dims.lhs_batch,
                             .rhs_batching_dimensions = dims.rhs_batch,
                             .lhs_contracting_dimensions = dims.lhs_contracting,
                             .rhs_contracting_dimensions = dims.rhs_contracting},
                            {dot_shape(left, right, dims), dtype}, precision_config(params.find("precision")));
      return {takes_real ? b.convert(b.real(product), wanted) : product};
    },
    .prints_param = [](std::string_view name, const Param& value, const EqnParams&) {
      return !value.is_none() && name != "out_sharding";
    },
    .contraction = [](const EqnParams& params) { return Contraction{!params.get<DotDimensionNumbers>("dimension_numbers").lhs_batch.empty()}; },
};

Array dot_general(const Operand& x, const Operand& y, const DotDimensionNumbers& dimension_numbers, const DotOptions& options) {
  const auto& preferred = options.preferred_element_type;
  return apply(dot_general_p, x, y,
               {{"dimension_numbers", dimension_numbers},
                {"out_sharding", Param()},
                {"precision", options.precision ? Param(*options.precision) : Param()},
                {"preferred_element_type", preferred ? Param(canonical_dtype(*preferred)) : Param()}});
}

Array dot(const Operand& x, const Operand& y) {
  const int left = x.value.ndim(), right = y.value.ndim();
  if (left < 1 || left > 2 || right < 1 || right > 2)
    fail<TypeError>("dot", "takes vectors and matrices; got ", Avals{x.value.aval(), y.value.aval()});
  return dot_general(x, y, {Axes(left - 1), Axes(0)});
}

}  // namespace tenon::lax
