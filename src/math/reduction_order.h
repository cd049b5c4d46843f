// The canonical order of a reduction: in which order the elements that fall into one result element
// are combined. A function of the operand's shape and the reduced dimensions only, so that the
// evaluator, the code generator on every instruction set, and any number of threads give the same
// bits. This file is the one definition; whoever reduces follows it.
//
// Canonical view. Drop dimensions of size 1, then merge neighbours that are both kept or both
// reduced (so a squeeze, an expand_dims or a merging reshape before the reduction changes nothing):
//
//     f32[2,1,3,4,5] reduced over {3,4}   ->   kept 6, reduced 20
//
// The elements of one result element, in row-major order of the reduced dimensions, are its
// *sequence*, of length `count`.
//
// Row order (the last dimension of the view is reduced). A *run* is the last dimension of the view:
// contiguous in a row-major operand; a sequence is `runs` runs of `run` elements.
//   - chunks: a run longer than kRowChunk is cut every kRowChunk elements (each run by itself, the
//     last piece may be short); shorter runs are grouped whole, kRowChunk / run of them to a chunk.
//   - a chunk has kLanes accumulators, each starts from the identity; element i of a run (i counted
//     from the beginning of this chunk's part of the run) goes to lane i mod kLanes; in the next run
//     of the same chunk the lanes go on accumulating and i starts again at 0. A short tail leaves
//     the other lanes alone.
//   - lanes combine by halves: lane l with lane l + 8 for l < 8, then + 4, + 2, + 1.
//
// Column order (the last dimension of the view is kept). The sequence is cut into chunks of
// kColumnChunk elements; each is accumulated from the identity in order, one accumulator.
//
// Both: chunk results combine pairwise, neighbours first (0 with 1, 2 with 3, ..., an odd last one
// passes through; then again, until one is left; `PairwiseTree` does it while streaming). Last:
// init (+) that. An empty sequence gives init. The left operand of (+) is always the one that comes
// first in the order: accumulator (+) element, lower lane (+) upper lane, init (+) total.
//
// The identity is a true one, x (+) identity == x for every x including -0.0 and NaN: -0.0 for a
// floating-point sum, 0 for integers, 1 for products, -inf / +inf (integers: lowest / highest) for
// max / min, all ones / zeros for and / or. So code that skips untouched lanes gives the same bits.
//
// f16 and bf16 accumulate in f32 and round once, after init (+) total. Bool reduces by and / or.
// A body that is not one of these monoids, operands in order (ReductionOpInterface::combinerOp), runs
// strictly in sequence: acc = init; for each element acc = body(acc, element). Code may use any
// order where the result provably does not depend on it (argmax with its tie rule).
// NaN results are NaN on every path; their payload and sign are not specified.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tenon::math {

inline constexpr int kLanes = 16;  // accumulators of a row; every dtype (two registers for f64)
inline constexpr std::int64_t kRowChunk = 4096;
inline constexpr std::int64_t kColumnChunk = 256;

/// The order of one reduction. All counts are per result element.
struct ReductionOrder {
  bool is_row = false;      ///< row order, else column order
  std::int64_t run = 1;     ///< row: elements of one contiguous run; column: 1
  std::int64_t runs = 1;    ///< row: runs of the sequence; column: its length
  std::int64_t chunks = 1;  ///< chunks of the sequence (0 when it is empty)

  constexpr std::int64_t count() const { return run * runs; }
};

