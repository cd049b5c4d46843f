#include "backends/cpu/reduction.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "backends/cpu/ir_number.h"
#include "backends/cpu/scalar_table.h"

namespace tenon::cpu {

using math::kLanes;

// Rows reduced in one loop, in vectors of accumulators: AVX2 has 16 registers, and operands need some.
static constexpr int kAccumulators = 8;

Reduction::Reduction(Emitter& emitter, std::vector<int> demands)
    : e_(emitter),
      b_(emitter.b),
      ids_(std::move(demands)),
      node_(emitter.demands.node(ids_[0])),
      inputs_(static_cast<int>(node_.operands.size() / 2)),
      view_(emitter.demands.graph(), node_),
      order_(view_.order) {}

std::vector<Reduction::Results> Reduction::emit() {
  const Emitter::Dependence dependence = e_.dependence(ids_[0]);
  is_vector_ = dependence.vector != -1;
  const bool is_general = node_.combiner == Combiner::general;
  const bool is_argument = node_.combiner == Combiner::arg_maximum || node_.combiner == Combiner::arg_minimum;
  Tuples totals;
  const Emitter::ColumnTile* tile = tile_of(ids_[0], dependence.vector);
  if (tile) {
    totals = from_tile(*tile, dependence.vector);
  } else if (order_.count() == 0) {
    totals.resize(ids_.size());
  } else if (is_general || (is_argument && !order_.is_row)) {
    totals = sequential(ids_);
  } else if (!order_.is_row) {
    totals = columns(ids_);
  } else if (order_.runs == 1 && order_.run <= kLanes) {
    totals = unrolled_row(ids_);
  } else if (is_vector_) {
    totals = lanes_of_rows(ids_, dependence.vector);
  } else {
    totals = rows(ids_);
  }
  std::vector<Results> results;
  for (size_t k = 0; k < ids_.size(); ++k) {
    const bool is_total = is_general || (is_argument && !order_.is_row && order_.count() != 0);
    const Tuple tuple = is_total ? totals[k] : with_init(ids_[k], totals[k]);
    Results result;
    Emitter::At at(e_, e_.depth());
    for (int i = 0; i < inputs_; ++i) {
      const Node& input = e_.demands.graph().nodes[node_.operands[i]];
      result.push_back({round_to_type(b_, tuple[i], input.dtype), tuple[i]->getType()->isVectorTy(), e_.depth()});
    }
    results.push_back(std::move(result));
  }
  return results;
}

// ---- elements

Reduction::Tuple Reduction::element(int id, const Indices& reduced, bool as_vector) {
  Tuple tuple;
  for (int k = 0; k < inputs_; ++k) {
    const Value value = e_.get(e_.demands.reduction_input(id, k, reduced));
    tuple.push_back(as_vector ? e_.splat(value) : value.value);
  }
  return tuple;
}

static llvm::Constant* monoid_identity(llvm::Type* type, DType dtype, Combiner combiner) {
  const bool is_float = dtype.is_floating();
  const int bits = type->getScalarSizeInBits();
  const auto integer = [&](const llvm::APInt& v) { return llvm::ConstantInt::get(type, v); };
  switch (combiner) {
    case Combiner::add: return is_float ? llvm::ConstantFP::getNegativeZero(type) : llvm::Constant::getNullValue(type);
    case Combiner::multiply:
      return is_float ? llvm::ConstantFP::get(type, 1.0) : llvm::cast<llvm::Constant>(llvm::ConstantInt::get(type, 1));
    case Combiner::maximum:
    case Combiner::arg_maximum:
      if (is_float) return llvm::ConstantFP::getInfinity(type, true);
      return integer(dtype.is_signed() ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getZero(bits));
    case Combiner::minimum:
    case Combiner::arg_minimum:
      if (is_float) return llvm::ConstantFP::getInfinity(type, false);
      return integer(dtype.is_signed() ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getAllOnes(bits));
    case Combiner::logical_and: return integer(llvm::APInt::getAllOnes(bits));
    default: return llvm::Constant::getNullValue(type);
  }
}

Reduction::Tuple Reduction::identity(bool as_vector) {
  Tuple tuple;
  for (int k = 0; k < inputs_; ++k) {
    const DType dtype = e_.demands.graph().nodes[node_.operands[k]].dtype;
    llvm::Type* type = value_type(b_.getContext(), dtype);
    // The index of an identity loses every tie.
    llvm::Constant* value = monoid_identity(type, dtype, k == 0 ? node_.combiner : Combiner::arg_minimum);
    if (as_vector) value = llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(e_.lanes), value);
    tuple.push_back(value);
  }
  return tuple;
}

