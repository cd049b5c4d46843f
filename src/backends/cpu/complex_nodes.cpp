#include "backends/cpu/complex_nodes.h"

#include "base/fail.h"
#include "math/complex.h"

namespace tenon::cpu {

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

}  // namespace tenon::cpu
