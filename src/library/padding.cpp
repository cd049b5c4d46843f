// pad: a border of one value.
#include "base/fail.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {

PadWidth::PadWidth(int64_t all) : each_{{all, all}} {}
PadWidth::PadWidth(std::initializer_list<std::pair<int64_t, int64_t>> each) : each_(each) {}

Array pad(const Operand& x, const PadWidth& width, const PadOptions& options) {
  detail::FunctionScope site(x.loc);
  const auto& each = width.each();
  const size_t ndim = static_cast<size_t>(x.value.ndim());
  if (each.size() != 1 && each.size() != ndim)
    fail<ValueError>("pad", "needs one pair of widths for each axis, or one for all; got ", each.size(), " for ", x.value.aval());
  lax::PaddingConfig config{};
  for (size_t axis = 0; axis < ndim; ++axis) {
    const auto [low, high] = each[each.size() == 1 ? 0 : axis];
    if (low < 0 || high < 0) fail<ValueError>("pad", "widths must not be negative; got (", low, ", ", high, ") for axis ", axis);
    config.axes.push_back({low, high, 0});
  }
  const Array value = options.constant_values.is_empty() ? Array(0) : options.constant_values;
  if (value.ndim() != 0) fail<ValueError>("pad", "constant_values must be one value; got ", value.aval());
  auto body = [&](const Arrays& in) -> Arrays {
    if (in[0].ndim() == 0) return {in[0]};
    return {lax::pad(in[0], lax::convert_type(in[1], in[0].dtype(), in[0].weak_type()), config)};
  };
  return detail::call_jitted("_pad", body, {x.value, value})[0];
}

}  // namespace tenon::jnp