Reduction::Tuple Reduction::with_init(int id, const Tuple& total) {
  Tuple init;
  for (int operand : e_.demands.operands(id)) {
    const Value value = e_.get(operand);
    init.push_back(!total.empty() && total[0]->getType()->isVectorTy() ? e_.splat(value) : value.value);
  }
  if (total.empty()) return init;
  Emitter::At at(e_, e_.depth());
  return combine(init, total);
}

// ---- combining

Reduction::Tuple Reduction::combine(const Tuple& a, const Tuple& b) {
  static constexpr ScalarOp kOps[] = {ScalarOp::kAdd,     ScalarOp::kMultiply, ScalarOp::kMaximum,
                                      ScalarOp::kMinimum, ScalarOp::kAnd,      ScalarOp::kOr};
  if (node_.combiner == Combiner::general) return combine_by_body(a, b);
  if (node_.combiner == Combiner::arg_maximum || node_.combiner == Combiner::arg_minimum) return combine_arguments(a, b);
  const ScalarCode* code = scalar_code(kOps[static_cast<int>(node_.combiner)]);
  llvm::Value* x[] = {a[0], b[0]};
  return {code->emit({b_, x, node_.dtype, node_.dtype})};
}

// The better value; of equals, or of two NaNs, the lower index. A NaN is better than any number.
Reduction::Tuple Reduction::combine_arguments(const Tuple& a, const Tuple& b) {
  const DType dtype = e_.demands.graph().nodes[node_.operands[0]].dtype;
  const bool is_signed = dtype.is_signed(), is_maximum = node_.combiner == Combiner::arg_maximum;
  using P = llvm::CmpInst::Predicate;
  llvm::Value* lower = b_.CreateICmpSLT(a[1], b[1]);
  llvm::Value *better, *tie;
  if (dtype.is_floating()) {
    better = b_.CreateFCmp(is_maximum ? P::FCMP_OGT : P::FCMP_OLT, a[0], b[0]);
    llvm::Value* a_nan = b_.CreateFCmpUNO(a[0], a[0]);
    llvm::Value* b_nan = b_.CreateFCmpUNO(b[0], b[0]);
    better = b_.CreateOr(better, b_.CreateAnd(a_nan, b_.CreateNot(b_nan)));
    tie = b_.CreateOr(b_.CreateFCmpOEQ(a[0], b[0]), b_.CreateAnd(a_nan, b_nan));
  } else {
    better = b_.CreateICmp(is_maximum ? (is_signed ? P::ICMP_SGT : P::ICMP_UGT) : (is_signed ? P::ICMP_SLT : P::ICMP_ULT),
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
      if (as_vector) value = llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(e_.lanes), llvm::cast<llvm::Constant>(value));
    } else if (n.kind == NodeKind::elementwise) {
      llvm::SmallVector<llvm::Value*, 4> x;
      for (int operand : n.operands) x.push_back(values[operand]);
      const Node& typed = body.nodes[n.operands[n.scalar->op == ScalarOp::kSelect ? 1 : 0]];
      value = n.scalar->emit({b_, x, typed.dtype, n.dtype, n.comparison});
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

Reduction::Tuple Reduction::combine_halves(const Tuple& a, const Tuple& b, llvm::ArrayRef<int> low, llvm::ArrayRef<int> high) {
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
      for (int from : step.low) merged.push_back(from < n ? owners[v][from] : owners[v + 1][from - n]);
      next.push_back(std::move(merged));
    }
    owners = std::move(next);
  }
  Tuples placed(n);
  for (int lane = 0; lane < n; ++lane) placed[owners[0][lane]] = vectors[lane];
  for (const Step& step : steps) {
    Tuples next;
    for (size_t v = 0; v < placed.size(); v += 2) next.push_back(combine_halves(placed[v], placed[v + 1], step.low, step.high));
    placed = std::move(next);
  }
  return placed[0];
}

