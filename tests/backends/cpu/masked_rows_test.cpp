// Rows whose end a comparison of indices hides (masked_tail.h): the evaluator's bits for every form of the comparison, where
// the mask begins before, in and behind the row, and where what it leaves is no number.
#include "run_both.h"

namespace tenon::cpu {
namespace {

struct Mask {
  const char *rows, *columns;      // the operands of the comparison, with %i and %j
  const char* comparison;
  const char *if_true, *if_false;  // %x, %c, %low or %row
};

std::string softmax_of(const Mask& mask, int64_t n, int64_t m, int64_t shift, const std::string& index, const std::string& element) {
  const std::string shape = std::to_string(n) + "x" + std::to_string(m) + "x";
  const std::string x = "tensor<" + shape + element + ">", i = "tensor<" + shape + index + ">", b = "tensor<" + shape + "i1>";
  const std::string r = "tensor<" + std::to_string(n) + "x" + element + ">", s = "tensor<" + element + ">";
  return "%c = stablehlo.constant dense<-1.0e4> : " + x + "\n%z = stablehlo.constant dense<0.0> : " + s + "\n" +
         "%inf = stablehlo.constant dense<" + (element == "f64" ? "0xFFF0000000000000" : element == "f32" ? "0xFF800000" : "0xFF80") + "> : " + s + "\n" +
         "%low = stablehlo.broadcast_in_dim %inf, dims = [] : (" + s + ") -> " + x + "\n" +
         "%row = stablehlo.broadcast_in_dim %y, dims = [0] : (" + r + ") -> " + x + "\n" +
         "%shift = stablehlo.constant dense<" + std::to_string(shift) + "> : " + i + "\n" +
         "%i0 = stablehlo.iota dim = 0 : " + i + "\n%i = stablehlo.add %i0, %shift : " + i + "\n%j = stablehlo.iota dim = 1 : " + i + "\n" +
         "%m = stablehlo.compare " + mask.comparison + ", " + mask.rows + ", " + mask.columns + " : (" + i + ", " + i + ") -> " + b + "\n" +
         "%v = stablehlo.select %m, " + mask.if_true + ", " + mask.if_false + " : " + b + ", " + x + "\n" +
         "%max = stablehlo.reduce(%v init: %inf) applies stablehlo.maximum across dimensions = [1] : (" + x + ", " + s + ") -> " + r + "\n" +
         "%maxes = stablehlo.broadcast_in_dim %max, dims = [0] : (" + r + ") -> " + x + "\n" +
         "%d = stablehlo.subtract %v, %maxes : " + x + "\n%e = stablehlo.exponential %d : " + x + "\n" +
         "%sum = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : (" + x + ", " + s + ") -> " + r + "\n" +
         "%sums = stablehlo.broadcast_in_dim %sum, dims = [0] : (" + r + ") -> " + x + "\n" +
         "%p = stablehlo.divide %e, %sums : " + x + "\nreturn %p : " + x;
}

void check(const Mask& mask, int64_t n, int64_t m, int64_t shift, const std::string& index = "i32", const std::string& element = "f32") {
  SCOPED_TRACE(std::string(mask.rows) + " " + mask.comparison + " " + mask.columns + ", " + mask.if_true + " or " + mask.if_false + ", " +
               std::to_string(n) + " x " + std::to_string(m) + " + " + std::to_string(shift) + " " + index + " " + element);
  const std::string x = "tensor<" + std::to_string(n) + "x" + std::to_string(m) + "x" + element + ">";
  const std::string y = "tensor<" + std::to_string(n) + "x" + element + ">";
  const DType dtype = DType::parse(element);
  expect_both_same(program("(%x: " + x + ", %y: " + y + ") -> " + x, softmax_of(mask, n, m, shift, index, element)),
                   {random_tensor(1, {n, m}, dtype, -3, 3), random_tensor(2, {n}, dtype, -3, 3)});
}

TEST(MaskedRows, EachComparison) {
  for (const char* comparison : {"GE", "GT", "LE", "LT"}) {
    check({"%i", "%j", comparison, "%x", "%c"}, 40, 256, 7);
    check({"%j", "%i", comparison, "%x", "%low"}, 40, 256, 100);
    check({"%i", "%j", comparison, "%row", "%x"}, 40, 256, 33);
  }
  check({"%i", "%j", "EQ", "%x", "%c"}, 5, 256, 0);
}

TEST(MaskedRows, FromBeforeTheRowToBehindIt) {
  for (int64_t shift : {-300, -20, -1, 0, 95, 96, 127, 128, 250, 600})
    check({"%i", "%j", "GE", "%x", "%low"}, 9, 256, shift);  // rows of -inf alone are NaN
}

TEST(MaskedRows, LengthsAndTypes) {
  for (int64_t m : {64, 127, 128, 129, 144, 160, 512, 520, 4096, 5000}) check({"%i", "%j", "GE", "%x", "%c"}, 3, m, m / 2);
  for (const char* element : {"f64", "bf16"}) check({"%i", "%j", "GT", "%x", "%low"}, 12, 192, 60, "i32", element);
}

// The indices wrap: what they say at one place says nothing about the next.
TEST(MaskedRows, NarrowIndices) {
  check({"%i", "%j", "GE", "%x", "%c"}, 3, 256, 20, "ui8");
  check({"%i", "%j", "GE", "%x", "%c"}, 3, 512, 20, "i8");
  check({"%i", "%j", "GE", "%x", "%c"}, 3, 512, 20, "i64");
}

}  // namespace
}  // namespace tenon::cpu
