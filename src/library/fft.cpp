// Fourier transforms along any axes, of any size, with any norm: what lax::fft, which takes the last axes as they are,
// is made of. The equations are JAX's.
#include "tenon/fft.h"

#include <algorithm>

#include "base/fail.h"
#include "library/promote.h"

namespace tenon::jnp::fft {

using lax::FftType;

static bool is_inverse(FftType type) { return type == FftType::IFFT || type == FftType::IRFFT; }

// The first elements of each axis, and zeros behind those that are too few.
static Array resized(const Array& x, const Shape& shape) {
  const int ndim = x.ndim();
  Shape kept = shape;
  std::vector<std::pair<int64_t, int64_t>> widths;
  for (int axis = 0; axis < ndim; ++axis) {
    kept[axis] = std::min(shape[axis], x.shape()[axis]);
    widths.push_back({0, shape[axis] - kept[axis]});
  }
  const Shape start(std::vector<int64_t>(static_cast<size_t>(ndim), 0));
  const Array cropped = kept == x.shape() ? x : lax::slice(x, start, kept);
  return pad(cropped, PadWidth(std::move(widths)));
}

// More axes than three go in parts, the last ones first (or, inverted, last).
static Array transform(const Array& x, FftType type, const Shape& lengths) {
  const int count = lengths.ndim();
  if (count <= 3) return lax::fft(x, type, lengths);
  const int part = count == 4 ? 2 : 3, rest = count - part, first = x.ndim() - count;
  const Axes outer = detail::axis_range(first, first + rest), last = detail::axis_range(first + part, x.ndim());
  const Shape inner_lengths(std::vector<int64_t>(lengths.begin() + rest, lengths.end()));
  const Shape outer_lengths(std::vector<int64_t>(lengths.begin(), lengths.begin() + rest));
  Array y = x;
  if (!is_inverse(type)) y = lax::fft(y, type, inner_lengths);
  y = transform(moveaxis(y, outer, last), is_inverse(type) ? FftType::IFFT : FftType::FFT, outer_lengths);
  y = moveaxis(y, last, outer);
  return is_inverse(type) ? lax::fft(y, type, inner_lengths) : y;
}

static Array factor(const std::vector<int64_t>& sizes, DType dtype, FftType type, Norm norm) {
  if (norm == Norm::backward) return Array(1);
  Array count = prod(array(sizes, dtype));
  if (norm == Norm::ortho) count = sqrt(count);
  return is_inverse(type) ? count : divide(1, count);
}

static Array core(const char* who, FftType type, const Operand& operand, const std::optional<Shape>& s, const std::optional<Axes>& given_axes,
                  const std::optional<Norm>& norm) {
  detail::SiteScope site(operand.loc);
  Array x = operand.value;
  const int ndim = x.ndim();
  if (s) {
    if (std::ranges::any_of(*s, [](int64_t size) { return size <= 0; })) fail<ValueError>(who, "sizes must be positive; got ", *s);
    if (given_axes && s->size() != given_axes->size())
      fail<ValueError>(who, "needs a size for each axis; got sizes ", *s, " and axes ", *given_axes);
    if (s->ndim() > ndim) fail<ValueError>(who, "has more sizes than the operand has axes; got sizes ", *s, " for ", x.aval());
  }
  Axes from = detail::axis_range(s && !given_axes ? ndim - s->ndim() : 0, ndim);
  if (given_axes) from = detail::canonical_axes(who, *given_axes, ndim);
  const Axes last = detail::axis_range(ndim - static_cast<int64_t>(from.size()), ndim);
  if (given_axes) x = moveaxis(x, from, last);
  std::vector<int64_t> sizes;
  if (s) {
    Shape shape = x.shape();
    for (size_t k = 0; k < last.size(); ++k) shape[static_cast<size_t>(last[k])] = (*s)[k];
    if (type == FftType::IRFFT && !last.empty()) shape[static_cast<size_t>(ndim - 1)] = shape[static_cast<size_t>(ndim - 1)] / 2 + 1;
    x = resized(x, shape);
    sizes = s->dims();
  } else {
    for (int64_t axis : last) sizes.push_back(x.shape()[static_cast<size_t>(axis)]);
    if (type == FftType::IRFFT && !sizes.empty()) sizes.back() = std::max<int64_t>(0, 2 * (sizes.back() - 1));
  }
  Array y = transform(x, type, Shape(sizes));
  if (norm) y = multiply(y, factor(sizes, y.dtype(), type, *norm));
  return given_axes ? moveaxis(y, last, from) : y;
}

static Array along_axis(const char* who, FftType type, const Operand& x, const FftOptions& options) {
  std::optional<Shape> s;
  if (options.n) s = Shape{*options.n};
  return core(who, type, x, s, Axes(options.axis), options.norm);
}
static Array along_two(const char* who, FftType type, const Operand& x, const FftnOptions& options) {
  const Axes axes = options.axes.value_or(Axes{-2, -1});
  if (axes.size() != 2) fail<ValueError>(who, "takes two axes; got ", axes);
  return core(who, type, x, options.s, axes, options.norm);
}

Array fft(const Operand& x, const FftOptions& options) { return along_axis("fft", FftType::FFT, x, options); }
Array ifft(const Operand& x, const FftOptions& options) { return along_axis("ifft", FftType::IFFT, x, options); }
Array rfft(const Operand& x, const FftOptions& options) { return along_axis("rfft", FftType::RFFT, x, options); }
Array irfft(const Operand& x, const FftOptions& options) { return along_axis("irfft", FftType::IRFFT, x, options); }

Array hfft(const Operand& x, const FftOptions& options) {
  detail::SiteScope site(x.loc);
  const int64_t axis = detail::canonical_axis("hfft", options.axis, x.value.ndim());
  const int64_t n = options.n.value_or(2 * (x.value.shape()[static_cast<size_t>(axis)] - 1));
  return multiply(along_axis("hfft", FftType::IRFFT, conj(x), options), n);
}
Array ihfft(const Operand& x, const FftOptions& options) {
  detail::SiteScope site(x.loc);
  const int64_t axis = detail::canonical_axis("ihfft", options.axis, x.value.ndim());
  const int64_t n = options.n.value_or(x.value.shape()[static_cast<size_t>(axis)]);
  return multiply(conj(along_axis("ihfft", FftType::RFFT, x, options)), 1.0 / static_cast<double>(n));
}

Array fftn(const Operand& x, const FftnOptions& o) { return core("fftn", FftType::FFT, x, o.s, o.axes, o.norm); }
Array ifftn(const Operand& x, const FftnOptions& o) { return core("ifftn", FftType::IFFT, x, o.s, o.axes, o.norm); }
Array rfftn(const Operand& x, const FftnOptions& o) { return core("rfftn", FftType::RFFT, x, o.s, o.axes, o.norm); }
Array irfftn(const Operand& x, const FftnOptions& o) { return core("irfftn", FftType::IRFFT, x, o.s, o.axes, o.norm); }
Array fft2(const Operand& x, const FftnOptions& options) { return along_two("fft2", FftType::FFT, x, options); }
Array ifft2(const Operand& x, const FftnOptions& options) { return along_two("ifft2", FftType::IFFT, x, options); }
Array rfft2(const Operand& x, const FftnOptions& options) { return along_two("rfft2", FftType::RFFT, x, options); }
Array irfft2(const Operand& x, const FftnOptions& options) { return along_two("irfft2", FftType::IRFFT, x, options); }

static DType frequency_dtype(const char* who, int64_t n, const FrequencyOptions& options) {
  if (n < 1) fail<ValueError>(who, "needs at least one sample; got ", n);
  const DType dtype = canonical_dtype(options.dtype.value_or(default_float()));
  if (!dtype.is_inexact()) fail<TypeError>(who, "frequencies are floating; got dtype ", dtype);
  return dtype;
}

Array fftfreq(int64_t n, double d, const FrequencyOptions& options, Loc loc) {
  detail::SiteScope site(loc);
  const DType dtype = frequency_dtype("fftfreq", n, options);
  const Array moved = add(lax::iota(dtype, n), n / 2);
  return divide(subtract(remainder(moved, n), n / 2), asarray(Array(d * static_cast<double>(n)), dtype));
}
Array rfftfreq(int64_t n, double d, const FrequencyOptions& options, Loc loc) {
  detail::SiteScope site(loc);
  const DType dtype = frequency_dtype("rfftfreq", n, options);
  return divide(lax::iota(dtype, n / 2 + 1), asarray(Array(d * static_cast<double>(n)), dtype));
}

static Array shifted(const char* who, const Operand& x, const std::optional<Axes>& axes, int64_t sign) {
  detail::SiteScope site(x.loc);
  const Axes all = axes ? detail::canonical_axes(who, *axes, x.value.ndim()) : detail::axis_range(0, x.value.ndim());
  std::vector<int64_t> shifts;
  for (int64_t axis : all) shifts.push_back(sign * (x.value.shape()[static_cast<size_t>(axis)] / 2));
  return roll(x, Shape(shifts), all);
}
Array fftshift(const Operand& x, const std::optional<Axes>& axes) { return shifted("fftshift", x, axes, 1); }
Array ifftshift(const Operand& x, const std::optional<Axes>& axes) { return shifted("ifftshift", x, axes, -1); }

}  // namespace tenon::jnp::fft
