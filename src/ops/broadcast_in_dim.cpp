// broadcast_in_dim: axes of the operand become axes of the result; the others repeat.
// Twins in the API: broadcast, expand_dims and full are special cases.
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Avals broadcast_in_dim_abstract_eval(const Avals& in, const EqnParams& params) {
  const char* who = "broadcast_in_dim";
  check_count(who, in, 1);
  const auto& shape = params.get<Shape>("shape");
  const auto& dims = params.get<Axes>("broadcast_dimensions");
  for (int64_t size : shape)
    if (size < 0) fail<ShapeError>(who, "sizes must not be negative; got shape ", shape);
  if (dims.size() != in[0].shape.size())
    fail<ShapeError>(who, "broadcast_dimensions must name one axis for each of the operand's; got ", dims, " for ", in[0]);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= shape.ndim())
      fail<ShapeError>(who, "broadcast_dimensions must be axes of the result; got ", dims, " for shape ", shape);
    for (size_t j = 0; j < i; ++j)
      if (dims[j] == dims[i]) fail<ShapeError>(who, "an axis comes twice in broadcast_dimensions; got ", dims);
    if (in[0].shape[i] != 1 && in[0].shape[i] != shape[dims[i]])
      fail<ShapeError>(who, "axis ", i, " of the operand has size ", in[0].shape[i], ", which is neither 1 nor that of axis ",
                       dims[i], " of the result; got ", in[0], ", shape ", shape, ", broadcast_dimensions ", dims);
  }
  return {in[0].with_shape(shape)};
}

// The sum over what was repeated; axes of size 1, which may have been, are summed and added again.
static Array transpose_broadcast(const Array& ct, const LinearOperand& x, const EqnParams& params) {
  const auto& dims = params.get<Axes>("broadcast_dimensions");
  Axes ones, kept, summed;
  for (int axis = 0; axis < x.aval.ndim(); ++axis) {
    if (x.aval.shape[axis] == 1) ones.push_back(axis);
    else kept.push_back(dims[axis]);
  }
  for (int axis = 0; axis < ct.ndim(); ++axis)
    if (!kept.contains(axis)) summed.push_back(axis);
  return expand_dims(reduce_sum(ct, summed), ones);
}

static BatchResult batch_broadcast(const Primitive&, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                                   const EqnParams& params) {
  std::vector<int64_t> shape = params.get<Shape>("shape").dims();
  shape.insert(shape.begin(), axis.size);
  Axes dims(0);
  for (int64_t dim : params.get<Axes>("broadcast_dimensions")) dims.push_back(dim + 1);
  return {{broadcast_in_dim(move_axis(operands[0], axes[0], 0), Shape(std::move(shape)), dims)}, {0}};
}

constinit const Primitive broadcast_in_dim_p{
    .name = "broadcast_in_dim",
    .abstract_eval = broadcast_in_dim_abstract_eval,
    .jvp = jvp_linear,
    .transpose = transpose_unary<transpose_broadcast>,
    .batching = batch_broadcast,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      return {b.broadcast_in_dim(x[0], params.get<Shape>("shape"), params.get<Axes>("broadcast_dimensions"))};
    },
    .prints_param = [](std::string_view name, const Param& value, const EqnParams&) {
      return name == "broadcast_dimensions" && !value.get<Axes>().empty();
    },
};

Array broadcast_in_dim(const Operand& x, const Shape& shape, const Axes& broadcast_dimensions) {
  bool is_identity = x.value.shape() == shape && broadcast_dimensions.size() == shape.size();
  for (size_t i = 0; is_identity && i < shape.size(); ++i) is_identity = broadcast_dimensions[i] == static_cast<int64_t>(i);
  if (is_identity) return x.value;
  return apply(broadcast_in_dim_p, x,
               {{"broadcast_dimensions", broadcast_dimensions}, {"shape", shape}, {"sharding", Param()}});
}

Array broadcast(const Operand& x, const Shape& sizes) {
  Shape shape = sizes;
  Axes dims;
  for (int64_t size : x.value.shape()) {
    dims.push_back(shape.ndim());
    shape.push_back(size);
  }
  if (sizes.empty()) return x.value;
  return broadcast_in_dim(x, shape, dims);
}

Array expand_dims(const Operand& x, const Axes& dimensions) {
  const Shape old = x.value.shape();
  const int ndim = old.ndim() + static_cast<int>(dimensions.size());
  const Axes added = canonical_axes("expand_dims", dimensions, ndim);
  Shape shape;
  Axes dims;
  for (int axis = 0; axis < ndim; ++axis) {
    if (added.contains(axis)) {
      shape.push_back(1);
    } else {
      shape.push_back(old[dims.size()]);
      dims.push_back(axis);
    }
  }
  return broadcast_in_dim(x, shape, dims);
}

Array full(const Shape& shape, const Operand& value, std::optional<DType> dtype) {
  if (value.value.ndim() != 0)
    fail<TypeError>("full", "the value must be a scalar; got ", value.value.aval(), "; use jnp::broadcast_to");
  detail::SiteScope site(value.loc);
  Array scalar = dtype ? convert_element_type(value, *dtype) : value.value;
  return broadcast(Operand(scalar, value.loc), shape);
}

Array full_like(const Operand& x, const Operand& value, std::optional<DType> dtype) {
  detail::SiteScope site(x.loc);
  const Aval aval = x.value.aval();
  Array scalar = convert_type(value.value, dtype.value_or(aval.dtype), !dtype && aval.weak_type);
  return broadcast(Operand(scalar, value.loc), aval.shape);
}

}  // namespace tenon::lax