// ---- chunks

void Reduction::make_stacks(const Tuples& like) {
  stacks_.clear();
  for (const Tuple& tuple : like) {
    stacks_.emplace_back();
    for (llvm::Value* value : tuple) stacks_.back().push_back(e_.stack_array(value->getType(), std::bit_width(static_cast<uint64_t>(order_.chunks)) + 1));
  }
}

static llvm::SmallVector<llvm::Value*, 8> flatten(const std::vector<llvm::SmallVector<llvm::Value*, 2>>& tuples) {
  llvm::SmallVector<llvm::Value*, 8> flat;
  for (const auto& tuple : tuples) flat.append(tuple.begin(), tuple.end());
  return flat;
}
static std::vector<llvm::SmallVector<llvm::Value*, 2>> unflatten(llvm::ArrayRef<llvm::Value*> flat, int inputs) {
  std::vector<llvm::SmallVector<llvm::Value*, 2>> tuples(flat.size() / inputs);
  for (size_t k = 0; k < flat.size(); ++k) tuples[k / inputs].push_back(flat[k]);
  return tuples;
}

// Before chunk i there are popcount(i) values on the stack, of which as many as i has trailing ones
// combine with the new one.
void Reduction::push(llvm::Value* chunk, Tuples values) {
  llvm::Value *depth, *merges;
  {
    Emitter::At at(e_, e_.depth());
    depth = unary_intrinsic(b_, llvm::Intrinsic::ctpop, chunk);
    merges = b_.CreateIntrinsic(llvm::Intrinsic::cttz, {b_.getInt64Ty()}, {b_.CreateNot(chunk), b_.getFalse()});
  }
  const int variable = e_.space.add_loop(0, 64);
  const auto inside = e_.enter({variable, e_.i64(0), merges, 1, true, false, flatten(values)});
  Tuples merged = unflatten(inside, inputs_);
  {
    Emitter::At at(e_, e_.depth());
    llvm::Value* slot = b_.CreateSub(b_.CreateSub(depth, e_.state(variable).value), e_.i64(1));
    for (size_t k = 0; k < merged.size(); ++k) {
      Tuple left;
      for (int i = 0; i < inputs_; ++i) {
        llvm::Type* type = merged[k][i]->getType();
        left.push_back(b_.CreateLoad(type, b_.CreateGEP(type, stacks_[k][i], slot)));
      }
      merged[k] = combine(left, merged[k]);
    }
  }
  merged = unflatten(e_.leave(flatten(merged)), inputs_);
  Emitter::At at(e_, e_.depth());
  llvm::Value* top = b_.CreateSub(depth, merges);
  for (size_t k = 0; k < merged.size(); ++k) {
    for (int i = 0; i < inputs_; ++i)
      b_.CreateStore(merged[k][i], b_.CreateGEP(merged[k][i]->getType(), stacks_[k][i], top));
  }
}

Reduction::Tuples Reduction::tree_total(const Tuples& like) {
  Emitter::At at(e_, e_.depth());
  Tuples totals(like.size());
  for (size_t k = 0; k < like.size(); ++k) {
    const auto load = [&](int slot) {
      Tuple tuple;
      for (int i = 0; i < inputs_; ++i) {
        llvm::Type* type = like[k][i]->getType();
        tuple.push_back(b_.CreateLoad(type, b_.CreateConstGEP1_64(type, stacks_[k][i], slot)));
      }
      return tuple;
    };
    int slot = std::popcount(static_cast<uint64_t>(order_.chunks)) - 1;
    totals[k] = load(slot);
    while (slot-- > 0) totals[k] = combine(load(slot), totals[k]);
  }
  return totals;
}

// ---- ways

