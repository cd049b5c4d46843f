// The scalar functions of src/math with their bounds and their judges: MPFR, and a witness that is
// cheaper (witness.h).
#pragma once

#include <cstddef>
#include <span>

#include "mpfr_judge.h"

namespace tenon::math {

/// The format in which a witness of F speaks.
template <class F>
struct Wider;
template <>
struct Wider<float> {
  using Type = double;
};
template <>
struct Wider<double> {
  using Type = long double;
};
template <class F>
using Wide = typename Wider<F>::Type;

/// A function of libmvec by its address: takes and gives a vector of four doubles.
using VectorFunction = void*;
/// y[i] = function(x[i]) on a machine with AVX2; `count` a multiple of 4.
void apply_vector_function(VectorFunction function, const double* x, double* y, std::size_t count);

template <class F>
struct Function {
  const char* name;
  /// y[i] = f(x[i]), with the instruction set of this machine.
  void (*apply)(const F* x, F* y, std::size_t count);
  /// The same function of another maker in more digits; null where there is none.
  Wide<F> (*witness)(Wide<F> x);
  MpfrFunction exact;
  double max_ulp;
  /// What the C library has for vectors of four doubles, at most 4 ulp wrong; null where it has nothing.
  VectorFunction fast_witness = nullptr;

  F operator()(F x) const {
    F y;
    apply(&x, &y, 1);
    return y;
  }
};

template <class F>
struct BinaryFunction {
  const char* name;
  void (*apply)(const F* x, const F* y, F* z, std::size_t count);
  Wide<F> (*witness)(Wide<F> x, Wide<F> y);
  MpfrBinaryFunction exact;
  double max_ulp;

  F operator()(F x, F y) const {
    F z;
    apply(&x, &y, &z, 1);
    return z;
  }
};

/// F: float, double.
template <class F>
std::span<const Function<F>> functions();
template <class F>
std::span<const BinaryFunction<F>> binary_functions();

/// The one called `name`.
template <class F>
const Function<F>& function(const char* name);
template <class F>
const BinaryFunction<F>& binary_function(const char* name);

}  // namespace tenon::math
