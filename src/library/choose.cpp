// where and clip.
#include "base/fail.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {

Array where(const Operand& condition, const Operand& x, const Operand& y) {
  detail::SiteScope site(condition.loc);
  return detail::where_jitted(condition.value, x.value, y.value);
}

Array clip(const Operand& x, const Operand& low, const Operand& high) {
  detail::SiteScope site(x.loc);
  auto body = [](const Arrays& in) -> Arrays { return {minimum(in[2], maximum(in[1], in[0]))}; };
  return detail::call_jitted("clip", body, {x.value, low.value, high.value})[0];
}

Array clip(const Operand& x, const ClipOptions& options) {
  detail::SiteScope site(x.loc);
  if (!options.min.is_empty() && !options.max.is_empty()) return clip(x, options.min, options.max);
  auto below = [](const Arrays& in) -> Arrays { return {maximum(in[1], in[0])}; };
  auto above = [](const Arrays& in) -> Arrays { return {minimum(in[1], in[0])}; };
  if (!options.min.is_empty()) return detail::call_jitted("clip", below, {x.value, options.min})[0];
  if (!options.max.is_empty()) return detail::call_jitted("clip", above, {x.value, options.max})[0];
  return detail::call_jitted("clip", [](const Arrays& in) -> Arrays { return in; }, {x.value})[0];
}

}  // namespace tenon::jnp
