// while (i < bound) { ...; i = i + step } with known start, bound and step in; its body that many times out.
// Only short loops of small bodies (the rounds of a random generator): their code fuses with what uses it.
#include <optional>

#include "dialect/stablehlo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/blocks.h"
#include "passes/pass.h"
#include "passes/splat.h"

namespace tenon::passes {
namespace {

constexpr int64_t kMaxTrips = 16;
constexpr int64_t kMaxUnrolled = 512;  // of the straight code

std::optional<int64_t> known(mlir::Value value) {
  std::optional<llvm::APInt> integer = integer_splat(value);
  return integer && integer->getBitWidth() <= 64 ? std::optional(integer->getSExtValue()) : std::nullopt;
}

/// Of the condition `variable < value`: which of the loop's variables, how many bits it has.
struct Bound {
  unsigned variable;
  int64_t value;
  unsigned bits;
};
std::optional<Bound> bound_of(mlir::Block& condition) {
  auto compare = condition.getTerminator()->getOperand(0).getDefiningOp<stablehlo::CompareOp>();
  if (!compare || compare.getComparisonDirection() != stablehlo::ComparisonDirection::LT) return std::nullopt;
  auto counter = mlir::dyn_cast<mlir::BlockArgument>(compare.getLhs());
  std::optional<int64_t> value = known(compare.getRhs());
  mlir::Type element = tensor_type(compare.getLhs()).getElementType();
  if (!counter || counter.getOwner() != &condition || !value || !element.isSignlessInteger()) return std::nullopt;
  return Bound{counter.getArgNumber(), *value, element.getIntOrFloatBitWidth()};
}

/// How often the body runs, when that is known.
std::optional<int64_t> trips_of(stablehlo::WhileOp loop) {
  std::optional<Bound> bound = bound_of(loop.getCond().front());
  if (!bound) return std::nullopt;
  mlir::Block& body = loop.getBody().front();
  auto add = body.getTerminator()->getOperand(bound->variable).getDefiningOp<stablehlo::AddOp>();
  if (!add || add.getLhs() != body.getArgument(bound->variable)) return std::nullopt;
  std::optional<int64_t> start = known(loop->getOperand(bound->variable)), step = known(add.getRhs());
  if (!start || !step || *step <= 0) return std::nullopt;
  if (*start >= bound->value) return 0;
  const __int128 trips = (static_cast<__int128>(bound->value) - *start - 1) / *step + 1;
  const __int128 end = *start + trips * *step, largest = (static_cast<__int128>(1) << (bound->bits - 1)) - 1;
  // A counter that wraps counts on.
  return trips <= kMaxTrips && end <= largest ? std::optional(static_cast<int64_t>(trips)) : std::nullopt;
}

bool is_small(stablehlo::WhileOp loop, int64_t trips) {
  int64_t operations = 0;
  loop.getBody().walk([&](mlir::Operation*) { ++operations; });
  return operations * trips <= kMaxUnrolled;
}

void unroll(stablehlo::WhileOp loop, int64_t trips) {
  mlir::OpBuilder builder(loop);
  mlir::Block& body = loop.getBody().front();
  llvm::SmallVector<mlir::Value> values(loop->getOperands());
  for (int64_t trip = 0; trip < trips; ++trip) {
    mlir::IRMapping mapping;
    mapping.map(body.getArguments(), values);
    for (mlir::Operation& op : body.without_terminator()) builder.clone(op, mapping);
    llvm::SmallVector<mlir::Value> next;
    for (mlir::Value value : body.getTerminator()->getOperands()) next.push_back(mapping.lookupOrDefault(value));
    values = std::move(next);
  }
  loop->replaceAllUsesWith(values);
  loop->erase();
}

}  // namespace

void unroll_loops(mlir::ModuleOp module, PassContext& context) {
  for_each_block(module, [&](mlir::Block& block) {
    for (mlir::Operation& op : llvm::make_early_inc_range(block)) {
      auto loop = mlir::dyn_cast<stablehlo::WhileOp>(&op);
      if (!loop || !context.may_apply()) continue;
      std::optional<int64_t> trips = trips_of(loop);
      if (!trips || !is_small(loop, *trips)) continue;
      unroll(loop, *trips);
      context.applied();
    }
  });
}

}  // namespace tenon::passes
