// Arrays as text. Expected texts are JAX's (NumPy 2.5 lays them out).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/half.h"
#include "core/nodes.h"
#include "core/trace.h"
#include "support/expect_error.h"
#include "support/test_client.h"
#include "tenon/config.h"
#include "tenon/host.h"

namespace tenon {
namespace {

class ArrayText : public testing::Test {
 protected:
  ArrayText() { TestClient::instance(); }

  template <class T>
  static std::string str(std::vector<T> values, std::vector<int64_t> shape = {}) {
    if (shape.empty()) shape = {static_cast<int64_t>(values.size())};
    return device_put(HostView(values.data(), Shape(shape))).str();
  }
  template <class T>
  static std::vector<T> counted(int64_t n, T step = 1) {
    std::vector<T> values(static_cast<size_t>(n));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i) * step;
    return values;
  }
  static std::string half(std::vector<double> values, DType::Code code) {
    std::vector<uint16_t> bits;
    for (double v : values) {
      float f = static_cast<float>(v);
      bits.push_back(code == DType::kFloat16 ? detail::float_to_float16(f) : detail::float_to_bfloat16(f));
    }
    return device_put(HostView(bits.data(), Aval{Shape{static_cast<int64_t>(bits.size())}, DType(code)})).str();
  }
  static std::string scalar(double value, DType::Code code, bool weak = false) {
    return Array(detail::make_scalar(value, DType(code), weak)).str();
  }
};

constexpr float kInf = INFINITY, kNan = NAN;

TEST_F(ArrayText, Scalars) {
  EXPECT_EQ(Array(2.0).str(), "Array(2., dtype=float32, weak_type=True)");
  EXPECT_EQ(Array(-3).str(), "Array(-3, dtype=int32, weak_type=True)");
  EXPECT_EQ(Array(true).str(), "Array(True, dtype=bool)");
  EXPECT_EQ(scalar(1.5, DType::kFloat32), "Array(1.5, dtype=float32)");
  EXPECT_EQ(scalar(999999, DType::kFloat32), "Array(999999., dtype=float32)");
  EXPECT_EQ(scalar(1e6, DType::kFloat32), "Array(1.e+06, dtype=float32)");
  EXPECT_EQ(scalar(1e-5, DType::kFloat32), "Array(1.e-05, dtype=float32)");
  EXPECT_EQ(scalar(NAN, DType::kFloat32), "Array(nan, dtype=float32)");
  EXPECT_EQ(scalar(1000, DType::kFloat16), "Array(1.e+03, dtype=float16)");
  EXPECT_EQ(scalar(1.1, DType::kBFloat16), "Array(1.10156, dtype=bfloat16)");
  config::Scope x64({{"enable_x64", true}});
  EXPECT_EQ(Array(0.1).str(), "Array(0.1, dtype=float64, weak_type=True)");
}

TEST_F(ArrayText, Floats) {
  EXPECT_EQ(str<float>({1, 2, 3}), "Array([1., 2., 3.], dtype=float32)");
  EXPECT_EQ(str<float>({0, 1, 2, 3, 4, 5}, {2, 3}), "Array([[0., 1., 2.],\n       [3., 4., 5.]], dtype=float32)");
  EXPECT_EQ(str<float>({0.1f, 0.25f, 1.f / 3}), "Array([0.1       , 0.25      , 0.33333334], dtype=float32)");
  EXPECT_EQ(str<float>({1e-8f, 1, 1e10f}), "Array([1.e-08, 1.e+00, 1.e+10], dtype=float32)");
  EXPECT_EQ(str<float>({123456.789f, 0.5f}), "Array([1.2345679e+05, 5.0000000e-01], dtype=float32)");
  EXPECT_EQ(str<float>({1e6f, 1000001, 1000002}), "Array([1.000000e+06, 1.000001e+06, 1.000002e+06], dtype=float32)");
  // With exponents, digits beyond the shortest text are those of the exact value.
  EXPECT_EQ(str<float>({304584200.f, 1.6050617f}), "Array([3.0458419e+08, 1.6050617e+00], dtype=float32)");
  EXPECT_EQ(str<float>({kInf, 1, kNan, -kInf, -0.0f}), "Array([ inf,   1.,  nan, -inf,  -0.], dtype=float32)");
  EXPECT_EQ(str<float>({kNan, kNan}), "Array([nan, nan], dtype=float32)");
  EXPECT_EQ(str<float>({1e20f, kInf, kNan}), "Array([1.e+20,    inf,    nan], dtype=float32)");
  EXPECT_EQ(str<float>({1e-45f, 3e38f}), "Array([1.e-45, 3.e+38], dtype=float32)");
  EXPECT_EQ(half({1, 2.5, 1000.7}, DType::kFloat16), "Array([1.0000e+00, 2.5000e+00, 1.0005e+03], dtype=float16)");
  EXPECT_EQ(half({1, 2.5, 1e4}, DType::kFloat16), "Array([1.0e+00, 2.5e+00, 1.0e+04], dtype=float16)");
  EXPECT_EQ(half({1, 2.5, 3}, DType::kBFloat16), "Array([1, 2.5, 3], dtype=bfloat16)");
  EXPECT_EQ(half({-NAN, INFINITY, -2e-3, 0.1, 1e30}, DType::kBFloat16), "Array([nan, inf, -0.0019989, 0.100098, 1.00026e+30], dtype=bfloat16)");
}

TEST_F(ArrayText, Doubles) {
  config::Scope x64({{"enable_x64", true}});
  EXPECT_EQ(str<double>({1.1, 1. / 3, 2}), "Array([1.1       , 0.33333333, 2.        ], dtype=float64)");
  EXPECT_EQ(str<double>({12345678.123456789, 99999999.0}), "Array([12345678.12345679, 99999999.        ], dtype=float64)");
  EXPECT_EQ(str<double>({1.123456785, 1.000000015, 1.5}), "Array([1.12345678, 1.00000001, 1.5       ], dtype=float64)");
  EXPECT_EQ(str<double>({1.23456789012e-20, 1.0}), "Array([1.23456789e-20, 1.00000000e+00], dtype=float64)");
  EXPECT_EQ(str<int64_t>({INT64_MIN, 5}), "Array([-9223372036854775808,                    5], dtype=int64)");
  EXPECT_EQ(str<uint64_t>({UINT64_MAX}), "Array([18446744073709551615], dtype=uint64)");
}

TEST_F(ArrayText, OtherDtypes) {
  EXPECT_EQ(str<int>({1, -200, 3}), "Array([   1, -200,    3], dtype=int32)");
  EXPECT_EQ(device_put(HostView("\1\0", Aval{Shape{2}, DType(DType::kBool)})).str(), "Array([ True, False], dtype=bool)");
  float z[] = {1, 2, 3.5, -1};
  EXPECT_EQ(device_put(HostView(z, Aval{Shape{2}, DType(DType::kComplex64)})).str(), "Array([1. +2.j, 3.5-1.j], dtype=complex64)");
  float i[] = {0, 1};
  EXPECT_EQ(device_put(HostView(i, Aval{Shape{}, DType(DType::kComplex64)})).str(), "Array(0.+1.j, dtype=complex64)");
  EXPECT_EQ(device_put(HostView("\1\xf8\7", Aval{Shape{3}, DType(DType::kInt4)})).str(), "Array([1, -8, 7], dtype=int4)");
  uint32_t words[] = {1797259609, 2579123966, 928981903, 3453687069};
  EXPECT_EQ(device_put(HostView(words, Aval{Shape{2}, DType(DType::kKeyFry)})).str(),
            "Array((2,), dtype=key<fry>) overlaying:\n[[1797259609 2579123966]\n [ 928981903 3453687069]]");
  EXPECT_EQ(device_put(HostView(words, Aval{Shape{}, DType(DType::kKeyFry)})).str(),
            "Array((), dtype=key<fry>) overlaying:\n[1797259609 2579123966]");
}

TEST_F(ArrayText, NoElements) {
  EXPECT_EQ(str<float>({}, {0, 3}), "Array([], shape=(0, 3), dtype=float32)");
  EXPECT_EQ(str<int>({}, {3, 0}), "Array([], shape=(3, 0), dtype=int32)");
}

TEST_F(ArrayText, LinesAndRows) {
  EXPECT_EQ(str(counted<float>(24), {2, 3, 4}),
            "Array([[[ 0.,  1.,  2.,  3.],\n"
            "        [ 4.,  5.,  6.,  7.],\n"
            "        [ 8.,  9., 10., 11.]],\n"
            "\n"
            "       [[12., 13., 14., 15.],\n"
            "        [16., 17., 18., 19.],\n"
            "        [20., 21., 22., 23.]]], dtype=float32)");
  EXPECT_EQ(str(counted<int>(30, 1000)),
            "Array([    0,  1000,  2000,  3000,  4000,  5000,  6000,  7000,  8000,\n"
            "        9000, 10000, 11000, 12000, 13000, 14000, 15000, 16000, 17000,\n"
            "       18000, 19000, 20000, 21000, 22000, 23000, 24000, 25000, 26000,\n"
            "       27000, 28000, 29000], dtype=int32)");
  // Where the dtype does not fit behind the last line JAX leaves six spaces and no newline.
  EXPECT_EQ(str(std::vector<float>(15, 1)), "Array([1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.],      dtype=float32)");
  EXPECT_EQ(str(std::vector<float>(18, 1)),
            "Array([1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.,\n"
            "       1.], dtype=float32)");
}

TEST_F(ArrayText, MoreThanAThousandElementsAreSummarized) {
  EXPECT_EQ(str(std::vector<float>(1001, 1)), "Array([1., 1., 1., ..., 1., 1., 1.], dtype=float32)");
  EXPECT_EQ(str(std::vector<float>(1000, 1)).find("..."), std::string::npos);
  EXPECT_EQ(str(counted<int>(2000), {20, 100}),
            "Array([[   0,    1,    2, ...,   97,   98,   99],\n"
            "       [ 100,  101,  102, ...,  197,  198,  199],\n"
            "       [ 200,  201,  202, ...,  297,  298,  299],\n"
            "       ...,\n"
            "       [1700, 1701, 1702, ..., 1797, 1798, 1799],\n"
            "       [1800, 1801, 1802, ..., 1897, 1898, 1899],\n"
            "       [1900, 1901, 1902, ..., 1997, 1998, 1999]], dtype=int32)");
  EXPECT_EQ(str(std::vector<float>(1200, 0), {2, 3, 200}),
            "Array([[[0., 0., 0., ..., 0., 0., 0.],\n"
            "        [0., 0., 0., ..., 0., 0., 0.],\n"
            "        [0., 0., 0., ..., 0., 0., 0.]],\n"
            "\n"
            "       [[0., 0., 0., ..., 0., 0., 0.],\n"
            "        [0., 0., 0., ..., 0., 0., 0.],\n"
            "        [0., 0., 0., ..., 0., 0., 0.]]], dtype=float32)");
}

TEST_F(ArrayText, FromAMebibyteOnNothingIsWaitedFor) {
  std::vector<float> values(1 << 18);
  Array big = device_put(HostView(values.data(), Shape{1 << 18}));
  auto& buffer = static_cast<const TestBuffer&>(*static_cast<const detail::ConcreteNode&>(*big.node_ref()).buffer);
  buffer.ready = false;
  EXPECT_EQ(big.str(), "Array(shape=(262144,), dtype=float32)");
  EXPECT_FALSE(big.is_ready());
  Array small = device_put(HostView(values.data(), Shape{(1 << 18) - 1}));
  EXPECT_EQ(small.str(), "Array([0., 0., 0., ..., 0., 0., 0.], dtype=float32)");
  big.delete_buffer();
  EXPECT_EQ(big.str(), "Array(shape=(262144,), dtype=float32)");
  small.delete_buffer();
  EXPECT_ERROR(RuntimeError, small.str(), "str: the array has been deleted or donated to a program; got f32[262143]");
}

TEST_F(ArrayText, Abstract) {
  EXPECT_EQ(Array(ShapeDtype({2, 3}, DType(DType::kFloat32))).str(), "ShapeDtypeStruct(shape=(2, 3), dtype=float32)");
  EXPECT_ERROR(ValueError, Array().str(), "str: the Array is empty (default-constructed); give it a value first");
}

TEST_F(ArrayText, Tracers) {
  class SomeTrace final : public detail::Trace {
    Arrays process(const Primitive&, const Arrays&, const EqnParams&) override { return {}; }
    Arrays process_custom_jvp(const detail::CustomJvpRef&, const Arrays&) override { return {}; }
    Arrays process_custom_vjp(const detail::CustomVjpRef&, const Arrays&) override { return {}; }
    std::string describe(const detail::Tracer&) const override { return ""; }
    std::string name() const override { return "jit f"; }
  };
  detail::TraceRef trace(new SomeTrace);
  auto str = [&](const Aval& aval) { return Array(detail::make_ref<detail::Tracer>(trace, aval)).str(); };
  EXPECT_EQ(str({Shape{3}, DType(DType::kFloat32)}), "JitTracer(float32[3])");
  EXPECT_EQ(str({Shape{}, DType(DType::kInt32), true}), "JitTracer(~int32[])");
  EXPECT_EQ(str({Shape{2, 3}, DType(DType::kKeyFry)}), "JitTracer(key<fry>[2,3])");
}

}  // namespace
}  // namespace tenon
