#include "math/fft_array.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "math/fft.h"

namespace tenon::math {

// A real line of even length n is transformed as n/2 complex numbers z[j] = x[2 j] + i x[2 j + 1]
// (Press et al., "Numerical Recipes", 12.3): with w = exp(-2 pi i / n) and conjugates from the end,
//
//     X[k] = (Z[k] + conj Z[n/2 - k]) / 2 - i w^k (Z[k] - conj Z[n/2 - k]) / 2
//
// and back by the same formula solved for Z.

// Lines that go together: what fills a cache line where they lie side by side.
static constexpr std::int64_t kMostLines = 16;
// Elements of a group of lines: parts and scratch then fit the second-level cache.
static constexpr std::int64_t kGroupElements = 1 << 14;
static constexpr double kGrainFlops = 20e3;  // some 10 us

class ArrayTransform::Axis {
 public:
  virtual ~Axis() = default;
  virtual void run_groups(const void* in, void* out, std::int64_t begin, std::int64_t end, void* scratch) const = 0;
  /// Of one call of run_groups.
  virtual std::size_t scratch_bytes() const = 0;

  std::int64_t groups() const { return (lines_ + together_ - 1) / together_; }
  std::int64_t grain() const { return static_cast<std::int64_t>(std::max(1.0, kGrainFlops / std::max(flops() / static_cast<double>(groups()), 1.0))); }
  double flops() const { return 5 * static_cast<double>(lines_ * length_) * std::log2(static_cast<double>(length_)); }

 protected:
  Axis(FftKind kind, std::int64_t outer, std::int64_t length, std::int64_t inner, double scale)
      : kind_(kind), lines_(outer * inner), length_(length), inner_(inner), scale_(scale),
        together_(std::clamp<std::int64_t>(kGroupElements / std::max<std::int64_t>(length, 1), 1, kMostLines)) {}
  bool is_halved() const { return (kind_ == FftKind::real_forward || kind_ == FftKind::real_inverse) && length_ % 2 == 0; }

  FftKind kind_;
  std::int64_t lines_, length_, inner_;
  double scale_;  // of the results
  std::int64_t together_;
};

template <class T>
class ArrayTransform::AxisOf : public Axis {
 public:
  AxisOf(FftKind kind, std::int64_t outer, std::int64_t length, std::int64_t inner, double scale)
      : Axis(kind, outer, length, inner, scale), line_(is_halved() ? length / 2 : length) {
    for (std::int64_t k = 0; is_halved() && k <= length / 2; ++k) {
      const Root root = root_of_unity(k, length);
      root_re_.push_back(static_cast<T>(root.re));
      root_im_.push_back(static_cast<T>(root.im));
    }
  }

  std::size_t scratch_bytes() const override { return plane_bytes() + line_.scratch_bytes(most_lines()); }

  void run_groups(const void* in, void* out, std::int64_t begin, std::int64_t end, void* scratch) const override {
    auto* planes = static_cast<T*>(scratch);
    for (std::int64_t group = begin; group < end; ++group) {
      Group g{{}, std::min(together_, lines_ - group * together_), {planes, planes + line_.length() * most_lines()},
              static_cast<char*>(scratch) + plane_bytes()};
      for (std::int64_t l = 0; l < g.lines; ++l) g.line[static_cast<std::size_t>(l)] = group * together_ + l;
      run_group(static_cast<const T*>(in), static_cast<T*>(out), g);
    }
  }

 private:
  std::int64_t most_lines() const { return std::min(together_, lines_); }
  // Of both planes; doubles may follow.
  std::size_t plane_bytes() const { return (static_cast<std::size_t>(2 * line_.length() * most_lines()) * sizeof(T) + 7) / 8 * 8; }

  struct Group {
    std::array<std::int64_t, kMostLines> line;
    std::int64_t lines;
    Planes<T> z;
    void* scratch;
  };

  /// Calls body(element of the group, position in the array) for elements [first, last) of all lines, where lines of
  /// the array have `length` elements.
  template <class Body>
  void each(const Group& g, std::int64_t length, std::int64_t first, std::int64_t last, Body body) const {
    std::array<std::int64_t, kMostLines> starts;
    for (std::int64_t l = 0; l < g.lines; ++l) starts[l] = g.line[l] / inner_ * length * inner_ + g.line[l] % inner_;
    for (std::int64_t j = first; j < last; ++j)
      for (std::int64_t l = 0; l < g.lines; ++l) body(j * g.lines + l, starts[l] + j * inner_, j);
  }

