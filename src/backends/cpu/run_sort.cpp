// A line is sorted as a permutation: keys become unsigned integers that compare as the order says,
// (key, position) pairs are sorted by radix where there are many and by merging where there are few,
// the last key first. Then every array is gathered by the permutation. An order that is not one of
// keys is asked of the compiled comparator.
#include "backends/cpu/run_sort.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "runtime/allocator.h"
#include "runtime/thread_pool.h"

namespace tenon::cpu {

using namespace tenon::elements;

namespace {

constexpr int64_t kChunkElements = 1 << 11;  // worth a thread's attention: some 20 us
constexpr size_t kRadixFrom = 512;           // elements; below, merging has less to set up
constexpr size_t kInsertion = 16;

template <class K>
struct Entry {
  K key;
  uint32_t position;
};

// ---- keys

/// One integer width for each element size: 8 and 16 bits sort as 32.
template <class T>
using KeyOf = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

// ---- sorting of entries

template <class K>
void insertion_sort(Entry<K>* begin, Entry<K>* end) {
  for (Entry<K>* i = begin + 1; i < end; ++i) {
    const Entry<K> moved = *i;
    Entry<K>* j = i;
    for (; j > begin && moved.key < j[-1].key; --j) *j = j[-1];
    *j = moved;
  }
}

/// The result is in `entries`; `other` has the same size.
template <class K>
void merge_sort(Entry<K>* entries, Entry<K>* other, size_t count) {
  for (size_t first = 0; first < count; first += kInsertion)
    insertion_sort(entries + first, entries + std::min(first + kInsertion, count));
  Entry<K>*from = entries, *to = other;
  for (size_t width = kInsertion; width < count; width *= 2, std::swap(from, to)) {
    for (size_t first = 0; first < count; first += 2 * width) {
      const Entry<K>*a = from + first, *middle = from + std::min(first + width, count), *b = middle,
                    *end = from + std::min(first + 2 * width, count);
      for (Entry<K>* out = to + first; out < to + (end - from); ++out) {
        const bool right = a == middle || (b < end && b->key < a->key);
        *out = right ? *b++ : *a++;
      }
    }
  }
  if (from != entries) std::copy_n(from, count, entries);
}

/// Bytes of the key that are the same everywhere are passed over.
template <class K>
void radix_sort(Entry<K>* entries, Entry<K>* other, size_t count) {
  constexpr size_t kDigits = sizeof(K);
  std::array<uint32_t, kDigits * 256> counts{};
  for (size_t i = 0; i < count; ++i)
    for (size_t d = 0; d < kDigits; ++d) ++counts[d * 256 + (entries[i].key >> (8 * d) & 255)];
  Entry<K>*from = entries, *to = other;
  for (size_t d = 0; d < kDigits; ++d) {
    uint32_t* places = counts.data() + d * 256;
    if (places[from[0].key >> (8 * d) & 255] == count) continue;
    uint32_t sum = 0;
    for (int digit = 0; digit < 256; ++digit) sum += std::exchange(places[digit], sum);
    for (size_t i = 0; i < count; ++i) to[places[from[i].key >> (8 * d) & 255]++] = from[i];
    std::swap(from, to);
  }
  if (from != entries) std::copy_n(from, count, entries);
}

// ---- lines

/// Memory of one thread: the permutation, then entries twice or another permutation.
struct Scratch {
  runtime::Allocation memory;
  std::span<uint32_t> order;

  explicit Scratch(const SortStep& step)
      : memory(bytes(step)), order(static_cast<uint32_t*>(memory.data()), static_cast<size_t>(step.lines.length)) {}

