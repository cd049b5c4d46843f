#include "backends/cpu/reduction.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "backends/cpu/ir_number.h"
#include "backends/cpu/scalar_table.h"

namespace tenon::cpu {

using math::kLanes;

// Rows reduced in one loop, in vectors of accumulators: AVX2 has 16 registers, and operands need
// some.
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
  const bool is_argument =
      node_.combiner == Combiner::arg_maximum || node_.combiner == Combiner::arg_minimum;
  Tuples totals;
  const Emitter::ColumnTile* tile = tile_of(ids_[0], dependence.vector);
  if (tile) {
    totals = from_tile(*tile, dependence.vector);
  } else if (e_.chunk_results.first == e_.demands[ids_[0]].node) {
    totals = from_chunks(e_.chunk_results.second);
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
      result.push_back({round_to_type(b_, tuple[i], input.dtype), tuple[i]->getType()->isVectorTy(),
                        e_.depth()});
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
    case Combiner::add:
      return is_float ? llvm::ConstantFP::getNegativeZero(type)
                      : llvm::Constant::getNullValue(type);
    case Combiner::multiply:
      return is_float ? llvm::ConstantFP::get(type, 1.0)
                      : llvm::cast<llvm::Constant>(llvm::ConstantInt::get(type, 1));
    case Combiner::maximum:
    case Combiner::arg_maximum:
      if (is_float) return llvm::ConstantFP::getInfinity(type, true);
      return integer(dtype.is_signed() ? llvm::APInt::getSignedMinValue(bits)
                                       : llvm::APInt::getZero(bits));
    case Combiner::minimum:
    case Combiner::arg_minimum:
      if (is_float) return llvm::ConstantFP::getInfinity(type, false);
      return integer(dtype.is_signed() ? llvm::APInt::getSignedMaxValue(bits)
                                       : llvm::APInt::getAllOnes(bits));
    case Combiner::logical_and:
      return integer(llvm::APInt::getAllOnes(bits));
    default:
      return llvm::Constant::getNullValue(type);
  }
}

Reduction::Tuple Reduction::identity(bool as_vector) {
  Tuple tuple;
  for (int k = 0; k < inputs_; ++k) {
    const DType dtype = e_.demands.graph().nodes[node_.operands[k]].dtype;
    llvm::Type* type = value_type(b_.getContext(), dtype);
    // The index of an identity loses every tie.
    llvm::Constant* value =
        monoid_identity(type, dtype, k == 0 ? node_.combiner : Combiner::arg_minimum);
    if (as_vector)
      value = llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(e_.lanes), value);
    tuple.push_back(value);
  }
  return tuple;
}

Reduction::Tuple Reduction::with_init(int id, const Tuple& total) {
  Tuple init;
  for (int operand : e_.demands.operands(id)) {
    const Value value = e_.get(operand);
    init.push_back(!total.empty() && total[0]->getType()->isVectorTy() ? e_.splat(value)
                                                                       : value.value);
  }
  if (total.empty()) return init;
  Emitter::At at(e_, e_.depth());
  return combine(init, total);
}

llvm::SmallVector<llvm::Value*, 8> Reduction::flatten(const Tuples& tuples) {
  llvm::SmallVector<llvm::Value*, 8> flat;
  for (const Tuple& tuple : tuples) flat.append(tuple.begin(), tuple.end());
  return flat;
}

Reduction::Tuples Reduction::unflatten(llvm::ArrayRef<llvm::Value*> flat) const {
  Tuples tuples(flat.size() / inputs_);
  for (size_t k = 0; k < flat.size(); ++k) tuples[k / inputs_].push_back(flat[k]);
  return tuples;
}

// ---- ways

// Few elements: no loop. Lane l starts as element l, and absent lanes are skipped.
Reduction::Tuples Reduction::unrolled_row(const Ids& ids) {
  Tuples totals;
  for (int id : ids) {
    Tuples lanes;
    for (int64_t k = 0; k < order_.run; ++k)
      lanes.push_back(element(id, reduced_indices(Index(k), Index(0)), is_vector_));
    Emitter::At at(e_, e_.depth());
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int l = 0; l < half && l + half < static_cast<int>(lanes.size()); ++l)
        lanes[l] = combine(lanes[l], lanes[l + half]);
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
  accumulators = unflatten(
      e_.enter({variable, e_.i64(0), e_.i64(count), 1, false, false, flatten(accumulators)}));
  // Row-major over the reduced dimensions: runs * run elements.
  const Index flat = IndexSpace::variable(variable);
  const Indices reduced =
      reduced_indices(e_.space.remainder(flat, order_.run), e_.space.quotient(flat, order_.run));
  for (size_t k = 0; k < ids.size(); ++k) {
    const Tuple x = element(ids[k], reduced, is_vector_);
    Emitter::At at(e_, e_.depth());
    accumulators[k] = combine(accumulators[k], x);
  }
  return unflatten(e_.leave(flatten(accumulators)));
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
    end = binary_intrinsic(b_, llvm::Intrinsic::smin,
                           b_.CreateAdd(begin, e_.i64(math::kColumnChunk)), e_.i64(count));
  }
  const int row = e_.space.add_loop(0, count - 1);
  accumulators = unflatten(e_.enter({row, begin, end, 1, false, false, flatten(accumulators)}));
  const Indices reduced = reduced_indices(Index(0), IndexSpace::variable(row));
  for (size_t k = 0; k < ids.size(); ++k) {
    const Tuple x = element(ids[k], reduced, is_vector_);
    Emitter::At at(e_, e_.depth());
    accumulators[k] = combine(accumulators[k], x);
  }
  accumulators = unflatten(e_.leave(flatten(accumulators)));
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
  const int chunk = e_.space.add_loop(0, order_.chunks - 1);
  e_.enter({chunk, e_.i64(0), e_.i64(order_.chunks), 1, false, false, {}});
  const Tuples totals = within(row_lanes(ids, piece_of(chunk)));
  push(e_.state(chunk).value, totals);
  e_.leave();
  return tree_total(totals);
}

