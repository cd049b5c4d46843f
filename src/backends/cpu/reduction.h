// Emits reductions in the canonical order of math/reduction_order.h.
//
// Rows (the last dimension is reduced): lanes of the vector are lanes of the order, several results
// share one loop, so that what they have in common is loaded once. Columns: every result has its
// own lane. Where a row reduction's results lie along a vector variable (pairwise distances), each
// lane's row is reduced by vectors, and the lanes of all are combined together by transposition.
#pragma once

#include <vector>

#include "backends/cpu/emitter.h"
#include "backends/cpu/masked_tail.h"
#include "backends/cpu/reduction_view.h"

namespace tenon::cpu {

class Reduction {
 public:
  /// `demands`: of one reduce node, at indices that depend on the same loops.
  Reduction(Emitter& emitter, std::vector<int> demands);

  using Results = llvm::SmallVector<Value, 2>;  // one for each operand
  /// Emits at the end of the innermost scope.
  std::vector<Results> emit();

  /// A monoid in row order with many chunks, whose results may come from other threads.
  bool can_split() const;
  int64_t elements() const { return order_.count(); }
  int64_t chunks() const { return order_.chunks; }
  /// As many of the first chunks have one length.
  int64_t full_chunks() const;
  /// How many chunks are well reduced in one loop.
  int chunks_at_once() const;
  /// The totals of chunks of the one demand; several only of full ones.
  std::vector<llvm::Value*> emit_chunks(const Indices& numbers);

  /// In column order, more than a few rows of it; not by a body.
  bool can_tile() const;
  /// Columns begin .. end, of `extent` in all; tiles have room for `width`.
  struct Columns {
    int probe;  // stands for the column
    Index begin;
    llvm::Value *begin_value, *end;
    int64_t extent, width;
  };
  /// Reduces columns of one demand each, which have `probe` for the column, into `stack_array`s: rows
  /// outside, columns inside, so that memory is read along rows, once for all. They have one order, and
  /// none needs another.
  static std::vector<Emitter::ColumnTile> emit_tiles(std::vector<Reduction>& all,
                                                     const Columns& columns);
  bool has_order_of(const Reduction& other) const {
    return order_.is_row == other.order_.is_row && order_.run == other.order_.run &&
           order_.runs == other.order_.runs;
  }

 private:
  using Ids = std::vector<int>;
  using Tuple = llvm::SmallVector<llvm::Value*, 2>;  // one number for each operand
  using Tuples = std::vector<Tuple>;

  /// Numbers of all tuples one after the other, as loops carry them, and back.
  static llvm::SmallVector<llvm::Value*, 8> flatten(const Tuples& tuples);
  Tuples unflatten(llvm::ArrayRef<llvm::Value*> flat) const;

  // The ways to go. Each gives one tuple for each id.
  Tuples unrolled_row(const Ids& ids);
  Tuples sequential(const Ids& ids);
  Tuples columns(const Ids& ids);
  Tuples rows(const Ids& ids);
  Tuples lanes_of_rows(const Ids& ids, int variable);

  /// A part of a row-ordered sequence that has accumulators of its own.
  struct Piece {
    Index first_run;
    llvm::Value* runs;      // how many; null: one
    Index begin;            // of the elements in a run
    llvm::Value* length;    // how many
    int64_t static_length;  // -1: only known when running
  };

  Tuples from_chunks(llvm::Value* memory);
  Piece piece_of(const Index& number, bool is_full);
  Tuples from_tile(const Emitter::ColumnTile& tile, int variable);
  Tuple tile_pointers(const Emitter::ColumnTile& tile, llvm::Value* element);
  Tuple load_vectors(const Tuple& pointers);
  const Emitter::ColumnTile* tile_of(int id, int variable);
  void keep_values(int id, const Index& at_run);
  /// Those that `tail` has made uniform are at hand.
  void use_kept_values(int id, const Index& at_run, const MaskedTail* tail);

  /// The lanes of each strand, combined to one vector. Their pieces have one size.
  struct Strand {
    int id;
    Piece piece;
  };
  using Strands = std::vector<Strand>;
  Tuples row_lanes(const Strands& strands);
  Tuples row_lanes(const Ids& ids, const Piece& piece);
  void row_step(const Strands& strands, const Index& run, int variable, int64_t shift, int count,
                Tuples& accumulators, MaskedTail* tail = nullptr);
  std::optional<MaskedTail> masked_tail(const Strands& strands);
  Piece whole();

  Indices reduced_indices(Index run, Index runs) {
    return view_.indices(e_.space, std::move(run), std::move(runs));
  }
  Tuple element(int id, const Indices& reduced, bool as_vector);
  Tuple identity(bool as_vector);
  /// The identity, of an accumulator that takes element `first` of the sequence first, or lane l
  /// element `first` + `lane` + l (`lane` -1: all lanes the same).
  Tuple start(bool as_vector, llvm::Value* first, int lane);
  Tuple combine(const Tuple& a, const Tuple& b);
  /// The same, where all that is in `accumulator` comes before `x`.
  Tuple accumulate(const Tuple& accumulator, const Tuple& x);
  Tuple combine_arguments(const Tuple& a, const Tuple& b);
  Tuple combine_by_body(const Tuple& a, const Tuple& b);
  Tuple combine_within(Tuple vector);
  Tuple combine_across(Tuples vectors);
  Tuple combine_halves(const Tuple& a, const Tuple& b, llvm::ArrayRef<int> low,
                       llvm::ArrayRef<int> high);
  Tuple with_init(int id, const Tuple& total);

  // math::PairwiseTree with its stack in memory.
  void make_stacks(const Tuples& like);
  void push(llvm::Value* chunk, Tuples values);
  Tuples tree_total(const Tuples& like);

  Emitter& e_;
  llvm::IRBuilder<>& b_;
  const Ids ids_;
  const Node& node_;
  const Combiner combiner_;
  const int inputs_;
  const ReductionView view_;
  const math::ReductionOrder order_;
  const bool counts_up_;    // argmax, argmin: the index is the position in the sequence
  bool is_vector_ = false;  // results have lanes
  std::vector<std::vector<llvm::Value*>> stacks_;
};

}  // namespace tenon::cpu
