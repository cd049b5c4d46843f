#include "math/fft.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "math/trig.h"

namespace tenon::math {

// ---- roots of unity

Root root_of_unity(std::int64_t k, std::int64_t n) {
  // k/n = octant/8 + rest/(8 n): of the first octant alone sine and cosine are asked.
  const std::int64_t octant = 8 * k / n, rest = 8 * k - octant * n;
  constexpr double kQuarterPi = 0x1.921fb54442d18p-1;
  const double angle = kQuarterPi * static_cast<double>(octant % 2 == 0 ? rest : n - rest) / static_cast<double>(n);
  double c = cos(angle), s = sin(angle);
  if ((octant + 1) % 4 >= 2) std::swap(c, s);  // octants 1, 2, 5, 6
  if (octant >= 2 && octant < 6) c = -c;
  if (octant >= 4) s = -s;
  return {c, -s};
}

/// All n of them; symmetry gives what lies outside of an octant.
static std::vector<Root> roots_of_unity(std::int64_t n) {
  std::vector<Root> roots(static_cast<std::size_t>(n));
  const auto at = [&](std::int64_t k) -> Root& { return roots[static_cast<std::size_t>(k)]; };
  const std::int64_t direct = n % 4 == 0 ? n / 8 : n / 2;
  for (std::int64_t k = 0; k <= direct && k < n; ++k) at(k) = root_of_unity(k, n);
  if (n % 4 == 0) {
    for (std::int64_t k = n / 8 + 1; k <= n / 4; ++k) at(k) = {-at(n / 4 - k).im, -at(n / 4 - k).re};
    for (std::int64_t k = n / 4 + 1; k <= n / 2; ++k) at(k) = {at(k - n / 4).im, -at(k - n / 4).re};
  }
  for (std::int64_t k = n / 2 + 1; k < n; ++k) at(k) = {at(n - k).re, -at(n - k).im};
  return roots;
}

// ---- butterflies: sums of `radix` elements, of one or of many lanes

namespace {

constexpr int kVectorBytes = 16;
template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
  using Type [[gnu::vector_size(kVectorBytes)]] = float;
};
template <>
struct VectorOf<double> {
  using Type [[gnu::vector_size(kVectorBytes)]] = double;
};
template <class T>
using Vector = typename VectorOf<T>::Type;
template <class T>
constexpr int kLanes = kVectorBytes / sizeof(T);

template <class V>
struct Complex {
  V re, im;
};
template <class V>
TENON_MATH_INLINE Complex<V> operator+(Complex<V> a, Complex<V> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class V>
TENON_MATH_INLINE Complex<V> operator-(Complex<V> a, Complex<V> b) {
  return {a.re - b.re, a.im - b.im};
}
/// a - i b.
template <class V>
TENON_MATH_INLINE Complex<V> minus_i(Complex<V> a, Complex<V> b) {
  return {a.re + b.im, a.im - b.re};
}
template <class V>
TENON_MATH_INLINE Complex<V> plus_i(Complex<V> a, Complex<V> b) {
  return {a.re - b.im, a.im + b.re};
}
template <class V, class T>
TENON_MATH_INLINE Complex<V> scale(Complex<V> a, T factor) {
  return {a.re * factor, a.im * factor};
}
template <class V, class T>
TENON_MATH_INLINE Complex<V> multiply(Complex<V> a, T re, T im) {
  return {a.re * re - a.im * im, a.re * im + a.im * re};
}

template <int radix, class V>
struct Butterfly;

template <class V>
struct Butterfly<2, V> {
  template <class T>
  TENON_MATH_INLINE static void apply(Complex<V>* a) {
    const Complex<V> sum = a[0] + a[1];
    a[1] = a[0] - a[1];
    a[0] = sum;
  }
};
template <class V>
struct Butterfly<3, V> {
  template <class T>
  TENON_MATH_INLINE static void apply(Complex<V>* a) {
    constexpr T kSin = static_cast<T>(0x1.bb67ae8584caap-1);  // sin(2 pi / 3)
    const Complex<V> sum = a[1] + a[2], turned = scale(a[1] - a[2], kSin);
    const Complex<V> middle = a[0] - scale(sum, T(0.5));
    a[0] = a[0] + sum;
    a[1] = minus_i(middle, turned);
    a[2] = plus_i(middle, turned);
  }
};
template <class V>
struct Butterfly<4, V> {
  template <class T>
  TENON_MATH_INLINE static void apply(Complex<V>* a) {
    const Complex<V> even_sum = a[0] + a[2], even_difference = a[0] - a[2];
    const Complex<V> odd_sum = a[1] + a[3], odd_difference = a[1] - a[3];
    a[0] = even_sum + odd_sum;
    a[1] = minus_i(even_difference, odd_difference);
    a[2] = even_sum - odd_sum;
    a[3] = plus_i(even_difference, odd_difference);
  }
};
template <class V>
struct Butterfly<5, V> {
  template <class T>
  TENON_MATH_INLINE static void apply(Complex<V>* a) {
    constexpr T kCos1 = static_cast<T>(0x1.3c6ef372fe95p-2), kCos2 = static_cast<T>(-0x1.9e3779b97f4a8p-1);  // of 2 pi / 5, 4 pi / 5
    constexpr T kSin1 = static_cast<T>(0x1.e6f0e134454ffp-1), kSin2 = static_cast<T>(0x1.2cf2304755a5ep-1);
    const Complex<V> sum1 = a[1] + a[4], sum2 = a[2] + a[3], difference1 = a[1] - a[4], difference2 = a[2] - a[3];
    const Complex<V> middle1 = a[0] + scale(sum1, kCos1) + scale(sum2, kCos2);
    const Complex<V> middle2 = a[0] + scale(sum1, kCos2) + scale(sum2, kCos1);
    const Complex<V> turned1 = scale(difference1, kSin1) + scale(difference2, kSin2);
    const Complex<V> turned2 = scale(difference1, kSin2) - scale(difference2, kSin1);
    a[0] = a[0] + sum1 + sum2;
    a[1] = minus_i(middle1, turned1);
    a[2] = minus_i(middle2, turned2);
    a[3] = plus_i(middle2, turned2);
    a[4] = plus_i(middle1, turned1);
  }
};

template <class V, class T>
TENON_MATH_INLINE Complex<V> load(Planes<const T> x, std::int64_t i) {
  Complex<V> value;
  std::memcpy(&value.re, x.re + i, sizeof(V));
  std::memcpy(&value.im, x.im + i, sizeof(V));
  return value;
}
template <class V, class T>
TENON_MATH_INLINE void store(Planes<T> x, std::int64_t i, Complex<V> value) {
  std::memcpy(x.re + i, &value.re, sizeof(V));
  std::memcpy(x.im + i, &value.im, sizeof(V));
}

/// Element q of column p: y[radix p + k] = twiddle[p][k] * sum over j of x[p + count j] exp(-2 pi i j k / radix).
template <int radix, class V, class T>
TENON_MATH_INLINE void one_butterfly(const T* re, const T* im, std::int64_t step, std::int64_t stride, Planes<const T> x, Planes<T> y) {
  Complex<V> a[radix];
  for (int j = 0; j < radix; ++j) a[j] = load<V>(x, j * step);
  Butterfly<radix, V>::template apply<T>(a);
  store(y, 0, a[0]);
  for (int k = 1; k < radix; ++k) store(y, k * stride, multiply(a[k], re[k - 1], im[k - 1]));
}

template <int radix, class T>
void butterflies(std::int64_t count, const T* re, const T* im, std::int64_t stride, Planes<const T> x, Planes<T> y) {
  for (std::int64_t p = 0; p < count; ++p, re += radix - 1, im += radix - 1) {
    const Planes<const T> from{x.re + stride * p, x.im + stride * p};
    const Planes<T> to{y.re + stride * radix * p, y.im + stride * radix * p};
    std::int64_t q = 0;
    for (; q + kLanes<T> <= stride; q += kLanes<T>)
      one_butterfly<radix, Vector<T>>(re, im, stride * count, stride, {from.re + q, from.im + q}, {to.re + q, to.im + q});
    for (; q < stride; ++q)
      one_butterfly<radix, T>(re, im, stride * count, stride, {from.re + q, from.im + q}, {to.re + q, to.im + q});
  }
}

// Beyond these, a length goes through a chirp, which costs as much as a sum of some 200 elements.
constexpr std::int64_t kLargestRadix = 127;

/// The same for any odd radix. Elements j and radix - j have the same cosine and opposite sines.
template <class V, class T>
void one_sum(std::int64_t radix, const T* cos, const T* sin, const T* re, const T* im, std::int64_t step, std::int64_t stride,
             Planes<const T> x, Planes<T> y) {
  Complex<V> sums[kLargestRadix / 2 + 1], differences[kLargestRadix / 2 + 1];
  const Complex<V> first = load<V>(x, 0);
  Complex<V> total = first;
  for (std::int64_t j = 1; j <= radix / 2; ++j) {
    const Complex<V> a = load<V>(x, j * step), b = load<V>(x, (radix - j) * step);
    sums[j] = a + b;
    differences[j] = a - b;
    total = total + sums[j];
  }
  store(y, 0, total);
  for (std::int64_t k = 1; k <= radix / 2; ++k) {
    Complex<V> middle = first, turned = scale(differences[1], sin[k]);
    for (std::int64_t j = 1, t = k; j <= radix / 2; ++j) {
      middle = middle + scale(sums[j], cos[t]);
      if (j > 1) turned = turned + scale(differences[j], sin[t]);
      t += k;
      if (t >= radix) t -= radix;
    }
    store(y, k * stride, multiply(minus_i(middle, turned), re[k - 1], im[k - 1]));
    store(y, (radix - k) * stride, multiply(plus_i(middle, turned), re[radix - k - 1], im[radix - k - 1]));
  }
}

std::vector<std::int64_t> prime_factors(std::int64_t n) {
  std::vector<std::int64_t> factors;
  for (std::int64_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) factors.push_back(p);
  if (n > 1) factors.push_back(n);
  return factors;
}

/// Fours first, so that later passes find vectors of neighbours; then the others, small ones first.
std::vector<std::int64_t> radices(std::int64_t n) {
  std::vector<std::int64_t> result;
  for (; n % 4 == 0; n /= 4) result.push_back(4);
  for (std::int64_t p : prime_factors(n)) result.push_back(p);
  return result;
}

/// The smallest length of twos, threes and fives from `least` on.
std::int64_t smooth_length(std::int64_t least) {
  std::int64_t best = 1;
  while (best < least) best *= 2;
  for (std::int64_t five = 1; five < best; five *= 5) {
    for (std::int64_t three = five; three < best; three *= 3) {
      std::int64_t n = three;
      while (n < least) n *= 2;
      best = std::min(best, n);
    }
  }
  return best;
}

}  // namespace

// ---- a chirp
//
// j k = (j^2 + k^2 - (k - j)^2) / 2, so with c[j] = exp(-pi i j^2 / n)
//
//     y[k] = c[k] * sum over j of (x[j] c[j]) * conj(c[k - j])
//
// is a convolution, of which transforms of any length >= 2 n - 1 make a product.

template <class T>
struct LineTransform<T>::Chirp {
  LineTransform<double> inner;
  std::vector<double> re, im;                  // c[j]
  std::vector<double> kernel_re, kernel_im;    // the transform of conj(c), over its length

