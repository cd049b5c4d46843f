// Fourier transforms: against the sum they stand for in long double, at lengths of every kind; the same bits whoever
// computes them; their text, cost and errors. The table and derivatives_test hold the rest.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "ops/op_cases.h"
#include "support/expect_error.h"

namespace tenon::test {
namespace {

using lax::FftType;
using Long = std::complex<long double>;

std::vector<double> numbers(size_t count, uint64_t seed) {
  std::vector<double> out;
  for (float x : ordinary_values(count, -1, 1, seed)) out.push_back(x);
  return out;
}

// Of one line of complex numbers.
std::vector<Long> transform(const std::vector<Long>& x, bool inverse) {
  const size_t n = x.size();
  std::vector<Long> roots, out(n);
  for (size_t k = 0; k < n; ++k) {
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
    roots.push_back(Long(std::cos(angle), inverse ? std::sin(angle) : -std::sin(angle)));
  }
  for (size_t k = 0; k < n; ++k) {
    for (size_t j = 0; j < n; ++j) out[k] += x[j] * roots[j * k % n];
    if (inverse) out[k] /= static_cast<long double>(n);
  }
  return out;
}

Array complex_array(const std::vector<Long>& x, DType part) {
  std::vector<double> re, im;
  for (const Long& z : x) {
    re.push_back(static_cast<double>(z.real()));
    im.push_back(static_cast<double>(z.imag()));
  }
  return lax::complex(jnp::array(re, part), jnp::array(im, part));
}
std::vector<Long> complex_numbers(const Array& x) {
  const std::vector<double> re = jnp::real(x).to_vector<double>(), im = jnp::imag(x).to_vector<double>();
  std::vector<Long> out;
  for (size_t i = 0; i < re.size(); ++i) out.push_back(Long(re[i], im[i]));
  return out;
}

// Error over size, in units of rounding.
double error(const std::vector<Long>& got, const std::vector<Long>& want, DType part) {
  EXPECT_EQ(got.size(), want.size());
  long double differences = 0, sizes = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    differences += std::norm(got[i] - want[i]);
    sizes += std::norm(want[i]);
  }
  return static_cast<double>(std::sqrt(differences / sizes)) / (part == jnp::float64 ? 0x1p-53 : 0x1p-24);
}

class FftLength : public testing::TestWithParam<int64_t> {};

TEST_P(FftLength, IsTheSum) {
  config::Scope scope({{"enable_x64", true}});
  const auto n = static_cast<size_t>(GetParam());
  const std::vector<double> re = numbers(n, n), im = numbers(n, n + 1);
  std::vector<Long> x, real;
  for (size_t i = 0; i < n; ++i) {
    x.push_back(Long(re[i], im[i]));
    real.push_back(Long(re[i], 0));
  }
  const std::vector<Long> forward = transform(x, false), backward = transform(x, true), spectrum = transform(real, false);
  const std::vector<Long> half(spectrum.begin(), spectrum.begin() + static_cast<std::ptrdiff_t>(n / 2 + 1));
  for (DType part : {jnp::float32, jnp::float64}) {
    SCOPED_TRACE(part.str());
    const double bound = part == jnp::float64 ? 6 : 4;  // of a rounding; a chirp in double errs more
    const Array z = complex_array(x, part);
    EXPECT_LE(error(complex_numbers(jnp::fft::fft(z)), forward, part), bound);
    EXPECT_LE(error(complex_numbers(jnp::fft::ifft(z)), backward, part), bound);
    EXPECT_LE(error(complex_numbers(jnp::fft::rfft(jnp::array(re, part))), half, part), bound);
    const Array back = jnp::fft::irfft(complex_array(half, part), {.n = GetParam()});
    EXPECT_EQ(back.dtype(), part);
    EXPECT_LE(error(complex_numbers(back), real, part), 2 * bound);  // the given half is rounded too
  }
}

// Powers of 2, 3, 5; mixed; primes with a sum of their own; those that go through a chirp.
INSTANTIATE_TEST_SUITE_P(, FftLength, testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 17, 30, 32, 49, 64, 81, 97, 100, 125, 127, 128,
                                                      131, 210, 243, 256, 262, 331, 360, 508, 1000, 1009, 1024));

TEST(Fft, ManyLinesAreEachOfThem) {
  for (int64_t n : {8, 12, 131}) {
    const Array x = lax::complex(jnp::array(ordinary_values(static_cast<size_t>(37 * n), -1, 1, 1)), jnp::array(ordinary_values(static_cast<size_t>(37 * n), -1, 1, 2)));
    const Array lines = jnp::reshape(x, {37, n});
    const Array all = jnp::fft::fft(lines), columns = jnp::fft::fft(jnp::transpose(lines), {.axis = 0});
    EXPECT_EQ(bytes_of(jnp::transpose(columns)), bytes_of(all)) << n;
    for (int k : {0, 16, 36}) EXPECT_EQ(bytes_of(all(k)), bytes_of(jnp::fft::fft(lines(k)))) << n << " " << k;
  }
}