/// What chunk `i` covers: `runs` whole runs from `first_run`, or (of one run) a part of it.
/// Elements `begin .. end` of each of these runs; positions in the sequence are
/// `(first_run + r) * run + begin + i`.
struct ReductionChunk {
  std::int64_t first_run = 0;
  std::int64_t runs = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// The order for a reduction of `shape` over the dimensions with `is_reduced[d]`.
///
/// `is_reduced` has the length of `shape`. A reduction over nothing has one element per result
/// (column order with one chunk of one).
constexpr ReductionOrder reduction_order(std::span<const std::int64_t> shape,
                                         std::span<const bool> is_reduced) {
  ReductionOrder order;
  std::size_t d = shape.size();
  while (d > 0 && shape[d - 1] == 1) --d;
  order.is_row = d > 0 && is_reduced[d - 1];
  if (order.is_row) {
    for (; d > 0 && (is_reduced[d - 1] || shape[d - 1] == 1); --d) order.run *= shape[d - 1];
  }
  for (; d > 0; --d) {
    if (is_reduced[d - 1]) order.runs *= shape[d - 1];
  }
  if (order.count() == 0) {
    order.chunks = 0;
  } else if (!order.is_row) {
    order.chunks = (order.runs + kColumnChunk - 1) / kColumnChunk;
  } else if (order.run > kRowChunk) {
    order.chunks = order.runs * ((order.run + kRowChunk - 1) / kRowChunk);
  } else {
    const std::int64_t group = kRowChunk / order.run;
    order.chunks = (order.runs + group - 1) / group;
  }
  return order;
}

/// Chunk `i` of `order`, 0 <= i < order.chunks.
constexpr ReductionChunk reduction_chunk(const ReductionOrder& order, std::int64_t i) {
  const auto smaller = [](std::int64_t a, std::int64_t b) { return a < b ? a : b; };
  if (!order.is_row) {
    const std::int64_t first = i * kColumnChunk;
    return {first, smaller(kColumnChunk, order.runs - first), 0, 1};
  }
  if (order.run > kRowChunk) {
    const std::int64_t pieces = (order.run + kRowChunk - 1) / kRowChunk;
    const std::int64_t begin = i % pieces * kRowChunk;
    return {i / pieces, 1, begin, smaller(begin + kRowChunk, order.run)};
  }
  const std::int64_t group = kRowChunk / order.run;
  const std::int64_t first = i * group;
  return {first, smaller(group, order.runs - first), 0, order.run};
}

/// Combines kLanes accumulators by halves; the total is left in lanes[0].
template <class T, class Combine>
constexpr void combine_lanes(T* lanes, Combine combine) {
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) lanes[l] = combine(lanes[l], lanes[l + half]);
  }
}

/// Combines chunk results pairwise as they arrive, in O(log n) memory: the same tree as combining
/// neighbours level by level with an odd last one passing through.
template <class T>
class PairwiseTree {
 public:
  /// Adds the result of the next chunk.
  template <class Combine>
  constexpr void push(T value, Combine combine) {
    std::uint64_t n = pushed_++;
    for (; n & 1; n >>= 1) value = combine(stack_[--depth_], value);
    stack_[depth_++] = value;
  }

  /// The combination of all; needs one push at least.
  template <class Combine>
  constexpr T total(Combine combine) const {
    T value = stack_[depth_ - 1];
    for (int i = depth_ - 2; i >= 0; --i) value = combine(stack_[i], value);
    return value;
  }

 private:
  std::uint64_t pushed_ = 0;
  int depth_ = 0;
  T stack_[64] = {};
};

/// Reduces one sequence in canonical order: the definition in code.
///
/// `element(p)` gives element p of the sequence, 0 <= p < order.count(); `combine(a, b)` is (+).
template <class T, class Element, class Combine>
constexpr T reduce_in_order(const ReductionOrder& order, T init, T identity, Element element,
                            Combine combine) {
  if (order.chunks == 0) return init;
  PairwiseTree<T> tree;
  for (std::int64_t c = 0; c < order.chunks; ++c) {
    const ReductionChunk chunk = reduction_chunk(order, c);
    T lanes[kLanes] = {};
    for (T& lane : lanes) lane = identity;
    for (std::int64_t r = 0; r < chunk.runs; ++r) {
      const std::int64_t first = (chunk.first_run + r) * order.run + chunk.begin;
      for (std::int64_t i = 0; i < chunk.end - chunk.begin; ++i) {
        T& lane = lanes[order.is_row ? i % kLanes : 0];
        lane = combine(lane, element(first + i));
      }
    }
    if (order.is_row) combine_lanes(lanes, combine);
    tree.push(lanes[0], combine);
  }
  return combine(init, tree.total(combine));
}

}  // namespace tenon::math