// Few elements: no loop. Lane l starts as element l, and absent lanes are skipped.
Reduction::Tuples Reduction::unrolled_row(const Ids& ids) {
  Tuples totals;
  for (int id : ids) {
    Tuples lanes;
    for (int64_t k = 0; k < order_.run; ++k) lanes.push_back(element(id, reduced_indices(Index(k), Index(0)), is_vector_));
    Emitter::At at(e_, e_.depth());
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int l = 0; l < half && l + half < static_cast<int>(lanes.size()); ++l) lanes[l] = combine(lanes[l], lanes[l + half]);
      if (static_cast<int>(lanes.size()) > half) lanes.resize(half);
    }
    totals.push_back(lanes[0]);
  }
  return totals;
}

Reduction::Tuples Reduction::sequential(const Ids& ids) {
  Tuples accumulators;
  for (int id : ids) {
    Tuple init;
    for (int operand : e_.demands.operands(id)) {
      const Value value = e_.get(operand);
      init.push_back(is_vector_ ? e_.splat(value) : value.value);
    }
    accumulators.push_back(std::move(init));
  }
  const int64_t count = order_.count();
  const int variable = e_.space.add_loop(0, count - 1);
  accumulators = unflatten(e_.enter({variable, e_.i64(0), e_.i64(count), 1, false, false, flatten(accumulators)}), inputs_);
  // Row-major over the reduced dimensions: runs * run elements.
  const Index flat = IndexSpace::variable(variable);
  const Indices reduced = reduced_indices(e_.space.remainder(flat, order_.run), e_.space.quotient(flat, order_.run));
  for (size_t k = 0; k < ids.size(); ++k) {
    const Tuple x = element(ids[k], reduced, is_vector_);
    Emitter::At at(e_, e_.depth());
    accumulators[k] = combine(accumulators[k], x);
  }
  return unflatten(e_.leave(flatten(accumulators)), inputs_);
}

Reduction::Tuples Reduction::columns(const Ids& ids) {
  const int64_t count = order_.runs;
  Tuples accumulators(ids.size());
  if (count <= kLanes) {
    for (int64_t r = 0; r < count; ++r) {
      for (size_t k = 0; k < ids.size(); ++k) {
        const Tuple x = element(ids[k], reduced_indices(Index(0), Index(r)), is_vector_);
        Emitter::At at(e_, e_.depth());
        accumulators[k] = r == 0 ? x : combine(accumulators[k], x);
      }
    }
    return accumulators;
  }
  for (Tuple& tuple : accumulators) tuple = identity(is_vector_);
  const bool is_cut = order_.chunks > 1;
  llvm::Value *begin = e_.i64(0), *end = e_.i64(count), *chunk = nullptr;
  if (is_cut) {
    make_stacks(accumulators);
    const int variable = e_.space.add_loop(0, order_.chunks - 1);
    e_.enter({variable, e_.i64(0), e_.i64(order_.chunks), 1, false, false, {}});
    Emitter::At at(e_, e_.depth());
    chunk = e_.state(variable).value;
    begin = b_.CreateMul(chunk, e_.i64(math::kColumnChunk));
    end = binary_intrinsic(b_, llvm::Intrinsic::smin, b_.CreateAdd(begin, e_.i64(math::kColumnChunk)), e_.i64(count));
  }
  const int row = e_.space.add_loop(0, count - 1);
  accumulators = unflatten(e_.enter({row, begin, end, 1, false, false, flatten(accumulators)}), inputs_);
  const Indices reduced = reduced_indices(Index(0), IndexSpace::variable(row));
  for (size_t k = 0; k < ids.size(); ++k) {
    const Tuple x = element(ids[k], reduced, is_vector_);
    Emitter::At at(e_, e_.depth());
    accumulators[k] = combine(accumulators[k], x);
  }
  accumulators = unflatten(e_.leave(flatten(accumulators)), inputs_);
  if (!is_cut) return accumulators;
  push(chunk, accumulators);
  e_.leave();
  return tree_total(accumulators);
}

Reduction::Piece Reduction::whole() {
  return {e_.i64(0), e_.i64(order_.runs), Index(0), e_.i64(order_.run), order_.run};
}

