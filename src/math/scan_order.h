// The canonical order of a running total along one axis: in which order elements are combined. A
// function of the length only, so that the evaluator, compiled code and any number of threads give the
// same bits. This file is the one definition; whoever scans follows it.
//
// The sequence is cut into chunks of kScanChunk elements (the last may be short). In a chunk the local
// total of element i combines the elements from the chunk's first to i, one after the other. Its result
// is carry (+) local total; the carry is init in the first chunk, and the last result of the chunk
// before in the others. So no element is combined more than n / kScanChunk + kScanChunk times, while
// the work stays linear. The left operand of (+) is what comes first.
//
// A reversed scan is the same from the end: what comes first in the array is still the left operand,
// and the carry the right one.
//
// f16 and bf16 accumulate in f32 and round when a result is stored (the carry is not rounded); a body
// that is not a monoid of one operation computes in the elements' type.
#pragma once

#include <cstdint>

namespace tenon::math {

inline constexpr std::int64_t kScanChunk = 64;

/// One sequence: `load(i)` gives element i, `store(i, total)` takes result i; each is called once for
/// each i, the load before the store.
template <class T, class Load, class Store, class Combine>
constexpr void scan_in_order(std::int64_t count, bool reverse, T init, Load load, Store store, Combine combine) {
  T carry = init;
  for (std::int64_t first = 0; first < count; first += kScanChunk) {
    const std::int64_t last = count - first < kScanChunk ? count : first + kScanChunk;
    T local{}, total{};
    for (std::int64_t p = first; p < last; ++p) {
      const std::int64_t i = reverse ? count - 1 - p : p;
      const T element = load(i);
      local = p == first ? element : reverse ? combine(element, local) : combine(local, element);
      total = reverse ? combine(local, carry) : combine(carry, local);
      store(i, total);
    }
    carry = total;
  }
}

}  // namespace tenon::math
