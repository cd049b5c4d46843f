// psum, pmax, pmin, all_gather, axis_index: operations along an axis that vmap has named. Batching by
// that axis makes them operations along an axis of the array: psum[axes=(0,)].
#include "core/trace.h"
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/reductions.h"

namespace tenon::lax {

// The parameter axes: names that are still open, and axes of the operand.
struct NamedAxes {
  std::vector<std::string> names;
  Axes positions;
  bool operator==(const NamedAxes&) const = default;
  std::string str() const {
    if (names.empty()) return positions.str();
    std::string out = "(";
    for (const std::string& name : names) out += "'" + name + "', ";
    for (int64_t position : positions) out += std::to_string(position) + ", ";
    out.resize(out.size() - (names.size() + positions.size() == 1 ? 1 : 2));
    return out + ")";
  }
  bool has(std::string_view name) const { return std::ranges::find(names, name) != names.end(); }
};

namespace {

void check_bound(const char* who, const std::string& name) {
  if (!detail::is_axis_bound(name))
    fail<ValueError>(who, "no axis is called '", name, "' here; give it a name with vmap(f, {.axis_name = \"", name, "\"})");
}

Avals reduced(const char* who, const Avals& in, const EqnParams& params) {
  check_count(who, in, 1);
  check_kind(who, in[0], kNumber);
  const Axes& positions = params.get<NamedAxes>("axes").positions;
  check_axes(who, "axis", positions, in[0].ndim());
  std::vector<int64_t> sizes;
  for (int i = 0; i < in[0].ndim(); ++i)
    if (!positions.contains(i)) sizes.push_back(in[0].shape[i]);
  return {{Shape(sizes), in[0].dtype, in[0].weak_type}};
}

bool uses_axis(const EqnParams& params, std::string_view name) { return params.get<NamedAxes>("axes").has(name); }

// Along this vmap's axis: it becomes an axis of the operand. Along another one: the mapped axis stays.
BatchResult batch_reduced(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                          const EqnParams& params) {
  NamedAxes named = params.get<NamedAxes>("axes");
  if (axes[0] != kNotMapped) named.positions = batched_axes(named.positions, axes[0]);
  if (!named.has(axis.name)) {
    const auto before = std::ranges::count_if(named.positions, [&](int64_t position) { return position < axes[0]; });
    return {bind_all(self, operands, params.with("axes", named)), {axes[0] - static_cast<int>(before)}};
  }
  std::erase(named.names, axis.name);
  if (axes[0] != kNotMapped) {
    named.positions.push_back(axes[0]);
    return {bind_all(self, operands, params.with("axes", named)), {kNotMapped}};
  }
  // Equal for all elements.
  Array x = operands[0];
  if (self.name() == "psum") x = mul(x, full_like(x, static_cast<double>(axis.size)));
  if (named.names.empty() && named.positions.empty()) return {{x}, {kNotMapped}};
  return {bind_all(self, {x}, params.with("axes", named)), {kNotMapped}};
}

// The sum of a cotangent that every element got; along axes of the operand it is repeated.
Cotangents psum_transpose(const Primitive& self, const Cotangents& ct, const LinearOperands& operands, const EqnParams& params) {
  NamedAxes named = params.get<NamedAxes>("axes");
  Array value = ct[0].value();
  if (!named.positions.empty()) {
    Axes kept;
    for (int i = 0; i < operands[0].aval.ndim(); ++i)
      if (!named.positions.contains(i)) kept.push_back(i);
    value = broadcast_in_dim(value, operands[0].aval.shape, kept);
  }
  return {bind(self, {value}, params.with("axes", NamedAxes{named.names, {}}))};
}

void check_all_bound(const char* who, const NamedAxes& named) {
  if (!named.names.empty())
    fail<ValueError>(who, "the axis '", named.names[0], "' is not bound: the program runs outside of the vmap that names it");
}

constexpr Name kIndexName = "axis_index";

std::string axis_name_of(const EqnParams& params) { return params.get<std::string>("axis_name"); }

}  // namespace

constinit const Primitive psum_p{
    .name = "psum",
    .abstract_eval = [](const Avals& in, const EqnParams& params) { return reduced("psum", in, params); },
    .jvp = jvp_linear,
    .transpose = psum_transpose,
    .batching = batch_reduced,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      check_all_bound("psum", params.get<NamedAxes>("axes"));
      if (params.get<NamedAxes>("axes").positions.empty()) return {x[0]};
      const Value init = full_value(b, 0, {{}, x[0].aval().dtype});
      return {b.reduce(x[0], init, params.get<NamedAxes>("axes").positions, ReduceKind::add)};
    },
    .uses_axis = uses_axis,
};
constinit const Primitive pmax_p{
    .name = "pmax",
    .abstract_eval = [](const Avals& in, const EqnParams& params) { return reduced("pmax", in, params); },
    .batching = batch_reduced,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      check_all_bound("pmax", params.get<NamedAxes>("axes"));
      const Value init = extreme_value(b, x[0].aval().dtype, false);
      return {b.reduce(x[0], init, params.get<NamedAxes>("axes").positions, ReduceKind::maximum)};
    },
    .uses_axis = uses_axis,
};
constinit const Primitive pmin_p{
    .name = "pmin",
    .abstract_eval = [](const Avals& in, const EqnParams& params) { return reduced("pmin", in, params); },
    .batching = batch_reduced,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      check_all_bound("pmin", params.get<NamedAxes>("axes"));
      const Value init = extreme_value(b, x[0].aval().dtype, true);
      return {b.reduce(x[0], init, params.get<NamedAxes>("axes").positions, ReduceKind::minimum)};
    },
    .uses_axis = uses_axis,
};