Reduction::Tuples Reduction::rows(const Ids& ids) {
  const auto within = [&](Tuples lanes) {
    Emitter::At at(e_, e_.depth());
    for (Tuple& tuple : lanes) tuple = combine_within(tuple);
    return lanes;
  };
  if (order_.chunks == 1) return within(row_lanes(ids, whole()));

  make_stacks(Tuples(ids.size(), [&] {
    Tuple scalars = identity(false);
    return scalars;
  }()));
  // Chunks in order: parts of each run, or groups of whole runs.
  const bool is_long = order_.run > math::kRowChunk;
  const int chunk_variable = e_.space.add_loop(0, order_.chunks - 1);
  e_.enter({chunk_variable, e_.i64(0), e_.i64(order_.chunks), 1, false, false, {}});
  llvm::Value* chunk = e_.state(chunk_variable).value;
  Piece piece = whole();
  if (is_long) {
    const int64_t pieces = (order_.run + math::kRowChunk - 1) / math::kRowChunk;
    const Index number = IndexSpace::variable(chunk_variable);
    piece.begin = e_.space.multiply(e_.space.remainder(number, pieces), math::kRowChunk);
    const Value begin = e_.index(piece.begin);
    const Value run = e_.index(e_.space.quotient(number, pieces));
    Emitter::At at(e_, e_.depth());
    piece.length = binary_intrinsic(b_, llvm::Intrinsic::smin, b_.CreateSub(e_.i64(order_.run), begin.value), e_.i64(math::kRowChunk));
    piece.static_length = order_.run % math::kRowChunk == 0 ? math::kRowChunk : -1;
    piece.first_run = run.value;
    piece.end_run = b_.CreateAdd(run.value, e_.i64(1));
  } else {
    const int64_t group = math::kRowChunk / order_.run;
    Emitter::At at(e_, e_.depth());
    piece.first_run = b_.CreateMul(chunk, e_.i64(group));
    piece.end_run = binary_intrinsic(b_, llvm::Intrinsic::smin, b_.CreateAdd(piece.first_run, e_.i64(group)), e_.i64(order_.runs));
  }
  const Tuples totals = within(row_lanes(ids, piece));
  push(chunk, totals);
  e_.leave();
  return tree_total(totals);
}

Reduction::Tuples Reduction::row_lanes(const Ids& ids, const Piece& piece) {
  const int copies = kLanes / e_.lanes;
  Tuples accumulators(ids.size() * copies, identity(true));
  const bool has_runs = order_.runs > 1;
  Index runs(0);
  if (has_runs) {
    const int variable = e_.space.add_loop(0, order_.runs - 1);
    accumulators = unflatten(e_.enter({variable, piece.first_run, piece.end_run, 1, false, false, flatten(accumulators)}), inputs_);
    runs = IndexSpace::variable(variable);
  }
  const int64_t longest = std::min(order_.run, math::kRowChunk);
  const bool is_static = piece.static_length >= 0;
  const int64_t full = (is_static ? piece.static_length : longest) / kLanes * kLanes;
  const int tail = static_cast<int>(order_.run % kLanes);
  llvm::Value* full_end = e_.i64(full);
  if (!is_static) {
    Emitter::At at(e_, e_.depth());
    full_end = b_.CreateAnd(piece.length, e_.i64(-kLanes));
  }
  if (full > 0) {
    const int variable = e_.space.add_loop(0, full - 1 - (kLanes - e_.lanes));
    const bool is_once = is_static && full == kLanes;
    accumulators = unflatten(e_.enter({variable, e_.i64(0), full_end, kLanes, !is_static, is_once, flatten(accumulators)}), inputs_);
    e_.make_vector(variable);
    row_step(ids, piece, runs, variable, kLanes, accumulators);
    accumulators = unflatten(e_.leave(flatten(accumulators)), inputs_);
  }
  if (tail > 0) {
    const int variable = e_.space.add_loop(is_static ? full : 0, longest - 1);
    accumulators = unflatten(e_.enter({variable, full_end, piece.length, kLanes, !is_static, is_static, flatten(accumulators)}), inputs_);
    row_step(ids, piece, runs, variable, tail, accumulators);
    accumulators = unflatten(e_.leave(flatten(accumulators)), inputs_);
  }
  if (has_runs) accumulators = unflatten(e_.leave(flatten(accumulators)), inputs_);
  // Lane l with l + 8, and so on, as long as these are in different vectors.
  Emitter::At at(e_, e_.depth());
  Tuples lanes;
  for (size_t k = 0; k < ids.size(); ++k) {
    Tuples vectors(accumulators.begin() + k * copies, accumulators.begin() + (k + 1) * copies);
    for (int half = copies / 2; half > 0; half /= 2) {
      for (int v = 0; v < half; ++v) vectors[v] = combine(vectors[v], vectors[v + half]);
    }
    lanes.push_back(vectors[0]);
  }
  return lanes;
}

