#include "passes/wanted_columns.h"

#include <algorithm>
#include <vector>

#include "dialect/stablehlo.h"
#include "passes/fusion_rules.h"
#include "passes/splat.h"

namespace tenon::passes {
namespace {

using mlir::Operation;
using mlir::Value;
using Direction = stablehlo::ComparisonDirection;

// Numbers of rows and columns, and what is added to them, stay far from overflow.
constexpr int64_t kMaxNumber = int64_t{1} << 30;

enum class Role { other, row, column };
/// What each axis of a value numbers.
using Roles = std::vector<Role>;

/// row * r + column * c + constant.
struct Number {
  int64_t row = 0, column = 0, constant = 0;
};

/// The roles of the operand's axes, where an operation moves elements and its result's are known.
std::optional<Roles> roles_of_operand(Operation* op, const Roles& roles) {
  auto movement = mlir::dyn_cast<DataMovementOpInterface>(op);
  std::optional<mlir::AffineMap> map = movement ? movement.indexMap(0) : std::nullopt;
  if (!map) return std::nullopt;
  Roles operand;
  for (auto [axis, expr] : llvm::enumerate(map->getResults())) {
    auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(expr);
    if (!dim && shape_of(op->getOperand(0))[axis] != 1) return std::nullopt;
    operand.push_back(dim ? roles[dim.getPosition()] : Role::other);
  }
  return operand;
}

std::optional<Number> number_of(Value value, const Roles& roles) {
  auto type = mlir::dyn_cast<mlir::IntegerType>(tensor_type(value).getElementType());
  if (!type || type.getWidth() < 32) return std::nullopt;
  if (std::optional<llvm::APInt> splat = integer_splat(value)) {
    const bool is_small = type.isUnsigned() ? splat->getActiveBits() <= 32 : splat->getSignificantBits() <= 32;
    const int64_t number = !is_small ? kMaxNumber : type.isUnsigned() ? static_cast<int64_t>(splat->getZExtValue()) : splat->getSExtValue();
    return std::abs(number) < kMaxNumber ? std::optional<Number>(Number{0, 0, number}) : std::nullopt;
  }
  Operation* op = value.getDefiningOp();
  if (!op) return std::nullopt;
  if (auto iota = mlir::dyn_cast<stablehlo::IotaOp>(op)) {
    const Role role = roles[iota.getIotaDimension()];
    if (role == Role::other || shape_of(value)[iota.getIotaDimension()] >= kMaxNumber) return std::nullopt;
    return Number{role == Role::row, role == Role::column, 0};
  }
  if (mlir::isa<stablehlo::ConvertOp>(op)) {
    const std::optional<Number> number = number_of(op->getOperand(0), roles);
    const bool may_wrap = number && type.isUnsigned() && (number->row < 0 || number->column < 0 || number->constant < 0);
    return may_wrap ? std::nullopt : number;
  }
  if (mlir::isa<stablehlo::AddOp, stablehlo::SubtractOp>(op) && !type.isUnsigned()) {
    const std::optional<Number> a = number_of(op->getOperand(0), roles), b = number_of(op->getOperand(1), roles);
    const int64_t sign = mlir::isa<stablehlo::AddOp>(op) ? 1 : -1;
    if (!a || !b) return std::nullopt;
    const Number sum{a->row + sign * b->row, a->column + sign * b->column, a->constant + sign * b->constant};
    return std::abs(sum.constant) < kMaxNumber ? std::optional(sum) : std::nullopt;
  }
  const std::optional<Roles> moved = roles_of_operand(op, roles);
  return moved ? number_of(op->getOperand(0), *moved) : std::nullopt;
}

/// d >= 0 only where c <= r + the number given.
std::optional<int64_t> columns_where_not_negative(const Number& d) {
  if (d.row == 1 && d.column == -1) return d.constant;
  return std::nullopt;
}

std::optional<int64_t> columns_where(Direction direction, const Number& x, const Number& y) {
  const Number d{x.row - y.row, x.column - y.column, x.constant - y.constant};
  const Number less{d.row, d.column, d.constant - 1}, opposite{-d.row, -d.column, -d.constant}, opposite_less{-d.row, -d.column, -d.constant - 1};
  switch (direction) {
    case Direction::GE: return columns_where_not_negative(d);
    case Direction::GT: return columns_where_not_negative(less);
    case Direction::LE: return columns_where_not_negative(opposite);
    case Direction::LT: return columns_where_not_negative(opposite_less);
    case Direction::EQ: {
      const auto either = columns_where_not_negative(d);
      return either ? either : columns_where_not_negative(opposite);
    }
    default: return std::nullopt;
  }
}

Direction opposite_of(Direction direction) {
  switch (direction) {
    case Direction::GE: return Direction::LT;
    case Direction::LT: return Direction::GE;
    case Direction::GT: return Direction::LE;
    case Direction::LE: return Direction::GT;
    case Direction::EQ: return Direction::NE;
    default: return Direction::EQ;
  }
}

/// The predicate is `wanted` only where c <= r + the number given.
std::optional<int64_t> columns_where(Value predicate, bool wanted, const Roles& roles) {
  Operation* op = predicate.getDefiningOp();
  if (!op) return std::nullopt;
  if (auto compare = mlir::dyn_cast<stablehlo::CompareOp>(op)) {
    const std::optional<Number> x = number_of(compare.getLhs(), roles), y = number_of(compare.getRhs(), roles);
    const Direction direction = compare.getComparisonDirection();
    return x && y ? columns_where(wanted ? direction : opposite_of(direction), *x, *y) : std::nullopt;
  }
  if (mlir::isa<stablehlo::NotOp>(op)) return columns_where(op->getOperand(0), !wanted, roles);
  // Both hold where an `and` is true; neither where an `or` is false.
  if (wanted ? mlir::isa<stablehlo::AndOp>(op) : mlir::isa<stablehlo::OrOp>(op)) {
    const auto a = columns_where(op->getOperand(0), wanted, roles), b = columns_where(op->getOperand(1), wanted, roles);
    return a && b ? std::min(*a, *b) : a ? a : b;
  }
  const std::optional<Roles> moved = roles_of_operand(op, roles);
  return moved ? columns_where(op->getOperand(0), wanted, *moved) : std::nullopt;
}

}  // namespace

std::optional<int64_t> last_wanted_column(ir::FusionOp fusion, unsigned operand) {
  Value matrix = fusion.getBody().front().getArgument(operand);
  const size_t rank = shape_of(matrix).size();
  if (rank < 2) return std::nullopt;
  Roles roles(rank, Role::other);
  roles[rank - 2] = Role::row;
  roles[rank - 1] = Role::column;
  std::optional<int64_t> last;
  std::vector<Value> work{matrix};  // an element of these is made of the matrix's element at the same place
  while (!work.empty()) {
    Value value = work.back();
    work.pop_back();
    for (mlir::OpOperand& use : value.getUses()) {
      Operation* user = use.getOwner();
      if (auto select = mlir::dyn_cast<stablehlo::SelectOp>(user); select && use.getOperandNumber() > 0 && shape_of(select.getPred()).size() == rank) {
        if (const auto columns = columns_where(select.getPred(), use.getOperandNumber() == 1, roles)) {
          last = last ? std::max(*last, *columns) : *columns;
          continue;
        }
      }
      if (!is_elementwise(user) || shape_of(user->getResult(0)) != shape_of(value)) return std::nullopt;
      work.push_back(user->getResult(0));
    }
  }
  return last;
}

}  // namespace tenon::passes
