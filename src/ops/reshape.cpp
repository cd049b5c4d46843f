// reshape: the same elements in row-major order under another shape.
// The parameter dimensions is the order in which the operand's axes are read; None: their own.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/reductions.h"

namespace tenon::lax {

// Axes of the operand in the order in which it is read.
static std::optional<Axes> reading_order(const EqnParams& params) {
  const Param& dimensions = params.at("dimensions");
  return dimensions.is_none() ? std::nullopt : std::optional(dimensions.get<Axes>());
}

static Array transpose_reshape(const Array& ct, const LinearOperand& x, const EqnParams& params) {
  const std::optional<Axes> order = reading_order(params);
  if (!order) return reshape(ct, x.aval.shape);
  Shape shape;
  Axes back = *order;
  for (size_t i = 0; i < order->size(); ++i) {
    shape.push_back(x.aval.shape[(*order)[i]]);
    back[(*order)[i]] = static_cast<int64_t>(i);
  }
  return transpose(reshape(ct, shape), back);
}

static BatchResult batch_reshape(const Primitive&, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                                 const EqnParams& params) {
  const Array x = move_axis(operands[0], axes[0], 0);
  std::vector<int64_t> sizes = params.get<Shape>("new_sizes").dims();
  sizes.insert(sizes.begin(), axis.size);
  const std::optional<Axes> order = reading_order(params);
  if (!order) return {{reshape(x, Shape(std::move(sizes)))}, {0}};
  Axes batched(0);
  for (int64_t dimension : *order) batched.push_back(dimension + 1);
  return {{reshape_in_order(x, Shape(std::move(sizes)), batched)}, {0}};
}

constinit const Primitive reshape_p{
    .name = "reshape",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      check_count("reshape", in, 1);
      const auto& sizes = params.get<Shape>("new_sizes");
      for (int64_t size : sizes)
        if (size < 0) fail<ShapeError>("reshape", "sizes must not be negative; got ", sizes);
      if (in[0].shape.num_elements() != sizes.num_elements())
        fail<ShapeError>("reshape", "the number of elements changes from ", in[0].shape.num_elements(), " to ",
                         sizes.num_elements(), "; got ", in[0], " and shape ", sizes);
      if (const Param& order = params.at("dimensions"); !order.is_none())
        check_axes("reshape", "dimension", order.get<Axes>(), in[0].ndim());
      return {in[0].with_shape(sizes)};
    },
    .jvp = jvp_linear,
    .transpose = transpose_unary<transpose_reshape>,
    .batching = batch_reshape,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      const std::optional<Axes> order = reading_order(params);
      return {b.reshape(order ? b.transpose(x[0], *order) : x[0], params.get<Shape>("new_sizes"))};
    },
};

Array reshape(const Operand& x, const Shape& new_sizes) {
  const Shape shape = x.value.shape();
  if (!shape.empty() && shape == new_sizes) return x.value;
  return apply(reshape_p, x, {{"dimensions", Param()}, {"new_sizes", new_sizes}, {"sharding", Param()}});
}

Array reshape_in_order(const Array& x, const Shape& new_sizes, const Axes& dimensions) {
  bool is_own = true;
  for (size_t i = 0; i < dimensions.size(); ++i) is_own &= dimensions[i] == static_cast<int64_t>(i);
  if (is_own) return reshape(x, new_sizes);
  return bind(reshape_p, {x}, {{"dimensions", dimensions}, {"new_sizes", new_sizes}, {"sharding", Param()}});
}

}  // namespace tenon::lax
