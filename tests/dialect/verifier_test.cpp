// What the verifiers refuse, and what they say.
#include <gtest/gtest.h>

#include "dialect/module.h"
#include "support/expect_error.h"
#include "tenon/error.h"

namespace tenon {
namespace {

struct Case {
  const char* arguments;
  const char* body;
  const char* message;  // part of what the error says
};

const Case kCases[] = {
    // Elementwise.
    {"%x: tensor<2xf32>, %y: tensor<3xf32>", R"(%0 = "stablehlo.add"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>)",
     "'stablehlo.add' op operands must have one type; got 'tensor<2xf32>' and 'tensor<3xf32>'"},
    {"%x: tensor<2xf32>", R"(%0 = "stablehlo.add"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi32>)", "inferred type(s)"},
    {"%x: tensor<2xi32>", "%0 = stablehlo.sine %x : tensor<2xi32>",
     "operand #0 must be ranked tensor of float or complex values, but got 'tensor<2xi32>'"},
    {"%x: tensor<2xi1>", "%0 = stablehlo.subtract %x, %x : tensor<2xi1>", "must be ranked tensor of integer, float or complex values"},
    {"%x: tensor<2xi32>", "%0 = stablehlo.floor %x : tensor<2xi32>", "must be ranked tensor of float values"},
    {"%x: tensor<2xui8>", "%0 = stablehlo.abs %x : tensor<2xui8>", "signed integer, float or complex"},
    {"%x: tensor<2xf32>", "%0 = stablehlo.compare LT, %x, %x, SIGNED : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>",
     "'stablehlo.compare' op comparison type SIGNED does not fit 'tensor<2xf32>'"},
    {"%x: tensor<2xcomplex<f32>>",
     "%0 = stablehlo.compare LT, %x, %x : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>",
     "complex values have no order: direction must be EQ or NE; got LT"},
    {"%p: tensor<3xi1>, %x: tensor<2xf32>", "%0 = stablehlo.select %p, %x, %x : tensor<3xi1>, tensor<2xf32>",
     "predicate must be a scalar or have the operands' shape"},
    {"%a: tensor<3xf32>, %x: tensor<2xf32>",
     "%0 = stablehlo.clamp %a, %x, %x : (tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>",
     "bounds must be scalars or have the operand's shape"},
    {"%x: tensor<2xf32>", "%0 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<3xi32>", "must keep the shape"},
    {"%x: tensor<2xf32>", "%0 = stablehlo.reduce_precision %x, format = e0m3 : tensor<2xf32>", "exponent_bits must be 1 to 63; got 0"},
    {"%x: tensor<2xf32>", "%0 = stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>",
     "tolerances go with mode TOLERANCE only"},
    // Data movement.
    {"%x: tensor<2x3xf32>", "%0 = stablehlo.transpose %x, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x2xf32>",
     "permutation must"},
    {"%x: tensor<2x3xf32>", "%0 = stablehlo.transpose %x, dims = [0] : (tensor<2x3xf32>) -> tensor<2xf32>",
     "'stablehlo.transpose' op permutation must hold each axis of the operand once; got [0] for 'tensor<2x3xf32>'"},
    {"%x: tensor<2x3xf32>", "%0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<7xf32>", "must keep the number of elements"},
    {"%x: tensor<2x3xf32>", "%0 = stablehlo.broadcast_in_dim %x, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>",
     "broadcast_dimensions must name an axis once; got [0, 0]"},
    {"%x: tensor<2x3xf32>", "%0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<4x3xf32>",
     "operand axis 0 must have size 1 or that of result axis 0"},
    {"%x: tensor<2x3xf32>", "%0 = stablehlo.broadcast_in_dim %x, dims = [0, 5] : (tensor<2x3xf32>) -> tensor<2x3xf32>",
     "must be axes of a tensor of rank 2; got [0, 5]"},
    {"%x: tensor<4xf32>", "%0 = stablehlo.slice %x [1:6] : (tensor<4xf32>) -> tensor<5xf32>",
     "range of axis 0 must satisfy 0 <= start <= limit <= size; got 1:6"},
    {"%x: tensor<4xf32>", "%0 = stablehlo.slice %x [0:4:0] : (tensor<4xf32>) -> tensor<4xf32>", "strides must be positive; got [0]"},
    {"%x: tensor<4xf32>", "%0 = stablehlo.slice %x [0:4] : (tensor<4xf32>) -> tensor<3xf32>", "inferred type(s)"},
    {"%x: tensor<2x3xf32>, %y: tensor<3x3xf32>",
     "%0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x6xf32>",
     "must agree in element type and in all axes but 1"},
    {"", R"(%0 = "stablehlo.concatenate"() {dimension = 0 : i64} : () -> tensor<2xf32>)", "needs at least one operand"},
    {"%x: tensor<2xf32>, %v: tensor<f32>",
     "%0 = stablehlo.pad %x, %v, low = [-3], high = [0], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>",
     "axis 0 has no such size after padding"},
    {"%x: tensor<2xf32>, %v: tensor<f32>",
     "%0 = stablehlo.pad %x, %v, low = [9223372036854775807], high = [9223372036854775807], interior = [9223372036854775807] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>",
     "axis 0 has no such size after padding"},
    {"", "%0 = stablehlo.iota dim = 1 : tensor<3xf32>", "iota_dimension must be an axis of a tensor of rank 1; got 1"},
    {"", "%0 = stablehlo.iota dim = 0 : tensor<i32>", "at least one axis"},
    {"%x: tensor<2xf32>", "%0 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2xi16>", "the narrower type must have one more axis, of size 2"},
    {"%x: tensor<4x3xf32>, %i: tensor<2xi32>",
     R"(%0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<2x4xf32>)",
     "slice_sizes must be 0 to the operand's sizes; got [1, 4]"},
    {"%x: tensor<4x3xf32>, %i: tensor<2xi32>",
     R"(%0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>)",
     "must have an entry for each axis"},
    {"%x: tensor<4x3xf32>, %i: tensor<i32>, %j: tensor<i64>",
     "%0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [1, 1] : (tensor<4x3xf32>, tensor<i32>, tensor<i64>) -> tensor<1x1xf32>",
     "start indices must have one type"},
    // Functions.
    {"%x: tensor<2x3xf32>, %v: tensor<f32>",
     "%0 = stablehlo.reduce(%x init: %v) applies stablehlo.add across dimensions = [2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>",
     "dimensions must be axes of a tensor of rank 2; got [2]"},
    {"%x: tensor<2x3xf32>, %v: tensor<f32>",
     "%0 = stablehlo.reduce(%x init: %v) applies stablehlo.subtract across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
     "'applies' takes a commutative binary operation of stablehlo; got 'stablehlo.subtract'"},
    {"%x: tensor<2x3xf32>, %v: tensor<2xf32>",
     "%0 = stablehlo.reduce(%x init: %v) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2xf32>",
     "init value 0 must be a scalar of the input's element type"},
    {"%x: tensor<3xf32>, %v: tensor<f32>",
     R"(%0 = "stablehlo.reduce"(%x, %v) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<f32>): stablehlo.return %a : tensor<f32> }) : (tensor<3xf32>, tensor<f32>) -> tensor<f32>)",
     "function must take 2 scalars; got 1"},
    {"%x: tensor<3xf32>",
     R"(%0 = "stablehlo.sort"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>): stablehlo.return %a : tensor<f32> }) : (tensor<3xf32>) -> tensor<3xf32>)",
     "function must return one tensor<i1>"},
    {"%x: tensor<f32>",
     R"(%0 = "stablehlo.while"(%x) ({
    ^bb0(%a: tensor<f32>): stablehlo.return %a : tensor<f32> }, {
    ^bb0(%a: tensor<f32>): stablehlo.return %a : tensor<f32> }) : (tensor<f32>) -> tensor<f32>)",
     "condition must return one tensor<i1>"},
    {"%i: tensor<i32>, %x: tensor<f32>",
     R"(%0 = "stablehlo.case"(%i) ({ stablehlo.return %x : tensor<f32> }, { stablehlo.return %i : tensor<i32> }) : (tensor<i32>) -> tensor<f32>)",
     "branch 1 must return the results' types"},
    {"%i: tensor<i32>", R"(%0 = "stablehlo.case"(%i) : (tensor<i32>) -> tensor<f32>)", "'stablehlo.case' op"},
    {"%i: tensor<i32>, %x: tensor<f32>", R"(%0 = "stablehlo.case"(%i) ({ func.return %x : tensor<f32> }) : (tensor<i32>) -> tensor<f32>)", "op"},
    // Contractions.
    {"%x: tensor<3x4xf32>, %y: tensor<5x2xf32>",
     "%0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<5x2xf32>) -> tensor<3x2xf32>",
     "'stablehlo.dot_general' op contracting sizes differ: lhs axis 1 is 4, rhs axis 0 is 5"},
    {"%x: tensor<3x4xf32>, %y: tensor<4x2xf32>",
     "%0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<2x3xf32>",
     "result must have shape [3, 2]"},
    {"%x: tensor<3x4xf32>, %y: tensor<4x2xf32>",
     "%0 = stablehlo.dot_general %x, %y, contracting_dims = [7] x [0] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>",
     "lhs dimensions must be axes of a tensor of rank 2; got [7]"},
    {"%x: tensor<1x8x8x2xf32>, %k: tensor<3x3x3x4xf32>",
     "%0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x2xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>",
     "features and groups do not fit"},
    {"%x: tensor<3x4xf32>", "%0 = stablehlo.cholesky %x : tensor<3x4xf32>", "matrices must be square"},
    {"%x: tensor<4xf32>", "%0 = stablehlo.fft %x, type = FFT, length = [4] : (tensor<4xf32>) -> tensor<4xf32>", "FFT takes complex values"},
    // CHLO and our own.
    {"%x: tensor<4xf32>", "%0, %1 = chlo.top_k(%x, k = 5) : tensor<4xf32> -> (tensor<5xf32>, tensor<5xi32>)",
     "k must be 0 to the size of the last axis; got 5"},
    {"%x: tensor<4xf32>", "%0 = tenon.copy %x : (tensor<4xf32>) -> tensor<5xf32>", "must keep shape and element type"},
    {"%x: tensor<4xf32>", R"(%0 = tenon.fusion loop "f"(%p = %x) : (tensor<4xf32>) -> tensor<4xf32> { tenon.yield })",
     "yielded types must be the results' types"},
    {"%x: tensor<2x3xf32, #tenon.layout<minor_to_major = [0, 0]>>", "", "minor_to_major must hold each axis once"},
    {"%x: tensor<2x?xf32, #stablehlo.bounds<?>>", "", "bounds must name each dimension"},
};

