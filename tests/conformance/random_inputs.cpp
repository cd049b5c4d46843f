#include "conformance/random_inputs.h"

#include <cmath>
#include <cstring>
#include <random>

#include "core/nodes.h"
#include "dialect/check.h"
#include "dialect/module_impl.h"
#include "dialect/stablehlo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/host.h"

namespace tenon::conformance {
namespace {

using mlir::Operation;
using mlir::func::CallOp;
using mlir::func::FuncOp;

bool is_check(Operation* op) {
  if (auto call = mlir::dyn_cast<stablehlo::CustomCallOp>(op)) return call.getCallTargetName().starts_with("check.");
  return mlir::isa_and_present<check::CheckDialect>(op->getDialect());
}

bool is_array(mlir::Type type) {
  const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getRank() > 0;
}

/// What stands for inputs: constants, and calls of functions of constants. Expected values are not read any more.
bool is_input(Operation& op) {
  if (op.getNumResults() == 0 || !llvm::all_of(op.getResultTypes(), is_array)) return false;
  if (auto constant = mlir::dyn_cast<stablehlo::ConstantOp>(op)) return !mlir::cast<mlir::ElementsAttr>(constant.getValue()).isSplat();
  return mlir::isa<CallOp>(op) && op.getNumOperands() == 0;
}

}  // namespace

Module opened(const Module& module, const std::string& function) {
  Module result = module.with_entry(function);
  FuncOp main = module_op(result).lookupSymbol<FuncOp>("main");
  mlir::Block& body = main.getBody().front();
  llvm::SmallVector<mlir::Value> results(body.getTerminator()->getOperands());
  for (Operation& op : llvm::make_early_inc_range(body)) {
    if (!is_check(&op) || op.getNumResults() > 0) continue;
    if (!llvm::is_contained(results, op.getOperand(0))) results.push_back(op.getOperand(0));
    op.erase();
  }
  for (Operation& op : llvm::make_early_inc_range(body)) {
    if (!is_input(op)) continue;
    for (mlir::Value value : op.getResults())
      if (!value.use_empty() || llvm::is_contained(results, value)) {
        mlir::Value argument = body.addArgument(value.getType(), op.getLoc());
        value.replaceAllUsesWith(argument);
        llvm::replace(results, value, argument);
      }
    op.erase();
  }
  body.getTerminator()->setOperands(results);
  main.removeArgAttrsAttr();
  main.removeResAttrsAttr();
  main.setFunctionType(mlir::FunctionType::get(main.getContext(), body.getArgumentTypes(), mlir::ValueRange(results).getTypes()));
  return result;
}

// ---- numbers

namespace {

enum class Style { moderate, special, small_integers };

double draw_number(std::mt19937& engine, Style style) {
  static constexpr double kSpecial[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e-40, -1e-310, 3e38, 1e300, 1.0, -1.0, 65504, 1e-7};
  if (style == Style::small_integers) return static_cast<double>(static_cast<int>(engine() % 7) - 3);
  if (style == Style::special && engine() % 3 == 0) return kSpecial[engine() % std::size(kSpecial)];
  return std::uniform_real_distribution<double>(-3, 3)(engine);
}

/// The low bytes are those of an integer of any width.
std::uint64_t draw_integer(std::mt19937& engine, Style style) {
  if (style == Style::special && engine() % 2 == 0) {
    const std::uint64_t all = std::uint64_t{engine()} << 32 | engine();
    static constexpr std::uint64_t kSpecial[] = {0, ~std::uint64_t{0}, 0x8080808080808080, 0x7f7f7f7f7f7f7f7f, std::uint64_t{1} << 63, std::uint64_t{1} << 31};
    return engine() % 2 == 0 ? all : kSpecial[engine() % std::size(kSpecial)];
  }
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(engine() % 11) - (style == Style::moderate ? 2 : 5));
}

}  // namespace

Arrays random_inputs(const Avals& avals, unsigned seed) {
  std::mt19937 engine(seed);
  const auto style = static_cast<Style>(seed % 3);
  Arrays inputs;
  for (const Aval& aval : avals) {
    const DType dtype = aval.dtype;
    const auto count = static_cast<std::size_t>(aval.shape.num_elements());
    if (dtype.is_inexact()) {
      std::vector<double> parts(2 * count);
      for (double& part : parts) part = draw_number(engine, style);
      if (!dtype.is_complex())
        for (std::size_t i = 0; i < count; ++i) parts[2 * i + 1] = 0;
      std::vector<std::byte> bytes(static_cast<std::size_t>(aval.nbytes()));
      detail::convert_elements(parts.data(), DType(DType::kComplex128), bytes.data(), dtype, static_cast<std::int64_t>(count));
      inputs.push_back(device_put(HostView(bytes.data(), aval)));
    } else {
      const auto size = static_cast<std::size_t>(dtype.itemsize());
      std::vector<std::byte> bytes(count * size);
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t value = dtype.is_bool() ? engine() & 1 : draw_integer(engine, style);
        std::memcpy(bytes.data() + i * size, &value, size);
      }
      inputs.push_back(device_put(HostView(bytes.data(), aval)));
    }
  }
  return inputs;
}

}  // namespace tenon::conformance