  void run_group(const T* in, T* out, const Group& g) const {
    switch (kind_) {
      case FftKind::forward:
      case FftKind::inverse: return run_complex(in, out, g);
      case FftKind::real_forward: return is_halved() ? run_halved(in, out, g) : run_real(in, out, g);
      case FftKind::real_inverse: return is_halved() ? run_inverse_halved(in, out, g) : run_inverse_real(in, out, g);
    }
  }

  void transform(const Group& g) const { line_.run(g.z, g.lines, g.scratch); }
  void transform_back(const Group& g) const { line_.run({g.z.im, g.z.re}, g.lines, g.scratch); }

  void write(T* out, std::int64_t at, T re, T im) const {
    const T scale = static_cast<T>(scale_);
    out[2 * at] = scale_ == 1 ? re : re * scale;
    out[2 * at + 1] = scale_ == 1 ? im : im * scale;
  }

  void run_complex(const T* in, T* out, const Group& g) const {
    each(g, length_, 0, length_, [&](std::int64_t i, std::int64_t at, std::int64_t) {
      g.z.re[i] = in[2 * at];
      g.z.im[i] = in[2 * at + 1];
    });
    kind_ == FftKind::forward ? transform(g) : transform_back(g);
    each(g, length_, 0, length_, [&](std::int64_t i, std::int64_t at, std::int64_t) { write(out, at, g.z.re[i], g.z.im[i]); });
  }

  void run_real(const T* in, T* out, const Group& g) const {
    each(g, length_, 0, length_, [&](std::int64_t i, std::int64_t at, std::int64_t) {
      g.z.re[i] = in[at];
      g.z.im[i] = 0;
    });
    transform(g);
    const std::int64_t results = length_ / 2 + 1;
    each(g, results, 0, results, [&](std::int64_t i, std::int64_t at, std::int64_t) { write(out, at, g.z.re[i], g.z.im[i]); });
  }

  void run_halved(const T* in, T* out, const Group& g) const {
    const std::int64_t half = length_ / 2;
    each(g, length_, 0, length_, [&](std::int64_t i, std::int64_t at, std::int64_t j) {
      (j % 2 == 0 ? g.z.re : g.z.im)[i - (j - j / 2) * g.lines] = in[at];
    });
    transform(g);
    each(g, half + 1, 0, half + 1, [&](std::int64_t i, std::int64_t at, std::int64_t k) {
      const std::int64_t l = i - k * g.lines, a = (k == half ? 0 : k) * g.lines + l, b = (k == 0 ? 0 : half - k) * g.lines + l;
      const T sum_re = g.z.re[a] + g.z.re[b], sum_im = g.z.im[a] - g.z.im[b];
      const T difference_re = g.z.re[a] - g.z.re[b], difference_im = g.z.im[a] + g.z.im[b];
      const T w_re = root_re_[k], w_im = root_im_[k];
      write(out, at, T(0.5) * (sum_re + (w_re * difference_im + w_im * difference_re)),
            T(0.5) * (sum_im - (w_re * difference_re - w_im * difference_im)));
    });
  }

  /// What a real line cannot have in its first and middle result is not looked at.
  void run_inverse_real(const T* in, T* out, const Group& g) const {
    const std::int64_t given = length_ / 2 + 1;
    each(g, given, 0, given, [&](std::int64_t i, std::int64_t at, std::int64_t k) {
      g.z.re[i] = in[2 * at];
      g.z.im[i] = k == 0 ? T(0) : in[2 * at + 1];
      if (k == 0) return;
      const std::int64_t other = i + (length_ - 2 * k) * g.lines;
      g.z.re[other] = in[2 * at];
      g.z.im[other] = -in[2 * at + 1];
    });
    transform_back(g);
    each(g, length_, 0, length_, [&](std::int64_t i, std::int64_t at, std::int64_t) { out[at] = g.z.re[i] * static_cast<T>(scale_); });
  }

