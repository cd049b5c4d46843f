// grad, jvp, vjp, linearize, jacfwd, jacrev: from calls of user functions to flat transformations.
#include <algorithm>

#include "base/fail.h"
#include "core/nodes.h"
#include "ops/convert.h"
#include "tenon/detail/rules.h"
#include "tenon/lax.h"
#include "tenon/transforms.h"
#include "transforms/backward.h"
#include "transforms/batch.h"
#include "transforms/jaxpr.h"
#include "transforms/linearize.h"
#include "transforms/pass.h"

namespace tenon::detail {
namespace {

std::vector<bool> leaves_of(const Call& call, Argnums argnums) {
  std::vector<bool> chosen;
  call.leaf_paths([&](size_t argument, const std::string&) {
    chosen.push_back(std::find(argnums.data, argnums.data + argnums.size, static_cast<int>(argument)) != argnums.data + argnums.size);
  });
  return chosen;
}

// "argument 0['w']" for each leaf.
std::vector<std::string> leaf_names(const Call& call) {
  std::vector<std::string> names;
  call.leaf_paths([&](size_t argument, const std::string& path) { names.push_back("argument " + std::to_string(argument) + path); });
  return names;
}

// The chosen leaves in the order of `argnums`.
std::vector<size_t> order_of(const Call& call, Argnums argnums) {
  std::vector<size_t> of_leaf, order;
  call.leaf_paths([&](size_t argument, const std::string&) { of_leaf.push_back(argument); });
  for (size_t k = 0; k < argnums.size; ++k)
    for (size_t i = 0; i < of_leaf.size(); ++i)
      if (of_leaf[i] == static_cast<size_t>(argnums.data[k])) order.push_back(i);
  return order;
}

void check_argument(const char* who, const Call& call, size_t leaf, const GradOptions& options) {
  const Array& x = call.leaves[leaf];
  const DType dtype = x.dtype();
  if (options.holomorphic) {
    if (!dtype.is_complex()) fail<TypeError>(who, "holomorphic derivatives need complex inputs; ", leaf_names(call)[leaf], " is ", x.aval());
  } else if (!dtype.is_inexact() && !options.allow_int) {
    fail<TypeError>(who, "derivatives need real or complex inputs; ", leaf_names(call)[leaf], " is ", x.aval(),
                    "; convert it with astype, do not differentiate by it, or set allow_int");
  }
}

void check_value(const char* who, const Array& y, const GradOptions& options) {
  if (y.ndim() != 0)
    fail<TypeError>(who, "a gradient is of a scalar; the function returns ", y.aval(), "; reduce it (jnp::sum), or use jacrev or vjp");
  const DType dtype = y.dtype();
  if (options.holomorphic ? !dtype.is_complex() : !dtype.is_floating())
    fail<TypeError>(who, options.holomorphic ? "holomorphic derivatives need complex results; got " : "a gradient is of a real result; got ",
                    y.aval(), dtype.is_complex() ? "; set holomorphic, or use vjp" : "");
}

// Cotangents of all inputs of a linear jaxpr; zeros where there is none.
Arrays pull(const Linearized& map, const Arrays& cotangents) {
  Cotangents nonzero;
  for (size_t i = 0; i < map.nonzero.size(); ++i)
    if (map.nonzero[i]) nonzero.push_back(cotangents[i]);
  LinearOperands inputs;
  for (const Var& v : map.tangents.invars()) inputs.push_back({true, {}, v.aval()});
  Arrays out;
  for (const Cotangent& ct : backward_pass(map.tangents, inputs, nonzero)) out.push_back(instantiate(ct));
  return out;
}

struct PointMap final : RefCounted {
  Linearized linear;
  Avals arguments, results;
  std::vector<std::string> argument_names;
};

// The identity of `size` rows, as JAX makes it.
Array identity_matrix(int64_t size, DType dtype) {
  const Shape shape{size, size};
  const Array rows = lax::broadcasted_iota(jnp::int32, shape, 0), columns = lax::broadcasted_iota(jnp::int32, shape, 1);
  const Array shifted = lax::add(rows, Array(0).astype(jnp::int32));
  return lax::convert_element_type(lax::eq(shifted, columns), dtype);
}

// The shape of x with `shape` in the place of an axis.
Shape with_axis_as(const Array& x, int axis, const Shape& shape) {
  std::vector<int64_t> full(x.shape().dims());
  full.erase(full.begin() + axis);
  full.insert(full.begin() + axis, shape.dims().begin(), shape.dims().end());
  return Shape(full);
}

// An axis of `x` taken apart: for each shape its elements, in its shape, in the place of the axis.
// `types`: what they are converted to: one for each, or one for all. Of float0 all are zeros.
Arrays unravel(const Array& x, int axis, const std::vector<Shape>& shapes, const Avals& types) {
  Arrays out;
  const auto type_of = [&](size_t i) { return types[types.size() == 1 ? 0 : i]; };
  if (x.dtype().code() == DType::kFloat0) {
    for (size_t i = 0; i < shapes.size(); ++i) out.push_back(instantiate(Tangent::zero(type_of(i).with_shape(with_axis_as(x, axis, shapes[i])))));
    return out;
  }
  std::vector<int64_t> sizes;
  for (const Shape& shape : shapes) sizes.push_back(shape.num_elements());
  const Arrays parts = lax::split(x, sizes, axis);
  for (size_t i = 0; i < parts.size(); ++i) {
    const Aval type = type_of(i);
    Array part = lax::reshape(parts[i], with_axis_as(x, axis, shapes[i]));
    if (part.dtype().is_complex() && !type.dtype.is_complex()) part = lax::real(part);
    out.push_back(lax::convert_type(part, type.dtype, type.weak_type));
  }
  return out;
}

DType common_dtype(const Arrays& xs) {
  DType out = xs[0].dtype();
  for (const Array& x : xs) {
    const DType dtype = x.dtype();
    if (dtype.is_complex() && !out.is_complex()) out = dtype;
    if (dtype.is_complex() == out.is_complex() && dtype.itemsize() > out.itemsize()) out = dtype;
  }
  return out;
}

std::vector<Shape> shapes_of(const Arrays& xs) {
  std::vector<Shape> out;
  for (const Array& x : xs) out.push_back(x.shape());
  return out;
}

}  // namespace

DerivedResult value_and_grad_of(const Call& call, Argnums argnums, const GradOptions& options, bool has_aux) {
  const char* who = "grad";
  SiteScope site(call.loc);
  const std::vector<bool> chosen = leaves_of(call, argnums);
  const std::vector<size_t> order = order_of(call, argnums);
  Arrays varying;
  for (size_t i = 0; i < chosen.size(); ++i) {
    if (!chosen[i]) continue;
    check_argument(who, call, i, options);
    varying.push_back(call.leaves[i]);
  }
  FlatResult value;
  size_t results = 0;
  // Only the first leaf is differentiated; what else comes back is a value.
  const auto function = [&](const Arrays& inputs) {
    Arrays leaves = call.leaves;
    for (size_t i = 0, next = 0; i < leaves.size(); ++i)
      if (chosen[i]) leaves[i] = inputs[next++];
    value = call.run(leaves);
    results = value.leaves.size();
    return value.leaves;
  };
  Linearized linear = linearize_flat(function, varying, std::vector<bool>(varying.size(), true));
  value.leaves = linear.primals;
  if (!has_aux) TENON_CHECK(results == 1, "value_and_grad");
  check_value(who, linear.primals[0], options);
  Linearized first = linear;
  const size_t kept = first.nonzero[0] ? 1 : 0;
  std::vector<bool> used(first.tangents.outvars().size(), false);
  if (kept) used[0] = true;
  if (used.size() > kept) first.tangents = dead_code_eliminated(first.tangents, used, true).jaxpr;
  first.nonzero.resize(1);
  const Array one = lax::full_like(linear.primals[0], 1);
  const Arrays gradients = pull(first, {one});
  // Gradients come by leaf; the caller wants them by argnum.
  DerivedResult out{std::move(value), {}};
  std::vector<size_t> position(chosen.size());
  for (size_t i = 0, next = 0; i < chosen.size(); ++i)
    if (chosen[i]) position[i] = next++;
  for (size_t leaf : order) out.derivatives.push_back(gradients[position[leaf]]);
  return out;
}

DerivedResult jvp_of(const Call& call, const Arrays& along) {
  SiteScope site(call.loc);
  if (along.size() != call.leaves.size())
    fail<TypeError>("jvp", "there are ", call.leaves.size(), " primal arrays and ", along.size(), " tangents");
  Tangents tangents;
  for (size_t i = 0; i < along.size(); ++i) {
    const ShapedArray wanted = tangent_aval(call.leaves[i].aval());
    const ShapedArray got = along[i].aval();
    if (got.shape != wanted.shape || got.dtype != wanted.dtype)
      fail<TypeError>("jvp", "the tangent of ", leaf_names(call)[i], ", which is ", call.leaves[i].aval(), ", is ", wanted, "; got ", got);
    tangents.push_back(wanted.dtype.code() == DType::kFloat0 ? Tangent::zero(wanted) : Tangent(along[i]));
  }
  FlatResult value;
  const JvpResult result = jvp_flat([&](const Arrays& leaves) { value = call.run(leaves); return value.leaves; }, call.leaves, tangents);
  value.leaves = result.primals;
  DerivedResult out{std::move(value), {}};
  for (const Tangent& t : result.tangents) out.derivatives.push_back(instantiate(t));
  return out;
}

LinearMap linearize_of(const Call& call) {
  SiteScope site(call.loc);
  auto map = make_ref<PointMap>();
  FlatResult value;
  map->linear = linearize_flat([&](const Arrays& leaves) { value = call.run(leaves); return value.leaves; }, call.leaves,
                               std::vector<bool>(call.leaves.size(), true));
  value.leaves = std::exchange(map->linear.primals, {});
  map->arguments = avals_of(call.leaves);
  map->argument_names = leaf_names(call);
  map->results = avals_of(value.leaves);
  return {std::move(value), map};
}

Ref<RefCounted> linear_transpose_of(const Call& call) {
  SiteScope site(call.loc);
  auto map = make_ref<PointMap>();
  map->linear.tangents = trace_to_jaxpr([&](const Arrays& leaves) { return call.run(leaves).leaves; }, avals_of(call.leaves), "linear_transpose", "");
  map->results = map->linear.tangents.out_avals();
  map->linear.nonzero.assign(map->results.size(), true);
  map->arguments = avals_of(call.leaves);
  return map;
}

static void check_types(const char* who, const char* what, const Avals& wanted, const Arrays& got, FunctionRef<std::string(size_t)> name) {
  if (wanted.size() != got.size()) fail<ValueError>(who, "there are ", wanted.size(), " ", what, "s; got ", got.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const ShapedArray aval = tangent_aval(wanted[i]);
    if (aval.shape != got[i].shape() || aval.dtype != got[i].dtype())
      fail<ValueError>(who, "the ", what, " of ", name(i), " is ", aval, "; got ", got[i].aval());
  }
}

Arrays push_forward(const RefCounted& object, const Arrays& tangents, Loc loc) {
  SiteScope site(loc);
  const auto& map = static_cast<const PointMap&>(object);
  check_types("linearize", "tangent", map.arguments, tangents, [&](size_t i) { return map.argument_names[i]; });
  const Arrays values = detail::eval_jaxpr(without_passes(map.linear.tangents), tangents);
  Arrays out;
  size_t next = 0;
  for (size_t i = 0; i < map.results.size(); ++i)
    out.push_back(map.linear.nonzero[i] ? values[next++] : instantiate(Tangent::zero(tangent_aval(map.results[i]))));
  return out;
}

Arrays pull_back(const RefCounted& object, const Arrays& cotangents, FunctionRef<std::vector<std::string>()> paths, Loc loc) {
  SiteScope site(loc);
  const auto& map = static_cast<const PointMap&>(object);
  check_types("vjp", "cotangent", map.results, cotangents, [&](size_t i) { return "the result" + paths()[i]; });
  return pull(map.linear, cotangents);
}

DerivedResult jacobian_of(const Call& call, Argnums argnums, bool reverse, const GradOptions& options) {
  const char* who = reverse ? "jacrev" : "jacfwd";
  SiteScope site(call.loc);
  const std::vector<size_t> order = order_of(call, argnums);
  Arrays varying;
  for (size_t leaf : order) {
    check_argument(who, call, leaf, options);
    if (!reverse && !options.holomorphic && call.leaves[leaf].dtype().is_complex())
      fail<TypeError>(who, "forward Jacobians need real inputs; got ", call.leaves[leaf].aval(), "; set holomorphic, or use jvp");
    varying.push_back(call.leaves[leaf]);
  }
  FlatResult value;
  const auto function = [&](const Arrays& inputs) {
    Arrays leaves = call.leaves;
    for (size_t k = 0; k < order.size(); ++k) leaves[order[k]] = inputs[k];
    value = call.run(leaves);
    return value.leaves;
  };
  DerivedResult out;
  const std::vector<Shape> shapes = shapes_of(varying);
  std::vector<Arrays> by_result;
  if (reverse) {
    const Linearized linear = linearize_flat(function, varying, std::vector<bool>(varying.size(), true));
    value.leaves = linear.primals;
    const std::vector<Shape> result_shapes = shapes_of(linear.primals);
    int64_t size = 0;
    for (const Shape& shape : result_shapes) size += shape.num_elements();
    const Arrays basis = unravel(identity_matrix(size, common_dtype(linear.primals)), 1, result_shapes, avals_of(linear.primals));
    BatchResult pulled = batch_flat([&](const Arrays& cotangents) { return pull(linear, cotangents); }, {size, ""}, basis,
                                    std::vector<int>(basis.size(), 0));
    by_result.resize(linear.primals.size());
    Arrays all_rows;
    for (size_t k = 0; k < varying.size(); ++k) all_rows.push_back(match_axis(pulled.values[k], pulled.axes[k], 0, size));
    for (size_t k = 0; k < varying.size(); ++k) {
      const Array& rows = all_rows[k];
      const Arrays parts = unravel(rows, 0, result_shapes, {varying[k].aval()});
      for (size_t r = 0; r < parts.size(); ++r) by_result[r].push_back(parts[r]);
    }
  } else {
    int64_t size = 0;
    for (const Shape& shape : shapes) size += shape.num_elements();
    const Arrays basis = unravel(identity_matrix(size, common_dtype(varying)), 1, shapes, avals_of(varying));
    Arrays primals;
    const auto push = [&](const Arrays& t) {
      const JvpResult result = jvp_flat(function, varying, Tangents(t.begin(), t.end()));
      primals = result.primals;
      Arrays changes;
      for (const Tangent& change : result.tangents) changes.push_back(instantiate(change));
      return changes;
    };
    const BatchResult pushed = batch_flat(push, {size, ""}, basis, std::vector<int>(basis.size(), 0));
    value.leaves = primals;
    Arrays columns;
    for (size_t r = 0; r < primals.size(); ++r) columns.push_back(match_axis(pushed.values[r], pushed.axes[r], primals[r].ndim(), size));
    for (size_t r = 0; r < primals.size(); ++r)
      by_result.push_back(unravel(columns[r], primals[r].ndim(), shapes, {primals[r].aval()}));
  }
  if (reverse || options.holomorphic)
    for (const Array& y : value.leaves)
      if (options.holomorphic ? !y.dtype().is_complex() : y.dtype().is_complex())
        fail<TypeError>(who, options.holomorphic ? "holomorphic derivatives need complex results; got " : "a Jacobian is of real results; got ",
                        y.aval(), options.holomorphic ? "" : "; set holomorphic, or use vjp");
  out.value = std::move(value);
  for (Arrays& row : by_result)
    for (Array& x : row) out.derivatives.push_back(std::move(x));
  return out;
}

FlatResult vmap_of(const Call& call, const VmapOptions& options) {
  SiteScope site(call.loc);
  const MappedAxes& in = options.in_axes;
  const size_t arguments = call.argument_count();
  if (!in.fits(arguments))
    fail<ValueError>("vmap", "in_axes has ", in.size(), " entries for ", arguments, " arguments; give one for each, {0, none}, or a number for all");
  std::vector<int> axes;
  std::vector<size_t> owners;
  call.leaf_paths([&](size_t argument, const std::string&) { owners.push_back(argument); });
  std::optional<int64_t> size = options.axis_size;
  for (size_t i = 0; i < owners.size(); ++i) {
    const std::optional<int> wanted = in.axis(owners[i]);
    const Array& x = call.leaves[i];
    if (!wanted) {
      axes.push_back(kNotMapped);
      continue;
    }
    if (*wanted >= x.ndim() || *wanted < -x.ndim())
      fail<ValueError>("vmap", "in_axes asks for axis ", *wanted, " of ", leaf_names(call)[i], ", which is ", x.aval());
    axes.push_back(*wanted < 0 ? *wanted + x.ndim() : *wanted);
    const int64_t here = x.shape()[axes.back()];
    if (size && *size != here)
      fail<ValueError>("vmap", "mapped axes have different sizes: ", leaf_names(call)[i], ", ", x.aval(), ", has ", here, " along axis ",
                       axes.back(), ", another one ", *size);
    size = here;
  }
  if (!size) fail<ValueError>("vmap", "nothing is mapped: give an axis in in_axes, or axis_size");
  FlatResult value;
  BatchResult result = batch_flat([&](const Arrays& leaves) { value = call.run(leaves); return value.leaves; },
                                  {*size, options.axis_name}, call.leaves, axes);
  const MappedAxes& out = options.out_axes;
  if (!out.fits(result.values.size()))
    fail<ValueError>("vmap", "out_axes has ", out.size(), " entries for ", result.values.size(), " results; give one for each, {0, none}, or a number for all");
  for (size_t i = 0; i < result.values.size(); ++i) {
    const std::optional<int> wanted = out.axis(i);
    const int ndim = result.values[i].ndim() + (result.axes[i] == kNotMapped ? 1 : 0);
    if (wanted && (*wanted >= ndim || *wanted < -ndim))
      fail<ValueError>("vmap", "out_axes asks for axis ", *wanted, " of result ", i, ", which has ", ndim, " axes with the mapped one");
    const int to = wanted ? (*wanted < 0 ? *wanted + ndim : *wanted) : kNotMapped;
    result.values[i] = match_axis(result.values[i], result.axes[i], to, *size);
  }
  value.leaves = std::move(result.values);
  return value;
}

FlatResult eval_shape_of(const Call& call) { return make_jaxpr_of(call, "eval_shape").result; }

Arrays jaxpr_call(const Jaxpr& jaxpr, const Arrays& arguments) {
  const Avals wanted = jaxpr.in_avals();
  if (arguments.size() != wanted.size())
    fail<ValueError>("eval_jaxpr", "the jaxpr has ", wanted.size(), " inputs; got ", arguments.size(), " arguments");
  for (size_t i = 0; i < wanted.size(); ++i)
    if (arguments[i].shape() != wanted[i].shape || arguments[i].dtype() != wanted[i].dtype)
      fail<TypeError>("eval_jaxpr", "input ", i, " is ", wanted[i], "; got ", arguments[i].aval());
  return detail::eval_jaxpr(jaxpr, arguments);
}

Array LeafReader::next() {
  check_leaf_count(leaves_.size(), std::max(leaves_.size(), at_ + 1));
  return leaves_[at_++];
}

}  // namespace tenon::detail
