// How a reduction combines two accumulators, the lanes of one, and the lanes of many.
#include <algorithm>

#include "backends/cpu/ir_number.h"
#include "backends/cpu/reduction.h"
#include "backends/cpu/scalar_table.h"

namespace tenon::cpu {

Reduction::Tuple Reduction::combine(const Tuple& a, const Tuple& b) {
  static constexpr ScalarOp kOps[] = {ScalarOp::kAdd,     ScalarOp::kMultiply, ScalarOp::kMaximum,
                                      ScalarOp::kMinimum, ScalarOp::kAnd,      ScalarOp::kOr};
  if (combiner_ == Combiner::general) return combine_by_body(a, b);
  if (combiner_ == Combiner::arg_maximum || combiner_ == Combiner::arg_minimum)
    return combine_arguments(a, b);
  const ScalarCode* code = scalar_code(kOps[static_cast<int>(combiner_)]);
  llvm::Value* x[] = {a[0], b[0]};
  return {code->emit({b_, x, node_.dtype, node_.dtype})};
}

Reduction::Tuple Reduction::accumulate(const Tuple& accumulator, const Tuple& x) {
  if (!counts_up_) return combine(accumulator, x);
  // The first of equals, and the first NaN, is there already.
  const DType dtype = e_.demands.graph().nodes[node_.operands[0]].dtype;
  const bool is_maximum = combiner_ == Combiner::arg_maximum;
  using P = llvm::CmpInst::Predicate;
  llvm::Value* takes_x = nullptr;
  if (dtype.is_floating()) {
    takes_x = b_.CreateAnd(
        b_.CreateFCmp(is_maximum ? P::FCMP_UGT : P::FCMP_ULT, x[0], accumulator[0]),
        b_.CreateFCmpORD(accumulator[0], accumulator[0]));
  } else if (dtype.is_signed()) {
    takes_x = b_.CreateICmp(is_maximum ? P::ICMP_SGT : P::ICMP_SLT, x[0], accumulator[0]);
  } else {
    takes_x = b_.CreateICmp(is_maximum ? P::ICMP_UGT : P::ICMP_ULT, x[0], accumulator[0]);
  }
  return {b_.CreateSelect(takes_x, x[0], accumulator[0]),
          b_.CreateSelect(takes_x, x[1], accumulator[1])};
}

// The better value; of equals, or of two NaNs, the lower index. A NaN is better than any number.
Reduction::Tuple Reduction::combine_arguments(const Tuple& a, const Tuple& b) {
  const DType dtype = e_.demands.graph().nodes[node_.operands[0]].dtype;
  const bool is_signed = dtype.is_signed(), is_maximum = combiner_ == Combiner::arg_maximum;
  using P = llvm::CmpInst::Predicate;
  const bool is_index_signed = e_.demands.graph().nodes[node_.operands[1]].dtype.is_signed();
  llvm::Value* lower = b_.CreateICmp(is_index_signed ? P::ICMP_SLT : P::ICMP_ULT, a[1], b[1]);
  llvm::Value *better, *tie;
  if (dtype.is_floating()) {
    better = b_.CreateFCmp(is_maximum ? P::FCMP_OGT : P::FCMP_OLT, a[0], b[0]);
    llvm::Value* a_nan = b_.CreateFCmpUNO(a[0], a[0]);
    llvm::Value* b_nan = b_.CreateFCmpUNO(b[0], b[0]);
    better = b_.CreateOr(better, b_.CreateAnd(a_nan, b_.CreateNot(b_nan)));
    tie = b_.CreateOr(b_.CreateFCmpOEQ(a[0], b[0]), b_.CreateAnd(a_nan, b_nan));
  } else {
    better = b_.CreateICmp(is_maximum ? (is_signed ? P::ICMP_SGT : P::ICMP_UGT)
                                      : (is_signed ? P::ICMP_SLT : P::ICMP_ULT),
                           a[0], b[0]);
    tie = b_.CreateICmpEQ(a[0], b[0]);
  }
  llvm::Value* take_a = b_.CreateOr(better, b_.CreateAnd(tie, lower));
  return {b_.CreateSelect(take_a, a[0], b[0]), b_.CreateSelect(take_a, a[1], b[1])};
}

Reduction::Tuple Reduction::combine_by_body(const Tuple& a, const Tuple& b) {
  const Graph& body = *node_.body;
  std::vector<llvm::Value*> values;
  const bool as_vector = a[0]->getType()->isVectorTy();
  for (const Node& n : body.nodes) {
    llvm::Value* value = nullptr;
    if (n.kind == NodeKind::parameter) {
      value = n.number < inputs_ ? a[n.number] : b[n.number - inputs_];
    } else if (n.kind == NodeKind::constant) {
      value = e_.constant(n);
      if (as_vector)
        value = llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(e_.lanes),
                                               llvm::cast<llvm::Constant>(value));
    } else if (n.kind == NodeKind::elementwise) {
      llvm::SmallVector<llvm::Value*, 4> x;
      for (int operand : n.operands) x.push_back(values[operand]);
      const Node& typed = body.nodes[n.operands[n.scalar->op == ScalarOp::kSelect ? 1 : 0]];
      value = n.scalar->emit({b_, x, typed.dtype, n.dtype, n.facts});
      if (value) value = round_to_type(b_, value, n.dtype);
    } else if (n.kind == NodeKind::index_map) {
      value = values[n.operands[0]];  // between scalars
    }
    if (!value) e_.unsupported(n, "not in the body of a reduction");
    values.push_back(value);
  }
  Tuple result;
  for (int root : body.roots) result.push_back(values[root]);
  return result;
}