// Chunks in order: parts of each run, or groups of whole runs.
Reduction::Piece Reduction::piece_of(int chunk) {
  Piece piece = whole();
  const Index number = IndexSpace::variable(chunk);
  if (order_.run > math::kRowChunk) {
    const int64_t pieces = (order_.run + math::kRowChunk - 1) / math::kRowChunk;
    piece.begin = e_.space.multiply(e_.space.remainder(number, pieces), math::kRowChunk);
    const Value begin = e_.index(piece.begin);
    const Value run = e_.index(e_.space.quotient(number, pieces));
    Emitter::At at(e_, e_.depth());
    piece.length =
        binary_intrinsic(b_, llvm::Intrinsic::smin, b_.CreateSub(e_.i64(order_.run), begin.value),
                         e_.i64(math::kRowChunk));
    piece.static_length = order_.run % math::kRowChunk == 0 ? math::kRowChunk : -1;
    piece.first_run = run.value;
    piece.end_run = b_.CreateAdd(run.value, e_.i64(1));
    return piece;
  }
  const int64_t group = math::kRowChunk / order_.run;
  Emitter::At at(e_, e_.depth());
  piece.first_run = b_.CreateMul(e_.state(chunk).value, e_.i64(group));
  piece.end_run = binary_intrinsic(
      b_, llvm::Intrinsic::smin, b_.CreateAdd(piece.first_run, e_.i64(group)), e_.i64(order_.runs));
  return piece;
}

static constexpr int64_t kSplitChunks = 16;

bool Reduction::can_split() const {
  return order_.is_row && order_.chunks >= kSplitChunks && inputs_ == 1 &&
         node_.combiner < Combiner::arg_maximum;
}

llvm::Value* Reduction::emit_chunk(int chunk) {
  const Tuples lanes = row_lanes(ids_, piece_of(chunk));
  Emitter::At at(e_, e_.depth());
  return combine_within(lanes[0])[0];
}

Reduction::Tuples Reduction::from_chunks(llvm::Value* memory) {
  const Tuples like{identity(false)};
  make_stacks(like);
  const int chunk = e_.space.add_loop(0, order_.chunks - 1);
  e_.enter({chunk, e_.i64(0), e_.i64(order_.chunks), 1, false, false, {}});
  llvm::Value* value = nullptr;
  {
    Emitter::At at(e_, e_.depth());
    llvm::Type* type = like[0][0]->getType();
    value = b_.CreateLoad(type, b_.CreateInBoundsGEP(type, memory, e_.state(chunk).value));
  }
  push(e_.state(chunk).value, {{value}});
  e_.leave();
  return tree_total(like);
}

Reduction::Tuples Reduction::row_lanes(const Ids& ids, const Piece& piece) {
  const int copies = kLanes / e_.lanes;
  Tuples accumulators(ids.size() * copies, identity(true));
  const bool has_runs = order_.runs > 1;
  Index runs(0);
  if (has_runs) {
    const int variable = e_.space.add_loop(0, order_.runs - 1);
    accumulators = unflatten(e_.enter(
        {variable, piece.first_run, piece.end_run, 1, false, false, flatten(accumulators)}));
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
    accumulators = unflatten(e_.enter(
        {variable, e_.i64(0), full_end, kLanes, !is_static, is_once, flatten(accumulators)}));
    e_.make_vector(variable);
    row_step(ids, piece, runs, variable, kLanes, accumulators);
    accumulators = unflatten(e_.leave(flatten(accumulators)));
  }
  if (tail > 0) {
    const int variable = e_.space.add_loop(is_static ? full : 0, longest - 1);
    accumulators = unflatten(e_.enter(
        {variable, full_end, piece.length, kLanes, !is_static, is_static, flatten(accumulators)}));
    row_step(ids, piece, runs, variable, tail, accumulators);
    accumulators = unflatten(e_.leave(flatten(accumulators)));
  }
  if (has_runs) accumulators = unflatten(e_.leave(flatten(accumulators)));
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
void Reduction::row_step(const Ids& ids, const Piece& piece, const Index& runs, int variable,
                         int count, Tuples& accumulators) {
  const int copies = kLanes / e_.lanes;
  const bool is_partial = count < kLanes;
  llvm::SmallVector<int, 4> variables;
  for (int c = 0; c < copies; ++c)
    variables.push_back(is_partial ? e_.shifted(variable, c * e_.lanes) : variable);
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
    for (int l = 0; l < e_.lanes; ++l)
      single.push_back(e_.demands.substitute(id, variable, at_lane[l]));
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
      llvm::Value* v =
          llvm::PoisonValue::get(llvm::FixedVectorType::get(own[0][i]->getType(), e_.lanes));
      for (int l = 0; l < e_.lanes; ++l) v = b_.CreateInsertElement(v, own[l][i], l);
      vector.push_back(v);
    }
    totals.push_back(std::move(vector));
  }
  return totals;
}

}  // namespace tenon::cpu