  void run_inverse_halved(const T* in, T* out, const Group& g) const {
    const std::int64_t half = length_ / 2;
    each(g, half + 1, 0, half, [&](std::int64_t i, std::int64_t at, std::int64_t k) {
      const std::int64_t opposite = at + (half - 2 * k) * inner_;
      const T a_im = k == 0 ? T(0) : in[2 * at + 1], b_im = k == 0 ? T(0) : in[2 * opposite + 1];
      const T sum_re = in[2 * at] + in[2 * opposite], sum_im = a_im - b_im;
      const T difference_re = in[2 * at] - in[2 * opposite], difference_im = a_im + b_im;
      const T w_re = root_re_[k], w_im = -root_im_[k];  // w^-k
      g.z.re[i] = sum_re - (w_re * difference_im + w_im * difference_re);
      g.z.im[i] = sum_im + (w_re * difference_re - w_im * difference_im);
    });
    transform_back(g);
    each(g, length_, 0, length_, [&](std::int64_t i, std::int64_t at, std::int64_t j) {
      out[at] = (j % 2 == 0 ? g.z.re : g.z.im)[i - (j - j / 2) * g.lines] * static_cast<T>(scale_);
    });
  }

  LineTransform<T> line_;
  std::vector<T> root_re_, root_im_;  // exp(-2 pi i k / n) of a halved line
};

ArrayTransform::ArrayTransform(FftKind kind, bool is_double, const std::vector<std::int64_t>& shape, std::size_t axes) {
  const bool is_real = kind == FftKind::real_forward || kind == FftKind::real_inverse;
  const bool is_inverse = kind == FftKind::inverse || kind == FftKind::real_inverse;
  std::vector<std::int64_t> half = shape;  // of the complex array
  if (is_real) half.back() = shape.back() / 2 + 1;
  const auto product = [](auto begin, auto end) {
    std::int64_t count = 1;
    for (; begin != end; ++begin) count *= *begin;
    return count;
  };
  const std::int64_t transformed = product(shape.end() - static_cast<std::ptrdiff_t>(axes), shape.end());
  if (product(shape.begin(), shape.end()) == 0) return;
  for (std::size_t k = 0; k < axes; ++k) {
    // The real axis is the first one forwards and the last one backwards.
    const std::size_t axis = kind == FftKind::real_inverse ? shape.size() - axes + k : shape.size() - 1 - k;
    const bool real_axis = is_real && axis + 1 == shape.size();
    const FftKind each = real_axis ? kind : is_inverse ? FftKind::inverse : FftKind::forward;
    const double scale = is_inverse && k + 1 == axes ? 1.0 / static_cast<double>(transformed) : 1.0;
    const auto at = half.begin() + static_cast<std::ptrdiff_t>(axis);
    const std::int64_t outer = product(half.begin(), at), inner = product(at + 1, half.end());
    if (is_double) axes_.push_back(std::make_unique<AxisOf<double>>(each, outer, shape[axis], inner, scale));
    else axes_.push_back(std::make_unique<AxisOf<float>>(each, outer, shape[axis], inner, scale));
    flops_ += axes_.back()->flops();
  }
  if (kind == FftKind::real_inverse && axes > 1) middle_bytes_ = product(half.begin(), half.end()) * (is_double ? 16 : 8);
}

ArrayTransform::~ArrayTransform() = default;
ArrayTransform::ArrayTransform(ArrayTransform&&) noexcept = default;

std::int64_t ArrayTransform::scratch_bytes(int threads) const {
  std::int64_t most = 0;
  for (const auto& axis : axes_)
    most = std::max(most, std::min<std::int64_t>(threads, (axis->groups() + axis->grain() - 1) / axis->grain()) *
                              static_cast<std::int64_t>(axis->scratch_bytes()));
  return most;
}

void ArrayTransform::run(const void* operand, void* result, void* middle, const ForEachRange& for_each) const {
  const void* from = operand;
  for (size_t k = 0; k < axes_.size(); ++k) {
    const Axis& axis = *axes_[k];
    void* to = middle_bytes_ == 0 || k + 1 == axes_.size() ? result : middle;
    for_each(axis.groups(), axis.grain(), axis.scratch_bytes(),
             [&](std::int64_t begin, std::int64_t end, void* scratch) { axis.run_groups(from, to, begin, end, scratch); });
    from = to;
  }
}

}  // namespace tenon::math