// The index of the element along a named axis. It has no operands: vmap gives it a value.
constinit const Primitive axis_index_p{
    .name = "axis_index",
    .abstract_eval = [](const Avals&, const EqnParams&) -> Avals { return {{{}, DType(DType::kInt32), false}}; },
    .batching = [](const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>&,
                   const EqnParams& params) -> BatchResult {
      if (axis_name_of(params) != axis.name) return {bind_all(self, operands, params), {kNotMapped}};
      return {{iota(DType(DType::kInt32), axis.size)}, {0}};
    },
    .lowering = [](StablehloBuilder&, const Values&, const EqnParams& params) -> Values {
      fail<ValueError>(kIndexName.text, "the axis '", axis_name_of(params), "' is not bound: the program runs outside of the vmap that names it");
    },
    .uses_axis = [](const EqnParams& params, std::string_view name) { return axis_name_of(params) == name; },
};

// The elements along a named axis side by side, the same for every one.
constinit const Primitive all_gather_p{
    .name = "all_gather",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      check_count("all_gather", in, 1);
      std::vector<int64_t> sizes = in[0].shape.dims();
      const auto at = params.get<int64_t>("all_gather_dimension");
      if (params.get<bool>("tiled")) sizes[static_cast<size_t>(at)] *= params.get<int64_t>("axis_size");
      else sizes.insert(sizes.begin() + at, params.get<int64_t>("axis_size"));
      return {{Shape(sizes), in[0].dtype, in[0].weak_type}};
    },
    .jvp = jvp_linear,
    // Each element gets back the sum of what all got of it.
    .transpose = [](const Primitive&, const Cotangents& ct, const LinearOperands& operands, const EqnParams& params) -> Cotangents {
      const std::string name = axis_name_of(params);
      const auto at = static_cast<size_t>(params.get<int64_t>("all_gather_dimension"));
      const Array sum = psum(ct[0].value(), name);
      const Array index = axis_index(name);
      std::vector<int64_t> sizes = sum.shape().dims();
      sizes[at] = params.get<bool>("tiled") ? operands[0].aval.shape[static_cast<int>(at)] : 1;
      Arrays starts(sizes.size(), Array(0).astype(DType(DType::kInt32)));
      starts[at] = mul(index, Array(sizes[at]).astype(DType(DType::kInt32)));
      return {reshape(dynamic_slice(sum, starts, Shape(sizes)), operands[0].aval.shape)};
    },
    .batching = [](const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                   const EqnParams& params) -> BatchResult {
      const auto at = static_cast<int>(params.get<int64_t>("all_gather_dimension"));
      const bool tiled = params.get<bool>("tiled");
      if (axis_name_of(params) != axis.name) {
        const int moved = static_cast<int>(tiled || at >= axes[0] ? batched_axis(at, axes[0]) : at);
        const int result = axes[0] + (!tiled && moved <= axes[0] ? 1 : 0);
        return {bind_all(self, operands, params.with("all_gather_dimension", int64_t{moved})), {result}};
      }
      Array x = axes[0] == kNotMapped ? broadcast_along(operands[0], axis.size, at) : move_axis(operands[0], axes[0], at);
      if (tiled) {
        std::vector<int64_t> sizes = x.shape().dims();
        sizes[static_cast<size_t>(at) + 1] *= sizes[static_cast<size_t>(at)];
        sizes.erase(sizes.begin() + at);
        x = reshape(x, Shape(sizes));
      }
      return {{x}, {kNotMapped}};
    },
    .lowering = [](StablehloBuilder&, const Values&, const EqnParams& params) -> Values {
      fail<ValueError>("all_gather", "the axis '", axis_name_of(params), "' is not bound: the program runs outside of the vmap that names it");
    },
    .uses_axis = [](const EqnParams& params, std::string_view name) { return axis_name_of(params) == name; },
};

