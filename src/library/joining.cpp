// Several arrays into one, and one into several.
#include <algorithm>

#include "base/fail.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {

Array concatenate(const Arrays& xs, int axis, Loc loc) {
  detail::FunctionScope site(loc);
  if (xs.empty()) fail<ValueError>("concatenate", "needs at least one array; got none");
  if (xs[0].ndim() == 0) fail<ValueError>("concatenate", "scalars have no axis to join; got ", xs[0].aval(), "; use stack");
  const int64_t at = detail::canonical_axis("concatenate", axis, xs[0].ndim());
  return lax::concatenate(detail::promote_dtypes("concatenate", xs), static_cast<int>(at));
}

Array stack(const Arrays& xs, int axis, Loc loc) {
  detail::FunctionScope site(loc);
  if (xs.empty()) fail<ValueError>("stack", "needs at least one array; got none");
  return lax::stack(detail::promote_dtypes("stack", xs), axis);
}

Array concat(const Arrays& xs, int axis, Loc loc) { return concatenate(xs, axis, loc); }

// New axes of size 1 in front.
static Array at_least(const char* who, const Operand& x, int ndim) {
  detail::FunctionScope site(x.loc);
  auto body = [ndim](const Arrays& in) -> Arrays {
    const int missing = ndim - in[0].ndim();
    return {missing > 0 ? lax::expand_dims(in[0], detail::axis_range(0, missing)) : in[0]};
  };
  return detail::call_jitted(who, body, {x.value})[0];
}
Array atleast_1d(const Operand& x) { return at_least("atleast_1d", x, 1); }
Array atleast_2d(const Operand& x) { return at_least("atleast_2d", x, 2); }

Array vstack(const Arrays& xs, Loc loc) {
  detail::SiteScope site(loc);
  Arrays rows;
  for (const Array& x : xs) rows.push_back(atleast_2d(x));
  if (rows.empty()) fail<ValueError>("vstack", "needs at least one array; got none");
  return concatenate(rows, 0, loc);
}
Array hstack(const Arrays& xs, Loc loc) {
  detail::SiteScope site(loc);
  Arrays columns;
  for (const Array& x : xs) columns.push_back(atleast_1d(x));
  if (columns.empty()) fail<ValueError>("hstack", "needs at least one array; got none");
  return concatenate(columns, columns[0].ndim() == 1 ? 0 : 1, loc);
}
Array column_stack(const Arrays& xs, Loc loc) {
  detail::SiteScope site(loc);
  Arrays columns;
  for (const Array& x : xs) columns.push_back(x.ndim() < 2 ? transpose(atleast_2d(x)) : x);
  if (columns.empty()) fail<ValueError>("column_stack", "needs at least one array; got none");
  return concatenate(columns, 1, loc);
}

Arrays split(const Operand& x, int sections, int axis) {
  detail::FunctionScope site(x.loc);
  const int64_t at = detail::canonical_axis("split", axis, x.value.ndim());
  const int64_t size = x.value.shape()[at];
  if (sections < 1 || size % sections != 0)
    fail<ValueError>("split", "axis ", at, " of size ", size, " does not divide into ", sections, " equal parts; got ",
                     x.value.aval());
  return lax::split(x, std::vector<int64_t>(sections, size / sections), static_cast<int>(at));
}

Arrays split(const Operand& x, std::initializer_list<int64_t> indices, int axis) {
  detail::FunctionScope site(x.loc);
  const int64_t at = detail::canonical_axis("split", axis, x.value.ndim());
  const int64_t size = x.value.shape()[at];
  std::vector<int64_t> sizes;
  int64_t previous = 0;
  for (int64_t index : indices) {
    const int64_t end = std::clamp<int64_t>(index < 0 ? index + size : index, 0, size);
    sizes.push_back(end - previous);
    previous = end;
  }
  sizes.push_back(size - previous);
  return lax::split(x, sizes, static_cast<int>(at));
}

}  // namespace tenon::jnp