Reduction::Tuple Reduction::combine_halves(const Tuple& a, const Tuple& b, llvm::ArrayRef<int> low,
                                           llvm::ArrayRef<int> high) {
  Tuple l, h;
  for (int k = 0; k < inputs_; ++k) {
    l.push_back(b_.CreateShuffleVector(a[k], b[k], low));
    h.push_back(b_.CreateShuffleVector(a[k], b[k], high));
  }
  return combine(l, h);
}

// Lane l with lane l + half, until one is left.
Reduction::Tuple Reduction::combine_within(Tuple vector) {
  for (int half = e_.lanes / 2; half > 0; half /= 2) {
    Tuple low, high;
    for (llvm::Value* v : vector) {
      if (half == 1) {
        low.push_back(b_.CreateExtractElement(v, uint64_t{0}));
        high.push_back(b_.CreateExtractElement(v, uint64_t{1}));
        continue;
      }
      llvm::SmallVector<int, 16> first, second;
      for (int l = 0; l < half; ++l) first.push_back(l), second.push_back(half + l);
      low.push_back(b_.CreateShuffleVector(v, first));
      high.push_back(b_.CreateShuffleVector(v, second));
    }
    vector = combine(low, high);
  }
  return vector;
}

// The same for as many vectors as there are lanes; result l is of vector l. Vectors are combined in
// pairs so that a step costs two shuffles of two registers; below 128 bits they stay inside lanes
// of 128 bits. Where results end up is followed along, and vectors are taken in the order that
// makes it right.
Reduction::Tuple Reduction::combine_across(Tuples vectors) {
  const int n = e_.lanes;
  struct Step {
    llvm::SmallVector<int, 16> low, high;
  };
  std::vector<Step> steps;
  for (int half = n / 2; half > 0; half /= 2) {
    // Both operands hold groups of 2 * half lanes; within blocks of at least 4 lanes their halves
    // are interleaved by groups.
    Step step;
    const int block = std::max(2 * half, std::min(n, 4));
    for (int start = 0; start < n; start += block) {
      for (int from : {0, n}) {
        for (int group = 0; group < block; group += 2 * half) {
          for (int l = 0; l < half; ++l) {
            step.low.push_back(from + start + group + l);
            step.high.push_back(from + start + group + half + l);
          }
        }
      }
    }
    steps.push_back(std::move(step));
  }
  // Follow which vector each lane of the result comes from.
  std::vector<std::vector<int>> owners;
  for (int v = 0; v < n; ++v) owners.push_back(std::vector<int>(n, v));
  for (const Step& step : steps) {
    std::vector<std::vector<int>> next;
    for (size_t v = 0; v < owners.size(); v += 2) {
      std::vector<int> merged;
      for (int from : step.low)
        merged.push_back(from < n ? owners[v][from] : owners[v + 1][from - n]);
      next.push_back(std::move(merged));
    }
    owners = std::move(next);
  }
  Tuples placed(n);
  for (int lane = 0; lane < n; ++lane) placed[owners[0][lane]] = vectors[lane];
  for (const Step& step : steps) {
    Tuples next;
    for (size_t v = 0; v < placed.size(); v += 2)
      next.push_back(combine_halves(placed[v], placed[v + 1], step.low, step.high));
    placed = std::move(next);
  }
  return placed[0];
}

}  // namespace tenon::cpu
