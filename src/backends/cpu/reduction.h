// Emits reductions in the canonical order of math/reduction_order.h.
//
// Rows (the last dimension is reduced): lanes of the vector are lanes of the order, several results
// share one loop, so that what they have in common is loaded once. Columns: every result has its
// own lane. Where a row reduction's results lie along a vector variable (pairwise distances), each
// lane's row is reduced by vectors, and the lanes of all are combined together by transposition.
#pragma once

#include <vector>

#include "backends/cpu/emitter.h"
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
  int64_t chunks() const { return order_.chunks; }
  /// The total of chunk number `chunk` of the one demand.
  llvm::Value* emit_chunk(int chunk);

  /// A monoid in column order, more than a few rows of it.
  bool can_tile() const;
  /// Reduces the columns begin .. end of the one demand, which has `probe` for the column, into
  /// `stack_array`s of `width` elements: rows outside, columns inside, so that memory is read along
  /// rows.
  Emitter::ColumnTile emit_tile(int probe, const Index& begin, llvm::Value* begin_value,
                                llvm::Value* end, int64_t extent, int64_t width);

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
    llvm::Value *first_run, *end_run;
    Index begin;            // of the elements in a run
    llvm::Value* length;    // how many
    int64_t static_length;  // -1: only known when running
  };

  Tuples from_chunks(llvm::Value* memory);
  Piece piece_of(int chunk);
  Tuples from_tile(const Emitter::ColumnTile& tile, int variable);
  const Emitter::ColumnTile* tile_of(int id, int variable);
  void keep_values(int id, const Index& at_run);
  void use_kept_values(int id, const Index& at_run);

  /// The lanes of each id, combined to one vector.
  Tuples row_lanes(const Ids& ids, const Piece& piece);
  void row_step(const Ids& ids, const Piece& piece, const Index& runs, int variable, int count,
                Tuples& accumulators);
  Piece whole();

  Indices reduced_indices(Index run, Index runs) {
    return view_.indices(e_.space, std::move(run), std::move(runs));
  }
  Tuple element(int id, const Indices& reduced, bool as_vector);
  Tuple identity(bool as_vector);
  Tuple combine(const Tuple& a, const Tuple& b);
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
  const int inputs_;
  const ReductionView view_;
  const math::ReductionOrder& order_;
  bool is_vector_ = false;  // results have lanes
  std::vector<std::vector<llvm::Value*>> stacks_;
};

}  // namespace tenon::cpu