  static int64_t bytes(const SortStep& step) {
    int64_t each = step.keys.empty() ? sizeof(uint32_t) : 0;
    for (const SortKey& key : step.keys)
      each = std::max<int64_t>(each, 2 * (key.type.itemsize() == 8 ? sizeof(Entry<uint64_t>) : sizeof(Entry<uint32_t>)));
    return order_bytes(step.lines.length) + each * step.lines.length;
  }
  template <class E>
  E* rest() const {
    return reinterpret_cast<E*>(static_cast<char*>(memory.data()) + order_bytes(static_cast<int64_t>(order.size())));
  }
  static int64_t order_bytes(int64_t length) { return (length + 1) / 2 * 2 * static_cast<int64_t>(sizeof(uint32_t)); }
};

/// Reorders `order` by one key, whose parts lie `stride_bytes` apart from `data` on.
template <class T>
void sort_by_key(const SortKey& key, const char* data, int64_t stride_bytes, Scratch& scratch) {
  using K = KeyOf<T>;
  const size_t count = scratch.order.size();
  Entry<K>*entries = scratch.rest<Entry<K>>(), *other = entries + count;
  for (size_t i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, data + scratch.order[i] * stride_bytes, sizeof(T));
    entries[i] = {static_cast<K>(ordered_bits(element, key)), scratch.order[i]};
  }
  if (count < kRadixFrom) merge_sort(entries, other, count);
  else radix_sort(entries, other, count);
  for (size_t i = 0; i < count; ++i) scratch.order[i] = entries[i].position;
}

/// Any comparator, even one that is no order, gives some permutation.
void sort_by_comparator(const SortStep& step, ScalarFunction comparator, void* const* buffers, int64_t first, Scratch& scratch) {
  const size_t count = scratch.order.size(), operands = step.itemsizes.size();
  std::vector<void*> arguments(2 * operands + 1);
  uint8_t before = 0;
  arguments[2 * operands] = &before;
  const auto comes_before = [&](uint32_t i, uint32_t j) {
    for (size_t o = 0; o < operands; ++o) {
      char* line = static_cast<char*>(buffers[o]) + first * step.itemsizes[o];
      const int64_t stride = step.lines.inner * step.itemsizes[o];
      arguments[2 * o] = line + i * stride;
      arguments[2 * o + 1] = line + j * stride;
    }
    comparator(arguments.data());
    return before != 0;
  };
  std::span<uint32_t> from = scratch.order, other(scratch.rest<uint32_t>(), count);
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t begin = 0; begin < count; begin += 2 * width) {
      const size_t middle = std::min(begin + width, count), end = std::min(begin + 2 * width, count);
      for (size_t i = begin, j = middle, k = begin; k < end; ++k) {
        const bool right = i == middle || (j < end && comes_before(from[j], from[i]));
        other[k] = from[right ? j++ : i++];
      }
    }
    std::swap(from, other);
  }
  if (from.data() != scratch.order.data()) std::ranges::copy(from, scratch.order.begin());
}

template <class Unit>
void gather(std::span<const uint32_t> order, const void* in, void* out, int64_t stride) {
  const auto* from = static_cast<const Unit*>(in);
  auto* to = static_cast<Unit*>(out);
  for (size_t i = 0; i < order.size(); ++i) to[static_cast<int64_t>(i) * stride] = from[order[i] * stride];
}

void gather(std::span<const uint32_t> order, const void* in, void* out, int64_t stride, int itemsize) {
  switch (itemsize) {
    case 1: return gather<uint8_t>(order, in, out, stride);
    case 2: return gather<uint16_t>(order, in, out, stride);
    case 4: return gather<uint32_t>(order, in, out, stride);
    case 8: return gather<uint64_t>(order, in, out, stride);
    default: return gather<Complex128>(order, in, out, stride);
  }
}

void sort_line(const SortStep& step, ScalarFunction comparator, void* const* buffers, int64_t first, Scratch& scratch) {
  const size_t operands = step.itemsizes.size();
  for (size_t i = 0; i < scratch.order.size(); ++i) scratch.order[i] = static_cast<uint32_t>(i);
  if (step.keys.empty()) sort_by_comparator(step, comparator, buffers, first, scratch);
  for (size_t k = step.keys.size(); k-- > 0;) {
    const SortKey& key = step.keys[k];
    const int64_t itemsize = step.itemsizes[static_cast<size_t>(key.operand)];
    const char* data = static_cast<const char*>(buffers[key.operand]) + first * itemsize + key.offset_bytes;
    with_element_type(key.type, [&]<class T>() {
      if constexpr (!is_complex<T>) sort_by_key<T>(key, data, step.lines.inner * itemsize, scratch);
    });
  }
  for (size_t o = 0; o < operands; ++o) {
    const int64_t offset = first * step.itemsizes[o];
    gather(scratch.order, static_cast<const char*>(buffers[o]) + offset, static_cast<char*>(buffers[operands + o]) + offset,
           step.lines.inner, step.itemsizes[o]);
  }
}

int64_t lines_together(const SortStep& step) { return std::max<int64_t>(1, kChunkElements / step.lines.length); }

}  // namespace

int64_t sort_scratch_bytes(const SortStep& step, int threads) {
  const auto& [outer, length, inner] = step.lines;
  if (outer * length * inner == 0) return 0;
  return std::min<int64_t>(threads, (outer * inner + lines_together(step) - 1) / lines_together(step)) * Scratch::bytes(step);
}

void run_sort(const SortStep& step, ScalarFunction comparator, void* const* buffers) {
  const auto& [outer, length, inner] = step.lines;
  if (outer * length * inner == 0) return;
  runtime::parallel_for(outer * inner, lines_together(step), [&](int64_t begin, int64_t end) {
    Scratch scratch(step);
    for (int64_t line = begin; line < end; ++line)
      sort_line(step, comparator, buffers, line / inner * length * inner + line % inner, scratch);
  });
}

}  // namespace tenon::cpu
