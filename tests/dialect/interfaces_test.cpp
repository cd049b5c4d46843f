// What operations answer about themselves.
#include "dialect/interfaces.h"

#include <gtest/gtest.h>

#include "dialect/chlo.h"
#include "dialect/module_impl.h"
#include "dialect/stablehlo.h"
#include "dialect/tenon_ops.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tenon {
namespace {

// One function whose operations the test looks at in order.
class Program {
 public:
  Program(const std::string& arguments, const std::string& body)
      : module_(Module::parse("func.func @f(" + arguments + ") {\n" + body + "\n  return\n}\n", "program")) {
    auto function = llvm::cast<mlir::func::FuncOp>(module_op(module_).getBody()->front());
    for (mlir::Operation& op : function.getBody().front()) operations_.push_back(&op);
  }
  mlir::Operation* operator[](size_t i) const { return operations_[i]; }

 private:
  Module module_;
  std::vector<mlir::Operation*> operations_;
};

template <class T>
std::string str(const T& value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}
std::string index_map(mlir::Operation* op) {
  const auto map = llvm::cast<DataMovementOpInterface>(op).indexMap(0);
  return map ? str(*map) : "none";
}

TEST(Interfaces, ElementwiseTellsItsScalarOp) {
  const Program program("%x: tensor<4xf32>, %p: tensor<i1>", R"(
    %0 = stablehlo.multiply %x, %x : tensor<4xf32>
    %1 = chlo.erf %x : tensor<4xf32> -> tensor<4xf32>
    %2 = stablehlo.select %p, %x, %x : tensor<i1>, tensor<4xf32>
    %3 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4xi32>
    %4 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4x2xi16>
    %5 = stablehlo.transpose %x, dims = [0] : (tensor<4xf32>) -> tensor<4xf32>)");
  EXPECT_EQ(llvm::cast<ElementwiseOpInterface>(program[0]).scalarOp(), ScalarOp::kMultiply);
  EXPECT_EQ(llvm::cast<ElementwiseOpInterface>(program[1]).scalarOp(), ScalarOp::kErf);
  EXPECT_EQ(arity_of(ScalarOp::kSelect), 3);
  EXPECT_EQ(name_of(ScalarOp::kExponentialMinusOne), "exponential_minus_one");
  auto select = llvm::cast<ElementwiseOpInterface>(program[2]);
  EXPECT_TRUE(select.mayBeScalar(0));
  EXPECT_FALSE(select.mayBeScalar(1));
  EXPECT_TRUE(is_elementwise(program[3]));
  EXPECT_FALSE(is_elementwise(program[4]));
  EXPECT_FALSE(is_elementwise(program[5]));
  EXPECT_TRUE(is_data_movement(program[5]));
}

TEST(Interfaces, CostAndNameFollowXla) {
  const Program program("%x: tensor<4xf32>, %i: tensor<4xi32>", R"(
    %0 = stablehlo.sine %x : tensor<4xf32>
    %1 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xi32>
    %2 = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<2x2xf32>
    %3 = stablehlo.shift_right_logical %i, %i : tensor<4xi32>
    %4 = stablehlo.optimization_barrier %x : tensor<4xf32>)");
  const auto cost = [&](size_t i) {
    auto op = llvm::cast<CostOpInterface>(program[i]);
    return std::pair(op.flopsPerElement(), op.transcendentalsPerElement());
  };
  EXPECT_EQ(cost(0), std::pair(int64_t(0), int64_t(1)));
  EXPECT_EQ(cost(1), std::pair(int64_t(1), int64_t(0)));
  EXPECT_EQ(cost(2), std::pair(int64_t(0), int64_t(0)));
  EXPECT_EQ(hlo_opcode(program[0]), "sine");
  EXPECT_EQ(hlo_opcode(program[3]), "shift-right-logical");
  EXPECT_EQ(hlo_opcode(program[4]), "opt-barrier");
}

TEST(Interfaces, IndexMapsGoFromResultToOperand) {
  const Program program("%x: tensor<2x3xf32>, %v: tensor<3xf32>, %o: tensor<1x3xf32>, %s: tensor<f32>", R"(
    %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %2 = stablehlo.broadcast_in_dim %o, dims = [0, 2] : (tensor<1x3xf32>) -> tensor<4x5x3xf32>
    %3 = stablehlo.slice %x [1:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<1x2xf32>
    %4 = stablehlo.reverse %x, dims = [1] : tensor<2x3xf32>
    %5 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
    %6 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
    %7 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %8 = stablehlo.pad %x, %s, low = [0, 0], high = [0, 1], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x4xf32>
    %9 = stablehlo.broadcast %v, sizes = [2] : (tensor<3xf32>) -> tensor<2x3xf32>
    %10 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2xf32>)");
  EXPECT_EQ(index_map(program[0]), "(d0, d1) -> (d1, d0)");
  EXPECT_EQ(index_map(program[1]), "(d0, d1) -> (d1)");
  EXPECT_EQ(index_map(program[2]), "(d0, d1, d2) -> (0, d2)");
  EXPECT_EQ(index_map(program[3]), "(d0, d1) -> (d0 + 1, d1 * 2)");
  EXPECT_EQ(index_map(program[4]), "(d0, d1) -> (d0, -d1 + 2)");
  EXPECT_EQ(index_map(program[5]), "(d0, d1, d2) -> (d0, d2)");
  EXPECT_EQ(index_map(program[6]), "(d0) -> (d0 floordiv 3, d0 mod 3)");
  EXPECT_EQ(index_map(program[7]), "(d0, d1) -> ((d0 * 2 + d1) floordiv 3, (d0 * 2 + d1) mod 3)");
  EXPECT_EQ(index_map(program[8]), "none");
  EXPECT_EQ(index_map(program[9]), "(d0, d1) -> (d1)");
  EXPECT_EQ(index_map(program[10]), "(d0) -> ()");
  const auto keeps = [&](size_t i) { return llvm::cast<DataMovementOpInterface>(program[i]).keepsBytes(); };
  EXPECT_FALSE(keeps(0));
  EXPECT_FALSE(keeps(1));
  EXPECT_TRUE(keeps(5));
  EXPECT_TRUE(keeps(6));
}

TEST(Interfaces, ReductionTellsItsCombiner) {
  const Program program("%x: tensor<2x3xf32>, %s: tensor<f32>", R"(
    %0 = stablehlo.reduce(%x init: %s) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %1 = stablehlo.reduce(%x init: %s) across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
     reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %2 = stablehlo.add %a, %b : tensor<f32>
      %3 = stablehlo.negate %2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    })");
  auto simple = llvm::cast<ReductionOpInterface>(program[0]);
  EXPECT_EQ(simple.combinerOp(), ScalarOp::kMaximum);
  EXPECT_EQ(simple.reducedDimensions().vec(), std::vector<int64_t>{1});
  EXPECT_EQ(simple.reductionInputs().size(), 1u);
  EXPECT_EQ(llvm::cast<ReductionOpInterface>(program[1]).combinerOp(), std::nullopt);
}

TEST(Interfaces, EffectsSayWhatMayGo) {
  const Program program("%x: tensor<2xf32>, %n: tensor<1xi64>, %s: tensor<f32>", R"(
    %0 = stablehlo.add %x, %x : tensor<2xf32>
    %1 = stablehlo.custom_call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %2 = stablehlo.custom_call @f(%x) {has_side_effect = true} : (tensor<2xf32>) -> tensor<2xf32>
    %3 = stablehlo.rng %s, %s, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
    %4 = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>)");
  EXPECT_TRUE(mlir::isMemoryEffectFree(program[0]));
  EXPECT_TRUE(mlir::isMemoryEffectFree(program[1]));
  EXPECT_FALSE(mlir::isMemoryEffectFree(program[2]));
  EXPECT_FALSE(mlir::isMemoryEffectFree(program[3]));
  EXPECT_TRUE(mlir::isMemoryEffectFree(program[4]));
  EXPECT_TRUE(program[0]->hasTrait<mlir::OpTrait::IsCommutative>());
}

TEST(Types, CorrespondToDtypes) {
  const auto context = make_context();
  for (int code = 0; code < DType::kCount; ++code) {
    const DType dtype{code};
    const mlir::Type type = element_type(dtype, context.get());
    if (!type) {
      EXPECT_TRUE(dtype.is_prng_key() || dtype.kind() == DTypeKind::float0) << dtype.str();
      continue;
    }
    EXPECT_EQ(dtype_of(type), dtype);
    EXPECT_EQ(storage_bits(type), dtype.itemsize() * 8) << dtype.str();
  }
  const Aval aval{Shape{2, 3}, DType(DType::kUInt8)};
  EXPECT_EQ(str(tensor_type(aval, context.get())), "tensor<2x3xui8>");
  EXPECT_EQ(aval_of(tensor_type(aval, context.get())), aval);
}

}  // namespace
}  // namespace tenon
