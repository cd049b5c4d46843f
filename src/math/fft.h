// The discrete Fourier transform of lines of numbers, of any length in n log n steps.
//
// Lengths whose prime factors are small are transformed by mixed radices without reordering
// (Stockham's form of Cooley & Tukey, Math. Comp. 1965); any other length as a convolution with a
// chirp (Bluestein, IEEE Trans. Audio Electroacoust. 1970), in double, which makes up for the
// digits that costs. Several lines go through together, element by element, as lanes of vectors;
// each line sees the same operations however many go with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tenon::math {

/// Complex numbers, parts apart: how lines are stored. Element j of line l is number j * lines + l.
template <class T>
struct Planes {
  T* re;
  T* im;
};

/// y[k] = sum over j of x[j] exp(-2 pi i j k / n). T: float or double.
template <class T>
class LineTransform {
 public:
  /// Throws std::bad_alloc. n >= 1.
  explicit LineTransform(std::int64_t n);
  ~LineTransform();
  LineTransform(LineTransform&&) noexcept;

  std::int64_t length() const { return n_; }
  /// Bytes that run() needs beside the lines, aligned as a double.
  std::size_t scratch_bytes(std::int64_t lines) const;
  /// In place. The inverse, times n: the same with re and im exchanged.
  void run(Planes<T> x, std::int64_t lines, void* scratch) const;

 private:
  struct Pass {
    std::int64_t radix;
    std::int64_t count;        // n left after it
    std::vector<T> re, im;     // twiddle factors: row p has those of results 1 .. radix - 1
    std::vector<T> cos, sin;   // of 2 pi t / radix, for a radix without code of its own
  };
  struct Chirp;

  void run_pass(const Pass& pass, std::int64_t stride, Planes<const T> x, Planes<T> y) const;
  void run_chirp(Planes<T> x, std::int64_t lines, void* scratch) const;

  std::int64_t n_;
  std::vector<Pass> passes_;
  std::unique_ptr<const Chirp> chirp_;  // for a length with a large prime factor; then no passes
};

extern template class LineTransform<float>;
extern template class LineTransform<double>;

/// exp(-2 pi i k / n), good to about an ulp.
struct Root {
  double re, im;
};
Root root_of_unity(std::int64_t k, std::int64_t n);

}  // namespace tenon::math
