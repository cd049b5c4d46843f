// Values as text, and the sentences of errors.
#include "base/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "base/fail.h"
#include "support/expect_error.h"
#include "tenon/shape.h"

namespace tenon {
namespace {

using detail::python_repr;
using detail::text;

TEST(PythonRepr, IsPythons) {
  struct Case {
    double value;
    const char* text;
  };
  for (auto [value, expected] : std::initializer_list<Case>{
           {0.0, "0.0"}, {-0.0, "-0.0"}, {1.0, "1.0"}, {-2.5, "-2.5"}, {0.1, "0.1"}, {100000.0, "100000.0"}, {123456.789, "123456.789"},
           {1e15, "1000000000000000.0"}, {9999999999999998.0, "9999999999999998.0"}, {1e16, "1e+16"}, {1.5e16, "1.5e+16"}, {1e22, "1e+22"},
           {1e100, "1e+100"}, {0.0001, "0.0001"}, {0.00012345, "0.00012345"}, {0.00001, "1e-05"}, {1.5e-7, "1.5e-07"}, {5e-324, "5e-324"},
           {1.7976931348623157e308, "1.7976931348623157e+308"}, {0.10000000149011612, "0.10000000149011612"}})
    EXPECT_EQ(python_repr(value), expected);
  EXPECT_EQ(python_repr(INFINITY), "inf");
  EXPECT_EQ(python_repr(-INFINITY), "-inf");
  EXPECT_EQ(python_repr(NAN), "nan");
  EXPECT_EQ(python_repr(-NAN), "nan");
}

TEST(PythonRepr, ReadsBack) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    double value = std::bit_cast<double>(random());
    if (std::isnan(value)) continue;
    EXPECT_EQ(std::strtod(python_repr(value).c_str(), nullptr), value);
  }
}

TEST(Text, JoinsParts) {
  EXPECT_EQ(text("x", 'y', 3, true, 2.5, std::string("z"), Shape{2}, DType(DType::kInt8)), "xy3True2.5z(2,)int8");
  EXPECT_EQ(text(Aval{Shape{3, 4}, DType(DType::kFloat32)}), "f32[3,4]");
  EXPECT_EQ(text(Avals{{Shape{3, 4}, DType(DType::kFloat32)}, {Shape{}, DType(DType::kInt32)}}), "f32[3,4] and i32[]");
  EXPECT_EQ(text(std::vector<int>{1, 2, 3}), "1, 2 and 3");
  EXPECT_EQ(text(std::vector<int>{}), "");
  EXPECT_EQ(text(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(text(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
}

TEST(Shape, PrintsAsAPythonTuple) {
  EXPECT_EQ(Shape{}.str(), "()");
  EXPECT_EQ(Shape{2}.str(), "(2,)");
  EXPECT_EQ((Shape{2, 3}).str(), "(2, 3)");
  EXPECT_EQ((Axes{0, -1}).str(), "(0, -1)");
  EXPECT_EQ((Layout{{1, 0}}).str(), "Layout(major_to_minor=(1, 0))");
  EXPECT_EQ((Aval{Shape{2}, DType(DType::kFloat32), true}).str(), "ShapedArray(float32[2], weak_type=True)");
  EXPECT_EQ(ShapeDtype({2, 3}, DType(DType::kFloat32)).str(), "ShapeDtypeStruct(shape=(2, 3), dtype=float32)");
}

TEST(Shape, CountsElementsOrSaysThatTheyAreTooMany) {
  EXPECT_EQ(Shape{}.num_elements(), 1);
  EXPECT_EQ((Shape{3, 0, 5}).num_elements(), 0);
  EXPECT_EQ((Shape{int64_t{1} << 62, 0, int64_t{1} << 62}).num_elements(), 0);
  EXPECT_ERROR(ShapeError, (Shape{int64_t{1} << 62, 2}).num_elements(),
               "shape: the number of elements does not fit in 63 bits; got shape (4611686018427387904, 2)");
  EXPECT_THROW((Aval{Shape{int64_t{1} << 62}, DType(DType::kFloat64)}).nbytes(), ShapeError);
  EXPECT_EQ((Aval{Shape{3}, DType(DType::kComplex64)}).nbytes(), 24);
}

TEST(DType, NamesGoBothWays) {
  for (int code = 0; code < DType::kCount; ++code) {
    DType dtype(code);
    EXPECT_EQ(DType::parse(dtype.str()), dtype);
    EXPECT_EQ(DType::parse(dtype.short_str()), dtype);
  }
  EXPECT_ERROR(TypeError, DType::parse("float33"), "dtype: there is no element type called 'float33'");
  EXPECT_ERROR(TypeError, DType::parse(""), "dtype: there is no element type called ''");
}

TEST(Fail, MakesASentence) {
  EXPECT_ERROR(ShapeError, fail<ShapeError>("add", "got ", Shape{2}, " and ", Shape{}), "add: got (2,) and ()");
  EXPECT_THROW(fail<ShapeError>("add"), TypeError);
  EXPECT_THROW(fail<TracerBoolConversionError>("if"), ConcretizationTypeError);
  EXPECT_THROW(fail<ParseError>("load"), ValueError);
  EXPECT_THROW(fail<OutOfMemoryError>("x"), RuntimeError);
}

TEST(Check, NamesTheConditionAndTheParts) {
  auto check = [](int n) { TENON_CHECK(n == 1, "n is ", n); };
  EXPECT_NO_THROW(check(1));
  EXPECT_ERROR_HAS(InternalError, (check(2), 0), ": n == 1 does not hold; n is 2; this is a mistake in Tenon, please report it");
}

}  // namespace
}  // namespace tenon