TEST(Verifier, SaysWhatIsWrong) {
  int line = 0;
  for (const Case& c : kCases) {
    const std::string text = std::string("func.func @f(") + c.arguments + ") {\n  " + c.body + "\n  return\n}\n";
    SCOPED_TRACE(text + " (case " + std::to_string(line++) + ")");
    EXPECT_ERROR_HAS(ParseError, Module::parse(text, "bad.mlir"), c.message);
    EXPECT_ERROR_HAS(ParseError, Module::parse(text, "bad.mlir"), "bad.mlir:");
  }
}

// Sizes that are known only at run time fit any.
TEST(Verifier, TakesDynamicSizes) {
  const std::string text = R"(module {
  func.func @f(%arg0: tensor<?x3xf32>, %arg1: tensor<2x?xf32>, %arg2: tensor<f32>) -> tensor<2x3xf32> {
    %0 = stablehlo.add %arg0, %arg1 : (tensor<?x3xf32>, tensor<2x?xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.reduce(%arg0 init: %arg2) applies stablehlo.add across dimensions = [1] : (tensor<?x3xf32>, tensor<f32>) -> tensor<?xf32>
    %2 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<?x3xf32>, tensor<2x?xf32>) -> tensor<?x3xf32>
    return %0 : tensor<2x3xf32>
  }
}
)";
  EXPECT_EQ(Module::parse(text).str(), text);
}

}  // namespace
}  // namespace tenon