// One step of kLanes elements, of which `count` exist.
void Reduction::row_step(const Ids& ids, const Piece& piece, const Index& runs, int variable, int count, Tuples& accumulators) {
  const int copies = kLanes / e_.lanes;
  const bool is_partial = count < kLanes;
  llvm::SmallVector<int, 4> variables;
  for (int c = 0; c < copies; ++c) variables.push_back(is_partial ? e_.shifted(variable, c * e_.lanes) : variable);
  for (int c = 0; c < copies; ++c) {
    const int present = std::min(e_.lanes, count - c * e_.lanes);
    if (present <= 0) break;
    if (is_partial) e_.make_vector(variables[c], present);
    Index at_run = e_.space.add(IndexSpace::variable(variables[c]), piece.begin);
    if (!is_partial) at_run = e_.space.add(at_run, c * e_.lanes);
    const Indices reduced = reduced_indices(at_run, runs);
    for (size_t k = 0; k < ids.size(); ++k) {
      use_kept_values(ids[k], at_run);
      const Tuple x = element(ids[k], reduced, true);
      keep_values(ids[k], at_run);
      Tuple& accumulator = accumulators[k * copies + c];
      Emitter::At at(e_, e_.depth());
      Tuple next = combine(accumulator, x);
      if (present < e_.lanes) {
        llvm::Value* mask = e_.state(variables[c]).mask;
        for (int i = 0; i < inputs_; ++i) next[i] = b_.CreateSelect(mask, next[i], accumulator[i]);
      }
      accumulator = std::move(next);
    }
  }
}

// Results along a vector variable: each lane's row by itself, a few rows in one loop.
Reduction::Tuples Reduction::lanes_of_rows(const Ids& ids, int variable) {
  Ids single;
  std::vector<Index> at_lane;
  for (int l = 0; l < e_.lanes; ++l) at_lane.push_back(e_.lane_index(variable, l));
  for (int id : ids) {
    for (int l = 0; l < e_.lanes; ++l) single.push_back(e_.demands.substitute(id, variable, at_lane[l]));
  }
  const size_t batch = std::max(1, kAccumulators * e_.lanes / kLanes / inputs_);
  const bool is_cut = order_.chunks > 1;
  Tuples parts;
  for (size_t k = 0; k < single.size(); k += batch) {
    const Ids some(single.begin() + k, single.begin() + std::min(k + batch, single.size()));
    const Tuples lanes = is_cut ? rows(some) : row_lanes(some, whole());
    parts.insert(parts.end(), lanes.begin(), lanes.end());
  }
  Emitter::At at(e_, e_.depth());
  Tuples totals;
  for (size_t k = 0; k < ids.size(); ++k) {
    Tuples own(parts.begin() + k * e_.lanes, parts.begin() + (k + 1) * e_.lanes);
    if (!is_cut) {
      totals.push_back(combine_across(std::move(own)));
      continue;
    }
    Tuple vector;
    for (int i = 0; i < inputs_; ++i) {
      llvm::Value* v = llvm::PoisonValue::get(llvm::FixedVectorType::get(own[0][i]->getType(), e_.lanes));
      for (int l = 0; l < e_.lanes; ++l) v = b_.CreateInsertElement(v, own[l][i], l);
      vector.push_back(v);
    }
    totals.push_back(std::move(vector));
  }
  return totals;
}

}  // namespace tenon::cpu
