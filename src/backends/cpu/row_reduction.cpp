// Reductions in row order: lanes of vectors are lanes of the order, several rows or chunks in one loop.
#include <algorithm>

#include "backends/cpu/ir_number.h"
#include "backends/cpu/reduction.h"
#include "backends/cpu/scalar_table.h"

namespace tenon::cpu {

using math::kLanes;

// Rows reduced in one loop, in vectors of accumulators: AVX2 has 16 registers, and operands need
// some.
static constexpr int kAccumulators = 8;
static constexpr int64_t kMinMaskedRow = 8 * kLanes;  // shorter ones do not gain from a second loop

Reduction::Piece Reduction::whole() {
  llvm::Value* runs = order_.runs > 1 ? e_.i64(order_.runs) : nullptr;
  return {Index(0), runs, Index(0), e_.i64(order_.run), order_.run};
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
  const Tuples totals = within(row_lanes(ids, piece_of(IndexSpace::variable(chunk), false)));
  push(e_.state(chunk).value, totals);
  e_.leave();
  return tree_total(totals);
}

// Chunks in order: parts of each run, or groups of whole runs.
Reduction::Piece Reduction::piece_of(const Index& number, bool is_full) {
  Piece piece = whole();
  if (order_.run > math::kRowChunk) {
    const int64_t pieces = (order_.run + math::kRowChunk - 1) / math::kRowChunk;
    piece.begin = e_.space.multiply(e_.space.remainder(number, pieces), math::kRowChunk);
    piece.first_run = e_.space.quotient(number, pieces);
    piece.runs = nullptr;
    if (is_full || order_.run % math::kRowChunk == 0) {
      piece.length = e_.i64(math::kRowChunk);
      piece.static_length = math::kRowChunk;
      return piece;
    }
    llvm::Value* begin = e_.lane0(piece.begin);
    Emitter::At at(e_, e_.depth());
    piece.length =
        binary_intrinsic(b_, llvm::Intrinsic::smin, b_.CreateSub(e_.i64(order_.run), begin),
                         e_.i64(math::kRowChunk));
    piece.static_length = -1;
    return piece;
  }
  const int64_t group = math::kRowChunk / order_.run;
  piece.first_run = e_.space.multiply(number, group);
  piece.runs = group > 1 ? e_.i64(group) : nullptr;
  if (!is_full && group > 1 && order_.runs % group != 0) {
    llvm::Value* first_run = e_.lane0(piece.first_run);
    Emitter::At at(e_, e_.depth());
    piece.runs = binary_intrinsic(b_, llvm::Intrinsic::smin,
                                  b_.CreateSub(e_.i64(order_.runs), first_run), e_.i64(group));
  }
  return piece;
}

static constexpr int64_t kSplitChunks = 16;

bool Reduction::can_split() const {
  return order_.is_row && order_.chunks >= kSplitChunks && inputs_ == 1 &&
         combiner_ < Combiner::arg_maximum;
}

int64_t Reduction::full_chunks() const {
  if (order_.run > math::kRowChunk)
    return order_.run % math::kRowChunk == 0 ? order_.chunks
           : order_.runs == 1                ? order_.chunks - 1
                                             : 0;
  return order_.runs % (math::kRowChunk / order_.run) == 0 ? order_.chunks : order_.chunks - 1;
}

int Reduction::chunks_at_once() const {
  return std::max(1, kAccumulators * e_.lanes / kLanes / inputs_);
}

std::vector<llvm::Value*> Reduction::emit_chunks(const Indices& numbers) {
  Strands strands;
  for (const Index& number : numbers)
    strands.push_back({ids_[0], piece_of(number, numbers.size() > 1)});
  const Tuples lanes = row_lanes(strands);
  Emitter::At at(e_, e_.depth());
  std::vector<llvm::Value*> totals;
  for (const Tuple& tuple : lanes) totals.push_back(combine_within(tuple)[0]);
  return totals;
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
  Strands strands;
  for (int id : ids) strands.push_back({id, piece});
  return row_lanes(strands);
}

Reduction::Tuples Reduction::row_lanes(const Strands& strands) {
  const int copies = kLanes / e_.lanes;
  const Piece& piece = strands[0].piece;
  Tuples accumulators;
  for (const Strand& strand : strands) {
    for (int c = 0; c < copies; ++c)
      accumulators.push_back(start(true, e_.lane0(strand.piece.begin), c * e_.lanes));
  }
  Index run(0);
  if (piece.runs) {
    const int variable = e_.space.add_loop(0, order_.runs - 1);
    accumulators = unflatten(
        e_.enter({variable, e_.i64(0), piece.runs, 1, false, false, flatten(accumulators)}));
    run = IndexSpace::variable(variable);
  }
  const int64_t longest = std::min(order_.run, math::kRowChunk);
  const bool is_static = piece.static_length >= 0;
  const int64_t length = is_static ? piece.static_length : longest;
  const int64_t full = length / kLanes * kLanes;
  const int tail = static_cast<int>((is_static ? piece.static_length : order_.run) % kLanes);
  llvm::Value* full_end = e_.i64(full);
  if (!is_static) {
    Emitter::At at(e_, e_.depth());
    full_end = b_.CreateAnd(piece.length, e_.i64(-kLanes));
  }
  if (full > 0) {
    // A vector of several registers is for elements that take a while: two steps side by side then.
    const bool is_twice = copies == 1 && strands.size() == 1 && is_static && full % (2 * kLanes) == 0;
    const int64_t step = is_twice ? 2 * kLanes : kLanes;
    const int variable = e_.space.add_loop(0, full - 1 - (step - e_.lanes));
    const bool is_once = is_static && full == step;
    std::optional<MaskedTail> tail = masked_tail(strands);
    llvm::Value* const visible_end = tail ? tail->begin(e_, step, full) : full_end;
    accumulators = unflatten(e_.enter(
        {variable, e_.i64(0), visible_end, step, tail || !is_static, is_once && !tail, flatten(accumulators)}));
    e_.make_vector(variable);
    for (int64_t shift = 0; shift < step; shift += kLanes)
      row_step(strands, run, variable, shift, kLanes, accumulators);
    accumulators = unflatten(e_.leave(flatten(accumulators)));
    if (tail) {
      const int hidden = e_.space.add_loop(0, full - 1 - (step - e_.lanes));
      accumulators = unflatten(e_.enter({hidden, visible_end, full_end, step, true, false, flatten(accumulators)}));
      e_.make_vector(hidden);
      for (int64_t shift = 0; shift < step; shift += kLanes)
        row_step(strands, run, hidden, shift, kLanes, accumulators, &*tail);
      accumulators = unflatten(e_.leave(flatten(accumulators)));
    }
  }
  if (tail > 0) {
    const int variable = e_.space.add_loop(is_static ? full : 0, longest - 1);
    accumulators = unflatten(e_.enter(
        {variable, full_end, piece.length, kLanes, !is_static, is_static, flatten(accumulators)}));
    row_step(strands, run, variable, 0, tail, accumulators);
    accumulators = unflatten(e_.leave(flatten(accumulators)));
  }
  if (piece.runs) accumulators = unflatten(e_.leave(flatten(accumulators)));
  // Lane l with l + 8, and so on, as long as these are in different vectors.
  Emitter::At at(e_, e_.depth());
  Tuples lanes;
  for (size_t k = 0; k < strands.size(); ++k) {
    Tuples vectors(accumulators.begin() + k * copies, accumulators.begin() + (k + 1) * copies);
    for (int half = copies / 2; half > 0; half /= 2) {
      for (int v = 0; v < half; ++v) vectors[v] = combine(vectors[v], vectors[v + half]);
    }
    lanes.push_back(vectors[0]);
  }
  return lanes;
}

// Of the elements of one whole row.
std::optional<MaskedTail> Reduction::masked_tail(const Strands& strands) {
  if (strands.size() != 1 || node_.dims.size() != 1 || order_.chunks != 1 || order_.runs != 1 || order_.run < kMinMaskedRow) return std::nullopt;
  const std::vector<int> inputs = e_.inside(strands[0].id);
  return MaskedTail::find(e_, inputs, e_.probes(strands[0].id)[0]);
}

// One step of kLanes elements from `variable` + `shift` on, of which `count` exist. `run`: number of the
// run in the piece.
void Reduction::row_step(const Strands& strands, const Index& run, int variable, int64_t shift, int count,
                         Tuples& accumulators, MaskedTail* tail) {
  const int copies = kLanes / e_.lanes;
  const bool is_partial = count < kLanes;
  llvm::SmallVector<int, 4> variables;
  for (int c = 0; c < copies; ++c)
    variables.push_back(is_partial ? e_.shifted(variable, c * e_.lanes) : variable);
  for (int c = 0; c < copies; ++c) {
    const int present = std::min(e_.lanes, count - c * e_.lanes);
    if (present <= 0) break;
    if (is_partial) e_.make_vector(variables[c], present);
    Index position = IndexSpace::variable(variables[c]);
    if (!is_partial) position = e_.space.add(position, shift + c * e_.lanes);
    for (size_t k = 0; k < strands.size(); ++k) {
      const auto& [id, piece] = strands[k];
      const Index at_run = e_.space.add(position, piece.begin);
      const Indices reduced = reduced_indices(at_run, e_.space.add(run, piece.first_run));
      if (tail) tail->apply(e_, at_run);
      use_kept_values(id, at_run, tail);
      const Tuple x = element(id, reduced, true);
      keep_values(id, at_run);
      Tuple& accumulator = accumulators[k * copies + c];
      Emitter::At at(e_, e_.depth());
      Tuple next = accumulate(accumulator, x);
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
