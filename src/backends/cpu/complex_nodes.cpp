#include "backends/cpu/complex_nodes.h"

#include "backends/cpu/scalar_table.h"
#include "base/fail.h"
#include "math/complex.h"

namespace tenon::cpu {

DType part_type(DType dtype) {
  if (!dtype.is_complex()) return dtype;
  return DType(dtype.bits() == 64 ? DType::kFloat32 : DType::kFloat64);
}

static int add_node(Graph& graph, Node n) {
  graph.nodes.push_back(std::move(n));
  return static_cast<int>(graph.nodes.size()) - 1;
}

static Node make_node(NodeKind kind, DType dtype, const Dims& shape, std::vector<int> operands) {
  Node n;
  n.kind = kind;
  n.dtype = dtype;
  n.shape = shape;
  n.operands = std::move(operands);
  return n;
}

int add_scalar_node(Graph& graph, ScalarOp op, std::vector<int> operands, DType dtype,
                    const Dims& shape, const ScalarFacts& facts) {
  Node n = make_node(NodeKind::elementwise, dtype, shape, std::move(operands));
  n.scalar = scalar_code(op);
  n.facts = facts;
  if (!n.scalar)
    fail<UnimplementedError>("cpu", "no code for ", name_of(op), " on ", dtype.str(),
                             "; add a row to src/backends/cpu/scalar_table.cpp");
  return add_node(graph, std::move(n));
}

/// The same integer (or, of a float, zero) everywhere.
static int add_constant(Graph& graph, uint64_t value, DType dtype, const Dims& shape) {
  Node n = make_node(NodeKind::constant, dtype, shape, {});
  for (int k = 0; k < dtype.itemsize(); ++k) n.data.push_back(static_cast<std::byte>(value >> 8 * k));
  n.strides = dense_strides(shape);
  return add_node(graph, std::move(n));
}

namespace {

/// Nodes of one shape.
class Builder {
 public:
  Builder(Graph& graph, DType part, const Dims& shape) : graph_(graph), part_(part), shape_(shape) {}

  int operator()(ScalarOp op, std::vector<int> operands) {
    return add_scalar_node(graph_, op, std::move(operands), part_, shape_);
  }
  int compare(int x, int y, Comparison how) {
    return add_scalar_node(graph_, ScalarOp::kCompare, {x, y}, boolean(), shape_, {.comparison = how});
  }
  int logical(ScalarOp op, int x, int y) {
    return add_scalar_node(graph_, op, {x, y}, boolean(), shape_);
  }
  int choose(int mask, int x, int y) {
    return add_scalar_node(graph_, ScalarOp::kSelect, {mask, x, y}, part_, shape_);
  }
  Parts choose(int mask, Parts x, Parts y) {
    const int re = choose(mask, x.re, y.re);
    return {re, choose(mask, x.im, y.im)};
  }
  int choose_bool(int mask, int x, int y) {
    return add_scalar_node(graph_, ScalarOp::kSelect, {mask, x, y}, boolean(), shape_);
  }
  int zero() { return add_constant(graph_, 0, part_, shape_); }

  Parts multiply(Parts x, Parts y) {  // as HLO: no rescue of infinities
    using enum ScalarOp;
    const int re = (*this)(kSubtract, {(*this)(kMultiply, {x.re, y.re}), (*this)(kMultiply, {x.im, y.im})});
    return {re, (*this)(kAdd, {(*this)(kMultiply, {x.re, y.im}), (*this)(kMultiply, {x.im, y.re})})};
  }
  // ((re - im) (re + im), 2 (re im)); the real part is re - re where |re| = |im|, for the sum may overflow
  Parts square(Parts x) {
    using enum ScalarOp;
    const int diagonal = compare((*this)(kAbs, {x.re}), (*this)(kAbs, {x.im}), kEq);
    const int product = (*this)(kMultiply, {(*this)(kSubtract, {x.re, x.im}), (*this)(kAdd, {x.re, x.im})});
    const int half = (*this)(kMultiply, {x.re, x.im});
    return {choose(diagonal, (*this)(kSubtract, {x.re, x.re}), product), (*this)(kAdd, {half, half})};
  }
  /// x < y by the real, then by the imaginary parts.
  int is_less(Parts x, Parts y) {
    return choose_bool(compare(x.re, y.re, kEq), compare(x.im, y.im, kLt), compare(x.re, y.re, kLt));
  }
  // NaN wins, of two the first.
  Parts maximum(Parts x, Parts y) { return choose(is_nan(x), x, choose(is_nan(y), y, choose(is_less(x, y), y, x))); }
  Parts minimum(Parts x, Parts y) { return choose(is_nan(x), x, choose(is_nan(y), y, choose(is_less(y, x), y, x))); }
  int is_nan(Parts x) { return logical(ScalarOp::kOr, compare(x.re, x.re, kNe), compare(x.im, x.im, kNe)); }

  Parts call(const math::ComplexFunction* function, llvm::ArrayRef<Parts> operands) {
    Node n = make_node(NodeKind::call, part_, shape_, {});
    for (Parts x : operands) n.operands.insert(n.operands.end(), {x.re, x.im});
    n.function = function;
    const int re = add_node(graph_, std::move(n));
    Node second = make_node(NodeKind::result, part_, shape_, {re});
    second.number = 1;
    return {re, add_node(graph_, std::move(second))};
  }

