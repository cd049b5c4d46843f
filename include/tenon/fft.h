// Discrete Fourier transforms in the spelling of jax.numpy.fft.
//
// Each takes numbers of any dtype: integers become floats first, and all but rfft become complex. They throw ValueError
// for sizes below 1 and axes that come twice, TypeError for a complex operand of rfft.
#pragma once

#include <optional>

#include "tenon/array.h"
#include "tenon/options_tag.h"

#pragma GCC visibility push(default)

namespace tenon::jnp::fft {

/// What is divided by the number of elements n: the inverse (backward), the transform (forward), or each by sqrt(n).
enum class Norm { backward, ortho, forward };

struct FftOptions {
  TENON_NAMED;
  /// Elements of the axis of which a transform is made: the first ones, or zeros behind those there are.
  std::optional<int64_t> n = {};
  int axis = -1;
  std::optional<Norm> norm = {};
};
/// sum over j of x[j] exp(-2 pi i j k / n) along an axis. The shape of x, unless n is given; complex.
Array fft(const Operand& x, const FftOptions& options = {});
/// Its inverse.
Array ifft(const Operand& x, const FftOptions& options = {});
/// Of real numbers: the first n / 2 + 1 results of fft; the others are conjugates of these.
Array rfft(const Operand& x, const FftOptions& options = {});
/// Its inverse: n real numbers, of which x has the first n / 2 + 1 results. n: 2 (size - 1) unless given.
Array irfft(const Operand& x, const FftOptions& options = {});
/// The real transform of a signal whose conjugate reverses it (its first half is given), and its inverse.
Array hfft(const Operand& x, const FftOptions& options = {});
Array ihfft(const Operand& x, const FftOptions& options = {});

struct FftnOptions {
  TENON_NAMED;
  /// Sizes of the axes, as n above.
  std::optional<Shape> s = {};
  /// All axes; the last ones when s is given. Of the functions of two axes: the last two.
  std::optional<Axes> axes = {};
  std::optional<Norm> norm = {};
};
/// Along several axes. That of rfftn and irfftn which is halved is the last of them.
Array fftn(const Operand& x, const FftnOptions& options = {});
Array ifftn(const Operand& x, const FftnOptions& options = {});
Array rfftn(const Operand& x, const FftnOptions& options = {});
Array irfftn(const Operand& x, const FftnOptions& options = {});
/// Along two axes.
Array fft2(const Operand& x, const FftnOptions& options = {});
Array ifft2(const Operand& x, const FftnOptions& options = {});
Array rfft2(const Operand& x, const FftnOptions& options = {});
Array irfft2(const Operand& x, const FftnOptions& options = {});

struct FrequencyOptions {
  TENON_NAMED;
  std::optional<DType> dtype = {};
};
/// The frequency of each result of fft, for n samples at a distance of d: 0, 1, ..., -2, -1 over n d.
Array fftfreq(int64_t n, double d = 1.0, const FrequencyOptions& options = {}, Loc loc = Loc::current());
/// The same for rfft: n / 2 + 1 of them, none below 0.
Array rfftfreq(int64_t n, double d = 1.0, const FrequencyOptions& options = {}, Loc loc = Loc::current());
/// The frequency 0 in the middle of all axes, or of those given; and back.
Array fftshift(const Operand& x, const std::optional<Axes>& axes = {});
Array ifftshift(const Operand& x, const std::optional<Axes>& axes = {});

}  // namespace tenon::jnp::fft

#pragma GCC visibility pop
