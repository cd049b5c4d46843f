// dot_general: sums of products over paired axes.
#include <tuple>

#include "base/promotion.h"
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
  if (natural.is_complex() && !wanted.is_complex())
    fail<TypeError>("dot_general", "a product of complex numbers is complex; got preferred_element_type ", wanted, " for ", Avals{x, y},
                    "; take the real part of the result");
  if (!natural.is_floating() && wanted.bits() < natural.bits())
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
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams& params) -> Values {
      const auto& dims = params.get<DotDimensionNumbers>("dimension_numbers");
      Values x = operands;
      const Aval left = x[0].aval(), right = x[1].aval();
      const DType dtype = result_dtype(left, right, params.at("preferred_element_type"));
      // Mixed operands are converted to the result's dtype.
      if (left.dtype != right.dtype) x = {b.convert(x[0], dtype), b.convert(x[1], dtype)};
      return {b.dot_general(x[0], x[1],
                            {.lhs_batching_dimensions = dims.lhs_batch,
                             .rhs_batching_dimensions = dims.rhs_batch,
                             .lhs_contracting_dimensions = dims.lhs_contracting,
                             .rhs_contracting_dimensions = dims.rhs_contracting},
                            {dot_shape(left, right, dims), dtype}, precision_config(params.find("precision")))};
    },
    .prints_param = [](std::string_view name, const Param& value, const EqnParams&) {
      return !value.is_none() && name != "out_sharding";
    },
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