 private:
  static DType boolean() { return DType(DType::kBool); }
  Graph& graph_;
  const DType part_;
  const Dims& shape_;
};

}  // namespace

Parts add_complex_nodes(Graph& graph, ScalarOp op, llvm::ArrayRef<Parts> x, DType result,
                        const Dims& shape, const ScalarFacts& facts) {
  const DType part = graph.nodes[x.back().re].dtype;
  Builder b(graph, part_type(result), shape);
  switch (op) {
    case ScalarOp::kAdd:
    case ScalarOp::kSubtract:
    case ScalarOp::kNegate: {
      std::vector<int> re, im;
      for (Parts operand : x) re.push_back(operand.re), im.push_back(operand.im);
      const int first = b(op, re);
      return {first, b(op, im)};
    }
    case ScalarOp::kMultiply: return b.multiply(x[0], x[1]);
    case ScalarOp::kSquare: return b.square(x[0]);
    case ScalarOp::kMaximum: return b.maximum(x[0], x[1]);
    case ScalarOp::kMinimum: return b.minimum(x[0], x[1]);
    case ScalarOp::kClamp: return b.minimum(b.maximum(x[0], x[1]), x[2]);
    case ScalarOp::kSelect: return b.choose(x[0].re, x[1], x[2]);
    case ScalarOp::kBitcastConvert: return x[0];
    case ScalarOp::kReal: return {x[0].re};
    case ScalarOp::kImag: return {x[0].im};
    case ScalarOp::kConj: return {x[0].re, b(ScalarOp::kNegate, {x[0].im})};
    case ScalarOp::kComplex: return {x[0].re, x[1].re};
    case ScalarOp::kCompare: {
      const Comparison how = static_cast<Comparison>(facts.comparison);
      if (how != kEq && how != kNe) break;
      const int re = b.compare(x[0].re, x[1].re, how), im = b.compare(x[0].im, x[1].im, how);
      return {b.logical(how == kEq ? ScalarOp::kAnd : ScalarOp::kOr, re, im)};
    }
    case ScalarOp::kConvert: {
      const int re = b(ScalarOp::kConvert, {x[0].re});
      if (!result.is_complex()) return {re};
      return {re, x[0].is_complex() ? b(ScalarOp::kConvert, {x[0].im}) : b.zero()};
    }
    default:
      if (const auto* function = math::find_complex_function(name_of(op))) {
        const Parts parts = Builder(graph, part, shape).call(function, x);
        return result.is_complex() ? parts : Parts{parts.re};
      }
      break;
  }
  fail<UnimplementedError>("cpu", "no code for ", name_of(op), " of complex numbers; see ",
                           "src/backends/cpu/complex_nodes.cpp");
}

static DType unsigned_type(int bits) {
  return DType(bits == 8 ? DType::kUInt8 : bits == 16 ? DType::kUInt16 : bits == 32 ? DType::kUInt32 : DType::kUInt64);
}

int add_bitcast_nodes(Graph& graph, int operand, DType result, const Dims& shape) {
  const DType from = graph.nodes[operand].dtype;
  const Dims from_shape = graph.nodes[operand].shape;
  const DType word = unsigned_type(from.bits()), target = unsigned_type(result.bits());
  const int bits = add_scalar_node(graph, ScalarOp::kBitcastConvert, {operand}, word, from_shape);
  const auto map_of = [](size_t rank) {
    IndexMap map;
    for (size_t d = 0; d < rank; ++d) map.push_back({{IndexStep::dimension, static_cast<int64_t>(d)}});
    return map;
  };
  int all = -1;
  if (from.bits() > result.bits()) {  // part k of a word: its bits from k * width on
    Node whole = make_node(NodeKind::index_map, word, shape, {bits});
    whole.map = map_of(from_shape.size());
    const int words = add_node(graph, std::move(whole));
    Node numbers = make_node(NodeKind::iota, word, shape, {});
    numbers.axis = static_cast<int64_t>(from_shape.size());
    const int k = add_node(graph, std::move(numbers));
    const int width = add_constant(graph, static_cast<uint64_t>(result.bits()), word, shape);
    const int shift = add_scalar_node(graph, ScalarOp::kMultiply, {k, width}, word, shape);
    const int low = add_scalar_node(graph, ScalarOp::kShiftRightLogical, {words, shift}, word, shape);
    all = add_scalar_node(graph, ScalarOp::kConvert, {low}, target, shape);
  } else {
    for (int64_t k = 0; k < from_shape.back(); ++k) {
      Node one = make_node(NodeKind::index_map, word, shape, {bits});
      one.map = map_of(shape.size());
      one.map.push_back({{IndexStep::constant, k}});
      const int piece = add_node(graph, std::move(one));
      const int wide = add_scalar_node(graph, ScalarOp::kConvert, {piece}, target, shape);
      const int shift = add_constant(graph, static_cast<uint64_t>(k * from.bits()), target, shape);
      const int placed = add_scalar_node(graph, ScalarOp::kShiftLeft, {wide, shift}, target, shape);
      all = k == 0 ? placed : add_scalar_node(graph, ScalarOp::kOr, {all, placed}, target, shape);
    }
  }
  return add_scalar_node(graph, ScalarOp::kBitcastConvert, {all}, result, shape);
}

}  // namespace tenon::cpu
