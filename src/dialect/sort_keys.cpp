#include "dialect/sort_keys.h"

#include <optional>

#include "dialect/stablehlo.h"
#include "dialect/types.h"
#include "mlir/IR/Matchers.h"

namespace tenon {

namespace {

/// A value of a comparator: which argument, which part of it, and how it was prepared.
struct KeyPart {
  unsigned argument = 0;
  int part = -1;  // 0: real, 1: imaginary
  bool canonical = false;
};

bool is_constant(mlir::Value value, bool (*accepts)(const llvm::APFloat&)) {
  llvm::APFloat number(0.0);
  return mlir::matchPattern(value, mlir::m_ConstantFloat(&number)) && accepts(number);
}

bool compares(mlir::Value value, stablehlo::ComparisonDirection direction, mlir::Value& x, mlir::Value& y) {
  auto compare = value.getDefiningOp<stablehlo::CompareOp>();
  if (!compare || compare.getComparisonDirection() != direction) return false;
  x = compare.getLhs();
  y = compare.getRhs();
  return true;
}

std::optional<KeyPart> key_part(mlir::Value value) {
  using Direction = stablehlo::ComparisonDirection;
  KeyPart part;
  // select(x != x, NaN, select(x == 0, 0, x))
  if (auto outer = value.getDefiningOp<stablehlo::SelectOp>()) {
    auto inner = outer.getOnFalse().getDefiningOp<stablehlo::SelectOp>();
    mlir::Value a, b, c, d;
    if (!inner || !compares(outer.getPred(), Direction::NE, a, b) || !compares(inner.getPred(), Direction::EQ, c, d))
      return std::nullopt;
    value = inner.getOnFalse();
    if (a != value || b != value || c != value || !is_constant(d, [](const llvm::APFloat& n) { return n.isZero(); }) ||
        !is_constant(inner.getOnTrue(), [](const llvm::APFloat& n) { return n.isPosZero(); }) ||
        !is_constant(outer.getOnTrue(), [](const llvm::APFloat& n) { return n.isNaN() && !n.isNegative(); }))
      return std::nullopt;
    part.canonical = true;
  }
  if (auto real = value.getDefiningOp<stablehlo::RealOp>()) {
    part.part = 0;
    value = real.getOperand();
  } else if (auto imag = value.getDefiningOp<stablehlo::ImagOp>()) {
    part.part = 1;
    value = imag.getOperand();
  }
  const auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  if (!argument) return std::nullopt;
  part.argument = argument.getArgNumber();
  return part;
}

std::optional<SortKey> key_of(stablehlo::CompareOp compare) {
  using Direction = stablehlo::ComparisonDirection;
  const auto x = key_part(compare.getLhs()), y = key_part(compare.getRhs());
  if (!x || !y || x->part != y->part || x->canonical != y->canonical) return std::nullopt;
  const Direction direction = compare.getComparisonDirection();
  const bool forward = x->argument % 2 == 0 && y->argument == x->argument + 1;
  const bool backward = y->argument % 2 == 0 && x->argument == y->argument + 1;
  if (!forward && !backward) return std::nullopt;
  SortKey key;
  key.operand = static_cast<int>(x->argument / 2);
  key.type = aval_of(compare.getLhs().getType()).dtype;
  if (x->part == 1) key.offset_bytes = key.type.itemsize();
  if (key.type.is_complex()) return std::nullopt;
  if (key.type.is_floating()) {
    if (compare.getCompareType() != stablehlo::ComparisonType::TOTALORDER) return std::nullopt;
    key.order = x->canonical ? SortKey::canonical : SortKey::total;
  }
  if (direction == Direction::EQ) return key;
  if (direction != Direction::LT && direction != Direction::GT) return std::nullopt;
  key.descending = (direction == Direction::GT) == forward;
  return key;
}

}  // namespace

std::vector<SortKey> sort_keys(mlir::Region& comparator) {
  std::vector<SortKey> keys;
  mlir::Value value = comparator.front().getTerminator()->getOperand(0);
  while (true) {
    auto either = value.getDefiningOp<stablehlo::OrOp>();
    auto less = (either ? either.getLhs() : value).getDefiningOp<stablehlo::CompareOp>();
    if (!less || less.getComparisonDirection() == stablehlo::ComparisonDirection::EQ) return {};
    const auto key = key_of(less);
    if (!key) return {};
    keys.push_back(*key);
    if (!either) return keys;
    auto both = either.getRhs().getDefiningOp<stablehlo::AndOp>();
    auto equal = both ? both.getLhs().getDefiningOp<stablehlo::CompareOp>() : stablehlo::CompareOp();
    if (!equal || equal.getComparisonDirection() != stablehlo::ComparisonDirection::EQ) return {};
    const auto same = key_of(equal);
    if (!same || same->operand != key->operand || same->offset_bytes != key->offset_bytes || same->order != key->order) return {};
    value = both.getRhs();
  }
}

}  // namespace tenon
