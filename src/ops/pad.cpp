// pad: an array with a value around its elements, or between them.
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

PaddingConfig::PaddingConfig(std::initializer_list<Axis> list) : axes(list) {}
PaddingConfig::PaddingConfig(std::vector<Axis> list) : axes(std::move(list)) {}

bool PaddingConfig::Axis::operator==(const Axis&) const = default;
bool PaddingConfig::operator==(const PaddingConfig&) const = default;

std::string PaddingConfig::str() const {
  std::string text = "(";
  for (size_t i = 0; i < axes.size(); ++i)
    text += detail::text(i > 0 ? ", " : "", "(", axes[i].low, ", ", axes[i].high, ", ", axes[i].interior, ")");
  return text + (axes.size() == 1 ? ",)" : ")");
}

// Axis sizes with the holes, then without what negative paddings cut off.
static Shape padded_shape(const Aval& x, const PaddingConfig& config) {
  if (config.axes.size() != x.shape.size())
    fail<ShapeError>("pad", "needs one (low, high, interior) for each axis; got ", config, " for ", x);
  Shape shape;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    const auto& [low, high, interior] = config.axes[axis];
    if (interior < 0) fail<ValueError>("pad", "interior padding must not be negative; got ", config);
    const int64_t size = x.shape[axis];
    const int64_t padded = low + high + size + (size > 1 ? (size - 1) * interior : 0);
    if (padded < 0)
      fail<ShapeError>("pad", "axis ", axis, " would have the size ", padded, "; got padding_config ", config, " for ", x);
    shape.push_back(padded);
  }
  return shape;
}

static Cotangents transpose_pad(const Primitive&, const Cotangents& cotangents, const LinearOperands& operands, const EqnParams& params) {
  const Array& ct = cotangents[0].value();
  PaddingConfig cut = params.get<PaddingConfig>("padding_config");
  Shape strides;
  Axes all;
  for (PaddingConfig::Axis& axis : cut.axes) {
    all.push_back(strides.ndim());
    strides.push_back(axis.interior + 1);
    axis = {-axis.low, -axis.high, 0};
  }
  const Array unpadded = pad(ct, constant_like(ct, 0), cut);
  const Array inside = slice(unpadded, Shape(std::vector<int64_t>(all.size(), 0)), unpadded.shape(), strides);
  Cotangents out = {inside, Cotangent::zero(operands[1].aval)};
  if (operands[1].linear) {
    const Array total = reduce_sum(ct, all);
    out[1] = sub(total, reduce_sum(inside, all));
  }
  return out;
}

static BatchResult batch_pad(const Primitive&, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                             const EqnParams& params) {
  const bool maps_operand = axes[0] != kNotMapped;
  const int mapped = maps_operand ? axes[0] : 0;
  const Array x = maps_operand ? operands[0] : broadcast_along(operands[0], axis.size, 0);
  PaddingConfig config = params.get<PaddingConfig>("padding_config");
  config.axes.insert(config.axes.begin() + mapped, PaddingConfig::Axis{});
  if (axes[1] == kNotMapped) return {{pad(x, operands[1], config)}, {mapped}};
  const Array padded = pad(x, constant_like(x, 0), config);
  const Array ours = full_like(x, true, jnp::bool_);
  const Array mask = pad(ours, false, config);
  return {{select(mask, padded, broadcast_in_dim(operands[1], padded.shape(), Axes(mapped)))}, {mapped}};
}

constinit const Primitive pad_p{
    .name = "pad",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      check_count("pad", in, 2);
      check_kind("pad", in[0], kAny);
      check_same_dtype("pad", in);
      if (!in[1].shape.empty()) fail<ShapeError>("pad", "the padding value must be a scalar; got ", in[1]);
      Aval result = in[0].with_shape(padded_shape(in[0], params.get<PaddingConfig>("padding_config")));
      result.weak_type = all_weak(in);
      return {result};
    },
    .jvp = jvp_linear,
    .transpose = transpose_pad,
    .batching = batch_pad,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      std::vector<int64_t> low, high, interior;
      for (const PaddingConfig::Axis& axis : params.get<PaddingConfig>("padding_config").axes) {
        low.push_back(axis.low);
        high.push_back(axis.high);
        interior.push_back(axis.interior);
      }
      return {b.pad(x[0], x[1], low, high, interior)};
    },
};

Array pad(const Operand& x, const Operand& padding_value, const PaddingConfig& padding_config) {
  return apply(pad_p, x, padding_value, {{"padding_config", padding_config}});
}

}  // namespace tenon::lax
