// associative_scan: pairs are combined, the half as long array is scanned, and its elements give those between them.
#include "base/fail.h"
#include "control/carry.h"

namespace tenon::detail {
namespace {

using Combine = FunctionRef<Arrays(const Arrays&, const Arrays&)>;

// Elements begin, begin + step, ... before end along the axis.
Array strided(const Array& x, int64_t begin, int64_t end, int64_t step, int axis) {
  const Shape shape = x.shape();
  std::vector<int64_t> start(shape.size()), limit(shape.begin(), shape.end()), strides(shape.size(), 1);
  start[static_cast<size_t>(axis)] = begin;
  limit[static_cast<size_t>(axis)] = end;
  strides[static_cast<size_t>(axis)] = step;
  return lax::slice(x, Shape(start), Shape(limit), Shape(strides));
}
Arrays strided(const Arrays& xs, int64_t begin, int64_t end, int64_t step, int axis) {
  Arrays out;
  for (const Array& x : xs) out.push_back(strided(x, begin, end, step, axis));
  return out;
}

// a0 b0 a1 b1 ...
Array interleaved(const Array& a, const Array& b, int axis) {
  const bool equal = a.shape()[static_cast<size_t>(axis)] == b.shape()[static_cast<size_t>(axis)];
  std::vector<lax::PaddingConfig::Axis> a_pad(static_cast<size_t>(a.ndim())), b_pad(static_cast<size_t>(b.ndim()));
  a_pad[static_cast<size_t>(axis)] = {0, equal ? 1 : 0, 1};
  b_pad[static_cast<size_t>(axis)] = {1, equal ? 0 : 1, 1};
  const Array x = lax::pad(a, constant_of(a, 0), lax::PaddingConfig(a_pad)), y = lax::pad(b, constant_of(b, 0), lax::PaddingConfig(b_pad));
  return a.dtype().is_bool() ? lax::bitwise_or(x, y) : lax::add(x, y);
}

Arrays scanned(Combine combine, const Arrays& elements, int axis) {
  const int64_t count = elements[0].shape()[static_cast<size_t>(axis)];
  if (count < 2) return elements;
  const Arrays left = strided(elements, 0, count - 1, 2, axis), right = strided(elements, 1, count, 2, axis);
  const Arrays odd = scanned(combine, combine(left, right), axis);
  const int64_t odd_count = odd[0].shape()[static_cast<size_t>(axis)];
  const Arrays before = count % 2 == 0 ? strided(odd, 0, odd_count - 1, 1, axis) : odd;
  Arrays even = combine(before, strided(elements, 2, count, 2, axis));
  for (size_t i = 0; i < elements.size(); ++i) even[i] = lax::concatenate({strided(elements[i], 0, 1, 1, axis), even[i]}, axis);
  Arrays result;
  for (size_t i = 0; i < elements.size(); ++i) result.push_back(interleaved(even[i], odd[i], axis));
  return result;
}

}  // namespace

Arrays associative_scan(Combine combine, const Arrays& elements, bool reverse, int axis, const Loc& loc) {
  const char* who = "associative_scan";
  SiteScope site(loc);
  if (elements.empty()) return {};
  const int along = axis < 0 ? axis + elements[0].ndim() : axis;
  if (along < 0 || along >= elements[0].ndim()) fail<ValueError>(who, "axis ", axis, " is out of range; got ", elements[0].aval());
  for (const Array& x : elements)
    if (x.ndim() <= along || x.shape()[static_cast<size_t>(along)] != elements[0].shape()[static_cast<size_t>(along)])
      fail<ValueError>(who, "arrays must have one size along axis ", along, "; got ", avals_of(elements));
  Arrays ordered = elements;
  const Axes axes = {along};
  if (reverse)
    for (Array& x : ordered) x = lax::rev(x, axes);
  Arrays result = scanned(combine, ordered, along);
  if (reverse)
    for (Array& x : result) x = lax::rev(x, axes);
  return result;
}

}  // namespace tenon::detail
