// diff and cross.
#include "base/fail.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {

Array diff(const Operand& x, int n, int axis) {
  detail::FunctionScope site(x.loc);
  if (n < 0) fail<ValueError>("diff", "n must not be negative; got ", n);
  if (x.value.ndim() == 0) fail<ValueError>("diff", "needs at least one axis; got ", x.value.aval());
  const int64_t at = detail::canonical_axis("diff", axis, x.value.ndim());
  auto body = [&](const Arrays& in) -> Arrays {
    Array y = in[0];
    for (int k = 0; k < n; ++k) {
      Shape begin(std::vector<int64_t>(static_cast<size_t>(y.ndim()), 0)), end = y.shape();
      if (end[at] == 0) break;
      begin[at] = 1;
      const Array later = lax::slice(y, begin, end);
      begin[at] = 0;
      --end[at];
      const Array earlier = lax::slice(y, begin, end);
      y = y.dtype().is_bool() ? not_equal(later, earlier) : subtract(later, earlier);
    }
    return {y};
  };
  return detail::call_jitted("diff", body, {x.value})[0];
}

Array cross(const Operand& x, const Operand& y, int axis) {
  detail::FunctionScope site(x.loc);
  auto body = [axis](const Arrays& in) -> Arrays {
    const Array a = moveaxis(in[0], axis, -1), b = moveaxis(in[1], axis, -1);
    for (const Array& v : {a, b})
      if (v.shape()[v.ndim() - 1] != 3)
        fail<ValueError>("cross", "vectors have 3 components; got ", Avals{in[0].aval(), in[1].aval()}, " along axis ", axis);
    const Array a0 = a(ellipsis, 0), a1 = a(ellipsis, 1), a2 = a(ellipsis, 2);
    const Array b0 = b(ellipsis, 0), b1 = b(ellipsis, 1), b2 = b(ellipsis, 2);
    auto minor = [](const Array& p, const Array& q, const Array& r, const Array& s) {
      const Array first = multiply(p, q);
      return subtract(first, multiply(r, s));
    };
    const Array c0 = minor(a1, b2, a2, b1), c1 = minor(a2, b0, a0, b2), c2 = minor(a0, b1, a1, b0);
    return {moveaxis(array(Arrays{c0, c1, c2}), 0, axis)};
  };
  return detail::call_jitted("cross", body, {x.value, y.value})[0];
}

}  // namespace tenon::jnp