  explicit Chirp(std::int64_t n) : inner(smooth_length(2 * n - 1)) {
    const std::int64_t m = inner.length();
    kernel_re.resize(static_cast<std::size_t>(m));
    kernel_im.resize(static_cast<std::size_t>(m));
    std::int64_t square = 0;  // j^2 modulo 2 n
    for (std::int64_t j = 0; j < n; ++j) {
      const Root c = root_of_unity(square, 2 * n);
      re.push_back(c.re);
      im.push_back(c.im);
      for (const std::int64_t at : {j, j == 0 ? 0 : m - j}) {
        kernel_re[static_cast<std::size_t>(at)] = c.re;
        kernel_im[static_cast<std::size_t>(at)] = -c.im;
      }
      square = (square + 2 * j + 1) % (2 * n);
    }
    std::vector<double> scratch(inner.scratch_bytes(1) / sizeof(double) + 1);
    inner.run({kernel_re.data(), kernel_im.data()}, 1, scratch.data());
    for (std::vector<double>* part : {&kernel_re, &kernel_im})
      for (double& number : *part) number /= static_cast<double>(m);
  }
};

template <class T>
void LineTransform<T>::run_chirp(Planes<T> x, std::int64_t lines, void* scratch) const {
  const Chirp& chirp = *chirp_;
  const std::int64_t m = chirp.inner.length();
  auto* re = static_cast<double*>(scratch);
  double* im = re + m * lines;
  void* rest = im + m * lines;
  std::fill(re + n_ * lines, re + m * lines, 0.0);
  std::fill(im + n_ * lines, im + m * lines, 0.0);
  const auto times_chirp = [&](std::int64_t j, double a, double b) { return multiply(Complex<double>{a, b}, chirp.re[j], chirp.im[j]); };
  for (std::int64_t j = 0; j < n_; ++j)
    for (std::int64_t i = j * lines; i < (j + 1) * lines; ++i) store(Planes<double>{re, im}, i, times_chirp(j, x.re[i], x.im[i]));
  chirp.inner.run({re, im}, lines, rest);
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t i = j * lines; i < (j + 1) * lines; ++i)
      store(Planes<double>{re, im}, i, multiply(Complex<double>{re[i], im[i]}, chirp.kernel_re[j], chirp.kernel_im[j]));
  chirp.inner.run({im, re}, lines, rest);
  for (std::int64_t j = 0; j < n_; ++j) {
    for (std::int64_t i = j * lines; i < (j + 1) * lines; ++i) {
      const Complex<double> y = times_chirp(j, re[i], im[i]);
      x.re[i] = static_cast<T>(y.re);
      x.im[i] = static_cast<T>(y.im);
    }
  }
}