static Array reduce_along(const Primitive& primitive, const Operand& x, std::string_view axis_name) {
  detail::SiteScope site(x.loc);
  const std::string name(axis_name);
  check_bound(primitive.name.text, name);
  return bind(primitive, {x.value}, {{"axes", NamedAxes{{name}, {}}}, {"axis_index_groups", Param()}});
}
// A number of the program is summed at once: psum(1, "i") is the size of the axis.
static Array times_size(const Array& number, int64_t size) {
  const DType dtype = number.dtype();
  if (dtype.is_inexact() && !dtype.is_complex()) return convert_type(Array(number.item<double>() * static_cast<double>(size)), dtype, number.weak_type());
  return convert_type(Array(number.item<int64_t>() * size), dtype.is_bool() ? DType(DType::kInt32) : dtype, number.weak_type());
}
Array psum(const Operand& x, std::string_view axis_name) {
  const Array& value = x.value;
  if (value.node("psum").kind() != detail::ArrayNode::Kind::scalar || value.dtype().is_complex()) return reduce_along(psum_p, x, axis_name);
  return times_size(value, axis_size(axis_name, x.loc));
}
Array pmax(const Operand& x, std::string_view axis_name) { return reduce_along(pmax_p, x, axis_name); }
Array pmin(const Operand& x, std::string_view axis_name) { return reduce_along(pmin_p, x, axis_name); }
Array pmean(const Operand& x, std::string_view axis_name) {
  const Array sum = psum(x, axis_name);
  return div(sum, full_like(sum, static_cast<double>(axis_size(axis_name, x.loc))));
}
int64_t axis_size(std::string_view axis_name, Loc loc) {
  detail::SiteScope site(loc);
  check_bound("axis_size", std::string(axis_name));
  return detail::size_of_axis(axis_name);
}
Array axis_index(std::string_view axis_name, Loc loc) {
  detail::SiteScope site(loc);
  check_bound("axis_index", std::string(axis_name));
  return bind(axis_index_p, {}, {{"axis_name", std::string(axis_name)}});
}
Array all_gather(const Operand& x, std::string_view axis_name, const AllGatherOptions& options) {
  detail::SiteScope site(x.loc);
  const std::string name(axis_name);
  check_bound("all_gather", name);
  const int ndim = x.value.ndim() + (options.tiled ? 0 : 1);
  return bind(all_gather_p, {x.value},
              {{"all_gather_dimension", canonical_axis("all_gather", options.axis, ndim)}, {"axis_name", name},
               {"axis_size", detail::size_of_axis(name)}, {"tiled", options.tiled}});
}

}  // namespace tenon::lax