TEST(Fft, IsTheSameEagerJittedAndEvaluatedOnAnyThreads) {
  for (FftType type : {FftType::FFT, FftType::IFFT, FftType::RFFT, FftType::IRFFT}) {
    const Shape lengths{6, 20};
    auto f = [&](const Arrays& in) -> Arrays {
      const Array x = type == FftType::RFFT ? in[0] : lax::complex(in[0], in[0] * 2.0f);
      return {lax::fft(x, type, lengths)};
    };
    const int64_t last = type == FftType::IRFFT ? 11 : 20;
    const Array x = jnp::reshape(jnp::array(ordinary_values(static_cast<size_t>(40 * 6 * last), -1, 1, 3)), {40, 6, last});
    const std::string bits = bytes_of(f({x})[0]);
    EXPECT_EQ(bytes_of(jit(f, {.name = "f"})(Arrays{x})[0]), bits);
    config::Scope scope({{"num_threads", 1}});
    EXPECT_EQ(bytes_of(jit(f, {.name = "f"})(Arrays{x})[0]), bits);
    const Module module = lower_jaxpr(detail::trace_to_jaxpr(f, {x.aval()}, "jit", "f"), {.name = "f"});
    const std::string elements = bytes_of(x);  // which the tensor reads
    const evaluator::Tensor input(x.aval(), elements.data());
    const evaluator::Tensor evaluated = evaluator::run(*evaluator::prepare(module), std::vector{input})[0];
    EXPECT_EQ(std::string(static_cast<const char*>(evaluated.data()), bits.size()), bits);
  }
}

TEST(Fft, InsideOfLoopsAndBetweenKernels) {
  const Array x = lax::complex(jnp::array(ordinary_values(24, -1, 1, 5)), jnp::zeros({24}));
  auto f = [](Array v) { return jnp::sum(jnp::abs(jnp::fft::ifft(jnp::fft::fft(v * 2.0f) * 3.0f))); };
  EXPECT_NEAR(jit(f)(x).item(), f(x).item(), 1e-4);
  auto loop = [](Array v) { return lax::fori_loop(0, 100, [](Array, Array c) { return jnp::fft::ifft(jnp::fft::fft(c)); }, v); };
  const Array after = jit(loop)(x);
  for (int i = 0; i < 24; ++i) EXPECT_NEAR(jnp::real(after)(i).item(), jnp::real(x)(i).item(), 1e-4);
}

TEST(Fft, OfNothing) {
  EXPECT_EQ(jnp::fft::fft(jnp::zeros({0, 4})).shape(), (Shape{0, 4}));
  EXPECT_EQ(lax::fft(jnp::zeros({3, 0}), FftType::FFT, {0}).shape(), (Shape{3, 0}));
  EXPECT_EQ(jnp::fft::irfft(jnp::zeros({3, 1})).shape(), (Shape{3, 0}));
  EXPECT_EQ(lax::fft(jnp::array({1.5f}), FftType::FFT, {}).dtype(), jnp::complex64);
}

TEST(Fft, HloTextAndCostAreXlas) {
  const Array x = jnp::ones({3, 100}, jnp::complex64);
  auto compiled = jit([](Array v) { return jnp::fft::fft(v); }, {.name = "f"}).lower(x).compile();
  EXPECT_NE(compiled.as_text().find("c64[3,100]{1,0} fft(%arg0.1), fft_type=FFT, fft_length={100}"), std::string::npos) << compiled.as_text();
  EXPECT_EQ(compiled.cost_analysis()["flops"], 14400);
  EXPECT_EQ(compiled.cost_analysis()["bytes accessed"], 4800);
  const auto flops = [](auto f, const Array& operand) { return jit(f).lower(operand).compile().cost_analysis()["flops"]; };
  EXPECT_EQ(flops([](Array v) { return jnp::fft::rfft(v); }, jnp::ones({3, 100})), 14400);
  EXPECT_EQ(flops([](Array v) { return jnp::fft::irfft(v); }, jnp::ones({3, 51}, jnp::complex64)), 7344);
  EXPECT_EQ(flops([](Array v) { return jnp::fft::irfft2(v); }, jnp::ones({8, 9}, jnp::complex64)), 6912);
}

TEST(Fft, Errors) {
  const Array x = jnp::ones({3, 4}), z = jnp::ones({3, 4}, jnp::complex64);
  EXPECT_ERROR(ShapeError, lax::fft(z, FftType::FFT, {5}), "fft: fft_lengths (5,) of FFT must be the sizes of the last axes; got c64[3,4]");
  EXPECT_ERROR(ShapeError, lax::fft(z, FftType::IRFFT, {5}),
               "fft: fft_lengths (5,) of IRFFT do not fit the last axis, which must have fft_lengths[-1] / 2 + 1 elements; got c64[3,4]");
  EXPECT_ERROR(ShapeError, lax::fft(z, FftType::FFT, {2, 3, 4}), "fft: has more lengths than the operand has axes; got fft_lengths (2, 3, 4) for c64[3,4]");
  EXPECT_ERROR(ValueError, lax::fft(jnp::ones({1, 1, 1, 1}), FftType::FFT, {1, 1, 1, 1}),
               "fft: transforms 1 to 3 axes at once; got fft_lengths (1, 1, 1, 1); transform the others before or after");
  EXPECT_ERROR(TypeError, lax::fft(z, FftType::RFFT, {4}), "fft: RFFT takes real numbers; got c64[3,4]; FFT takes complex ones");
  EXPECT_THROW(lax::fft(jnp::ones({3, 4}, jnp::float16), FftType::RFFT, {4}), TypeError);
  EXPECT_ERROR(ValueError, jnp::fft::fft(x, {.n = 0}), "fft: sizes must be positive; got (0,)");
  EXPECT_ERROR(ValueError, jnp::fft::fftn(x, {.s = Shape{2}, .axes = Axes{0, 1}}), "fftn: needs a size for each axis; got sizes (2,) and axes (0, 1)");
  EXPECT_ERROR(ValueError, jnp::fft::fft2(x, {.axes = Axes{0}}), "fft2: takes two axes; got (0,)");
  EXPECT_THROW(jnp::fft::fftn(x, {.axes = Axes{0, 0}}), Error);
  EXPECT_ERROR(ValueError, jnp::fft::fftfreq(0), "fftfreq: needs at least one sample; got 0");
}

}  // namespace
}  // namespace tenon::test