// ---- the transform

template <class T>
LineTransform<T>::LineTransform(std::int64_t n) : n_(n) {
  const std::vector<std::int64_t> factors = radices(n);
  if (!factors.empty() && factors.back() > kLargestRadix) {
    chirp_ = std::make_unique<Chirp>(n);
    return;
  }
  const std::vector<Root> roots = roots_of_unity(n);
  std::int64_t left = n;
  for (std::int64_t radix : factors) {
    Pass pass{radix, left / radix, {}, {}, {}, {}};
    for (std::int64_t p = 0; p < pass.count; ++p) {
      for (std::int64_t k = 1; k < radix; ++k) {
        const Root& root = roots[static_cast<std::size_t>(n / left * p * k)];
        pass.re.push_back(static_cast<T>(root.re));
        pass.im.push_back(static_cast<T>(root.im));
      }
    }
    for (std::int64_t t = 0; t < radix && radix > 5; ++t) {
      const Root root = root_of_unity(t, radix);
      pass.cos.push_back(static_cast<T>(root.re));
      pass.sin.push_back(static_cast<T>(-root.im));
    }
    left = pass.count;
    passes_.push_back(std::move(pass));
  }
}

template <class T>
LineTransform<T>::~LineTransform() = default;
template <class T>
LineTransform<T>::LineTransform(LineTransform&&) noexcept = default;

