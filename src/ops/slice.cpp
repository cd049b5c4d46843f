// slice: elements start, start + stride, ... below limit, along each axis; all known while tracing.
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Shape strides_of(const EqnParams& params, int ndim) {
  const Param& strides = params.at("strides");
  return strides.is_none() ? Shape(std::vector<int64_t>(ndim, 1)) : strides.get<Shape>();
}

static Avals slice_abstract_eval(const Avals& in, const EqnParams& params) {
  check_count("slice", in, 1);
  const auto& start = params.get<Shape>("start_indices");
  const auto& limit = params.get<Shape>("limit_indices");
  const Shape strides = strides_of(params, in[0].ndim());
  for (const Shape* list : {&start, &limit, &strides})
    if (list->size() != in[0].shape.size())
      fail<ShapeError>("slice", "start_indices, limit_indices and strides must have one entry for each axis; got ", start,
                       ", ", limit, " and ", strides, " for ", in[0]);
  Shape shape;
  for (size_t i = 0; i < start.size(); ++i) {
    if (start[i] < 0 || start[i] > limit[i] || limit[i] > in[0].shape[i])
      fail<ShapeError>("slice", "0 <= start <= limit <= size must hold along axis ", i, "; got start_indices ", start,
                       " and limit_indices ", limit, " for ", in[0]);
    if (strides[i] < 1) fail<ShapeError>("slice", "strides must be positive; got ", strides);
    shape.push_back(limit[i] == start[i] ? 0 : (limit[i] - start[i] - 1) / strides[i] + 1);
  }
  return {in[0].with_shape(shape)};
}

static Array transpose_slice(const Array& ct, const LinearOperand& x, const EqnParams& params) {
  const auto& start = params.get<Shape>("start_indices");
  const Shape strides = strides_of(params, ct.ndim());
  std::vector<PaddingConfig::Axis> config;
  for (int axis = 0; axis < ct.ndim(); ++axis) {
    const int64_t size = ct.shape()[axis];
    const int64_t limit = strides[axis] == 1 ? params.get<Shape>("limit_indices")[axis]
                          : size == 0        ? start[axis]
                                             : start[axis] + 1 + (size - 1) * strides[axis];
    config.push_back({start[axis], x.aval.shape[axis] - limit, strides[axis] - 1});
  }
  return pad(ct, constant_like(ct, 0), PaddingConfig(std::move(config)));
}

static BatchResult batch_slice(const Primitive&, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                               const EqnParams& params) {
  auto inserted = [&](Shape list, int64_t value) {
    std::vector<int64_t> values = list.dims();
    values.insert(values.begin() + axes[0], value);
    return Shape(std::move(values));
  };
  std::optional<Shape> strides;
  if (!params.at("strides").is_none()) strides = inserted(params.get<Shape>("strides"), 1);
  const Shape start = inserted(params.get<Shape>("start_indices"), 0);
  return {{slice(operands[0], start, inserted(params.get<Shape>("limit_indices"), axis.size), strides)}, axes};
}

constinit const Primitive slice_p{
    .name = "slice",
    .abstract_eval = slice_abstract_eval,
    .jvp = jvp_linear,
    .transpose = transpose_unary<transpose_slice>,
    .batching = batch_slice,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      return {b.slice(x[0], params.get<Shape>("start_indices"), params.get<Shape>("limit_indices"),
                      strides_of(params, x[0].aval().ndim()))};
    },
};

Array slice(const Operand& x, const Shape& start_indices, const Shape& limit_indices, const std::optional<Shape>& strides) {
  return apply(slice_p, x, {{"limit_indices", limit_indices},
                            {"start_indices", start_indices},
                            {"strides", strides ? Param(*strides) : Param()}});
}

}  // namespace tenon::lax
