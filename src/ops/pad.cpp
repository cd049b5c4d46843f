// pad: an array with a value around its elements, or between them.
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