template <class T>
std::size_t LineTransform<T>::scratch_bytes(std::int64_t lines) const {
  if (!chirp_) return 2 * sizeof(T) * static_cast<std::size_t>(n_ * lines);
  return 2 * sizeof(double) * static_cast<std::size_t>(chirp_->inner.length() * lines) + chirp_->inner.scratch_bytes(lines);
}

template <class T>
void LineTransform<T>::run_pass(const Pass& pass, std::int64_t stride, Planes<const T> x, Planes<T> y) const {
  const T *re = pass.re.data(), *im = pass.im.data();
  switch (pass.radix) {
    case 2: return butterflies<2>(pass.count, re, im, stride, x, y);
    case 3: return butterflies<3>(pass.count, re, im, stride, x, y);
    case 4: return butterflies<4>(pass.count, re, im, stride, x, y);
    case 5: return butterflies<5>(pass.count, re, im, stride, x, y);
    default: break;
  }
  const T *cos = pass.cos.data(), *sin = pass.sin.data();
  const std::int64_t radix = pass.radix, step = stride * pass.count;
  for (std::int64_t p = 0; p < pass.count; ++p, re += radix - 1, im += radix - 1) {
    const Planes<const T> from{x.re + stride * p, x.im + stride * p};
    const Planes<T> to{y.re + stride * radix * p, y.im + stride * radix * p};
    std::int64_t q = 0;
    for (; q + kLanes<T> <= stride; q += kLanes<T>)
      one_sum<Vector<T>>(radix, cos, sin, re, im, step, stride, Planes<const T>{from.re + q, from.im + q}, Planes<T>{to.re + q, to.im + q});
    for (; q < stride; ++q)
      one_sum<T>(radix, cos, sin, re, im, step, stride, Planes<const T>{from.re + q, from.im + q}, Planes<T>{to.re + q, to.im + q});
  }
}

template <class T>
void LineTransform<T>::run(Planes<T> x, std::int64_t lines, void* scratch) const {
  if (chirp_) return run_chirp(x, lines, scratch);
  auto* other = static_cast<T*>(scratch);
  Planes<T> from = x, to{other, other + n_ * lines};
  std::int64_t stride = lines;
  for (const Pass& pass : passes_) {
    run_pass(pass, stride, {from.re, from.im}, to);
    stride *= pass.radix;
    std::swap(from, to);
  }
  if (from.re == x.re) return;
  std::copy_n(from.re, n_ * lines, x.re);
  std::copy_n(from.im, n_ * lines, x.im);
}

template class LineTransform<float>;
template class LineTransform<double>;

}  // namespace tenon::math
