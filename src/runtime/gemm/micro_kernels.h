// The kernels as templates over the vector width, in vector extensions of the compiler; included by
// one source file for each instruction set. Everything is in an unnamed namespace: see
// kernel_table.h.
#pragma once

#include "runtime/gemm/gemm_k_block.h"
#include "runtime/gemm/kernel_table.h"

#if defined(__FMA__) || defined(__aarch64__)
#define TENON_GEMM_FMA 1
#endif

namespace tenon::runtime {
namespace {

template <class T, int kBytes>
struct VectorOf {
  typedef T Type __attribute__((vector_size(kBytes)));
  typedef T Unaligned __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
};

template <class T, int kBytes>
struct Kernels {
  using Vec = typename VectorOf<T, kBytes>::Type;
  using UnalignedVec = typename VectorOf<T, kBytes>::Unaligned;
  static constexpr int kLanes = kBytes / sizeof(T);

  static Vec load(const T* p) { return *reinterpret_cast<const UnalignedVec*>(p); }
  static void store(T* p, Vec v) { *reinterpret_cast<UnalignedVec*>(p) = v; }
  static Vec splat(T x) { return x - Vec{}; }
  static constexpr bool kIsInteger = static_cast<T>(0.5) == T{0};

  static Vec multiply_add(Vec a, Vec b, Vec c) {
#ifdef TENON_GEMM_FMA
    if constexpr (!kIsInteger) return __builtin_elementwise_fma(a, b, c);
#endif
    return a * b + c;
  }
  static T multiply_add(T a, T b, T c) {
#ifdef TENON_GEMM_FMA
    if constexpr (sizeof(T) == 4 && !kIsInteger) return __builtin_fmaf(a, b, c);
    if constexpr (sizeof(T) == 8 && !kIsInteger) return __builtin_fma(a, b, c);
#endif
    return a * b + c;
  }

  // TILES

  // How the rows of A lie: in panels; apart, each contiguous, with B in panels; in any way.
  enum class Left { packed, lines, strided };

  // kRows x (kVectors * kLanes) elements of C in registers.
  template <int kRows, int kVectors, Left kLeft, int kTileRows, int kTileVectors>
  static void tile(int64_t k, const T* a, int64_t a_row_stride, int64_t a_stride, const T* b,
                   int64_t b_stride, T* c, int64_t c_row_stride, int64_t columns, bool accumulate) {
    Vec acc[kRows][kVectors] = {};
    for (int i = 0; i < kRows; ++i) {
      __builtin_prefetch(c + i * c_row_stride, 1);
      __builtin_prefetch(c + i * c_row_stride + columns - 1, 1);
    }
    const int64_t a_k_stride = kLeft == Left::lines ? 1 : a_stride;
    const int64_t b_k_stride = kLeft == Left::lines ? kTileVectors * kLanes : b_stride;
    // Rows that lie apart go in groups of three, by one pointer and one distance. The compiler must not find out how far the
    // groups are from each other: it would go from row to row by sums that wait for each other.
    constexpr bool kPacked = kLeft == Left::packed;
    constexpr int kGroups = kPacked ? 1 : (kRows + 2) / 3;
    const T* group[kGroups];
    for (int g = 0; g < kGroups; ++g) {
      group[g] = a + 3 * g * a_row_stride;
      if constexpr (!kPacked) asm("" : "+r"(group[g]));
    }
    // Full tiles only: partial ones are rare, and each copy costs code and compile time.
    [[maybe_unused]] constexpr int kUnroll = kRows == kTileRows && kVectors == kTileVectors ? 4 : 1;
#ifdef __clang__
#pragma clang loop unroll_count(kUnroll)
#endif
    for (int64_t p = 0; p < k; ++p) {
      Vec b_vectors[kVectors];
      for (int j = 0; j < kVectors; ++j) b_vectors[j] = load(b + j * kLanes);
      for (int i = 0; i < kRows; ++i) {
        const Vec x = splat(kPacked ? group[0][i] : group[i / 3][i % 3 * a_row_stride]);
        for (int j = 0; j < kVectors; ++j) acc[i][j] = multiply_add(x, b_vectors[j], acc[i][j]);
      }
      for (const T*& from : group) from += a_k_stride;
      b += b_k_stride;
    }
    if (columns == kVectors * kLanes) {
      for (int i = 0; i < kRows; ++i) {
        for (int j = 0; j < kVectors; ++j) {
          T* const to = c + i * c_row_stride + j * kLanes;
          store(to, accumulate ? load(to) + acc[i][j] : acc[i][j]);
        }
      }
      return;
    }
    alignas(kBytes) T row[kVectors * kLanes];
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < kVectors; ++j) store(row + j * kLanes, acc[i][j]);
      T* const to = c + i * c_row_stride;
      for (int64_t j = 0; j < columns; ++j) to[j] = accumulate ? to[j] + row[j] : row[j];
    }
  }

  // TRANSPOSITION of kLanes x kLanes elements, first inside 128-bit lanes, then of the lanes.

  static constexpr int kLaneElements = 16 / sizeof(T);
  static constexpr int kLaneCount = kBytes / 16;

  template <int... kI>
  struct Indices {};
  template <int kN, int... kI>
  struct MakeIndices : MakeIndices<kN - 1, kN - 1, kI...> {};
  template <int... kI>
  struct MakeIndices<0, kI...> {
    using Type = Indices<kI...>;
  };
  using AllLanes = typename MakeIndices<kLanes>::Type;

  // In each 128-bit lane: elements `first`, `first + 1`, ... of a and b alternating.
  template <int kFirst, int... kI>
  static Vec interleave(Vec a, Vec b, Indices<kI...>) {
    return __builtin_shufflevector(a, b,
                                   (kI / kLaneElements * kLaneElements + kFirst +
                                    kI % kLaneElements / 2 + kI % 2 * kLanes)...);
  }
  // In each 128-bit lane: two elements of a from kFirst, two of b.
  template <int kFirst, int... kI>
  static Vec pairs(Vec a, Vec b, Indices<kI...>) {
    return __builtin_shufflevector(a, b,
                                   (kI / kLaneElements * kLaneElements + kFirst + kI % 2 +
                                    kI % kLaneElements / 2 * kLanes)...);
  }
  // Blocks of kWidth elements: the even (kOdd = 0) or odd ones of a and b, taking turns.
  template <int kWidth, int kOdd, int... kI>
  static Vec blocks(Vec a, Vec b, Indices<kI...>) {
    return __builtin_shufflevector(a, b,
                                   (kI / (2 * kWidth) * (2 * kWidth) + kOdd * kWidth + kI % kWidth +
                                    kI / kWidth % 2 * kLanes)...);
  }

  static void transpose(Vec (&rows)[kLanes]) {
    constexpr AllLanes all;
    if constexpr (kLaneElements == 4) {
      for (int i = 0; i < kLanes; i += 4) {
        const Vec low01 = interleave<0>(rows[i], rows[i + 1], all);
        const Vec high01 = interleave<2>(rows[i], rows[i + 1], all);
        const Vec low23 = interleave<0>(rows[i + 2], rows[i + 3], all);
        const Vec high23 = interleave<2>(rows[i + 2], rows[i + 3], all);
        rows[i] = pairs<0>(low01, low23, all);
        rows[i + 1] = pairs<2>(low01, low23, all);
        rows[i + 2] = pairs<0>(high01, high23, all);
        rows[i + 3] = pairs<2>(high01, high23, all);
      }
    } else {
      for (int i = 0; i < kLanes; i += 2) {
        const Vec low = interleave<0>(rows[i], rows[i + 1], all);
        rows[i + 1] = interleave<1>(rows[i], rows[i + 1], all);
        rows[i] = low;
      }
    }
    if constexpr (kLaneCount >= 2) exchange_lanes<1>(rows);
    if constexpr (kLaneCount >= 4) exchange_lanes<2>(rows);
  }
  template <int kDistance>
  static void exchange_lanes(Vec (&rows)[kLanes]) {
    constexpr int kWidth = kDistance * kLaneElements;
    constexpr AllLanes all;
    for (int i = 0; i < kLanes; ++i) {
      if (i / kWidth % 2 != 0) continue;
      const Vec even = blocks<kWidth, 0>(rows[i], rows[i + kWidth], all);
      rows[i + kWidth] = blocks<kWidth, 1>(rows[i], rows[i + kWidth], all);
      rows[i] = even;
    }
  }

  // PACKING

  template <int kWidth, bool kZeroFill>
  static void pack(int64_t count, int64_t k, const T* in, int64_t stride, int64_t k_stride,
                   T* out) {
    // What belongs to one k is contiguous: several panels at once, to read more of it in one go.
    constexpr int kPanels = 4;
    for (; stride == 1 && count >= kPanels * kWidth; count -= kPanels * kWidth) {
      for (int64_t p = 0; p < k; ++p) {
        const T* const from = in + p * k_stride;
        __builtin_prefetch(from + 8 * k_stride);
        __builtin_prefetch(from + 8 * k_stride + kPanels * kWidth - 1);
        for (int q = 0; q < kPanels; ++q) {
          __builtin_memcpy(out + (q * k + p) * kWidth, from + q * kWidth, kWidth * sizeof(T));
        }
      }
      in += kPanels * kWidth;
      out += kPanels * kWidth * k;
    }
    for (; count > 0; count -= kWidth) {
      pack_panel<kWidth, kZeroFill>(count < kWidth ? count : kWidth, k, in, stride, k_stride, out);
      in += kWidth * stride;
      out += kWidth * k;
    }
  }

  template <int kWidth, bool kZeroFill>
  static void pack_panel(int64_t count, int64_t k, const T* in, int64_t stride, int64_t k_stride,
                         T* out) {
    int64_t p = 0;
    if (count == kWidth && k_stride == 1 && stride != 1) {
      constexpr int kGroups = (kWidth + kLanes - 1) / kLanes;
      for (; p + kLanes <= k; p += kLanes) {
        if (p % (64 / static_cast<int64_t>(sizeof(T))) == 0) {  // the same of the next panel
          for (int i = 0; i < kWidth; ++i) __builtin_prefetch(in + (i + kWidth) * stride + p);
        }
        Vec rows[kGroups][kLanes];
        for (int g = 0; g < kGroups; ++g) {
          for (int i = 0; i < kLanes; ++i) {
            rows[g][i] = g * kLanes + i < kWidth ? load(in + (g * kLanes + i) * stride + p) : Vec{};
          }
          transpose(rows[g]);
        }
        // What a store writes too much, the next one overwrites.
        for (int i = 0; i < kLanes; ++i) {
          for (int g = 0; g < kGroups; ++g) store(out + (p + i) * kWidth + g * kLanes, rows[g][i]);
        }
      }
    } else if (count == kWidth && stride == 1) {
      for (; p < k; ++p) {
        __builtin_memcpy(out + p * kWidth, in + p * k_stride, kWidth * sizeof(T));
      }
    }
    for (; p < k; ++p) {
      for (int64_t i = 0; i < count; ++i) out[p * kWidth + i] = in[i * stride + p * k_stride];
      if (kZeroFill) {
        for (int64_t i = count; i < kWidth; ++i) out[p * kWidth + i] = T{0};
      }
    }
  }

  // MATRIX TIMES VECTOR

  // Sums of `kLanes` rows over part of a K block, each lane one row in order: blocks of kLanes x
  // kLanes are transposed in registers.
  static Vec add_rows(const T* const* from, int64_t begin, int64_t end, const T* x, Vec acc) {
    int64_t p = begin;
    for (; p + kLanes <= end; p += kLanes) acc = add_square(from, p, x, acc);
    for (; p < end; ++p) {
      Vec column;
      for (int i = 0; i < kLanes; ++i) column[i] = from[i][p];
      acc = multiply_add(column, splat(x[p]), acc);
    }
    return acc;
  }
  static Vec add_square(const T* const* from, int64_t p, const T* x, Vec acc) {
    Vec lines[kLanes];
    for (int i = 0; i < kLanes; ++i) lines[i] = load(from[i] + p);
    transpose(lines);
    for (int i = 0; i < kLanes; ++i) acc = multiply_add(lines[i], splat(x[p + i]), acc);
    return acc;
  }

  // The products of up to kLanes rows; fewer: the last one fills up. A sum in order waits for each
  // addition: where a vector is long enough to outrun the memory, kBlocks K blocks go side by side.
  // Without AVX-512 one block does, and the eight streams are left to the hardware: with two, and
  // with prefetches, rows at a distance of 16 KiB drive each other out of the cache (an EPYC with
  // AVX2: 14 GB/s with one, which is all that it reads; 8 with two; 5 with prefetches).
  static constexpr int kBlocks = kBytes == 64 ? 2 : 1;
  static void dot_row_group(int64_t rows, int64_t k, const T* matrix, int64_t row_stride,
                            const T* x, T* y, int64_t y_stride) {
    constexpr int kLine = 64 / sizeof(T);
    const T* from[kLanes];
    for (int i = 0; i < kLanes; ++i) from[i] = matrix + (i < rows ? i : rows - 1) * row_stride;
    Vec total{};
    int64_t block = 0;
    for (; block + kBlocks * kGemmKBlock <= k; block += kBlocks * kGemmKBlock) {
      // Next in line: these rows further on, or the rows after them.
      const int64_t ahead = block + 2 * kBlocks * kGemmKBlock <= k ? kBlocks * kGemmKBlock
                                                                   : kLanes * row_stride - block;
      Vec acc[kBlocks] = {};
      for (int64_t p = block; p < block + kGemmKBlock; p += kLine) {
        for (int b = 0; b < kBlocks; ++b) {
          for (int i = 0; kBlocks > 1 && i < kLanes; ++i) {
            __builtin_prefetch(from[i] + ahead + p + b * kGemmKBlock, 0, 2);
          }
          for (int q = 0; q < kLine; q += kLanes) {
            acc[b] = add_square(from, p + b * kGemmKBlock + q, x, acc[b]);
          }
        }
      }
      for (int b = 0; b < kBlocks; ++b) total = block == 0 && b == 0 ? acc[b] : total + acc[b];
    }
    for (; block < k; block += kGemmKBlock) {
      const int64_t end = k - block < kGemmKBlock ? k : block + kGemmKBlock;
      const Vec acc = add_rows(from, block, end, x, Vec{});
      total = block == 0 ? acc : total + acc;
    }
    write_rows(rows, total, y, y_stride);
  }

  // kGroups * kLanes rows of fewer than two K blocks: groups of rows go side by side.
  template <int kGroups>
  static void dot_short_rows(int64_t k, const T* matrix, int64_t row_stride, const T* x, T* y,
                             int64_t y_stride) {
    const T* from[kGroups][kLanes];
    for (int g = 0; g < kGroups; ++g) {
      for (int i = 0; i < kLanes; ++i) from[g][i] = matrix + (g * kLanes + i) * row_stride;
    }
    Vec total[kGroups] = {};
    for (int64_t block = 0; block < k; block += kGemmKBlock) {
      const int64_t end = k - block < kGemmKBlock ? k : block + kGemmKBlock;
      Vec acc[kGroups] = {};
      int64_t p = block;
      for (; p + kLanes <= end; p += kLanes) {
        for (int g = 0; g < kGroups; ++g) acc[g] = add_square(from[g], p, x, acc[g]);
      }
      for (int g = 0; g < kGroups; ++g) {
        acc[g] = add_rows(from[g], p, end, x, acc[g]);
        total[g] = block == 0 ? acc[g] : total[g] + acc[g];
      }
    }
    for (int g = 0; g < kGroups; ++g) {
      write_rows(kLanes, total[g], y + g * kLanes * y_stride, y_stride);
    }
  }

  static void write_rows(int64_t rows, Vec sums, T* y, int64_t y_stride) {
    alignas(kBytes) T out[kLanes];
    store(out, sums);
    for (int i = 0; i < kLanes && i < rows; ++i) y[i * y_stride] = out[i];
  }

  // One row: each lane sums a K block.
  static T dot_row(int64_t k, const T* row, const T* x) {
    T total{};
    int64_t block = 0;
    for (; block + kLanes * kGemmKBlock <= k; block += kLanes * kGemmKBlock) {
      Vec acc{};
      for (int64_t p = block; p < block + kGemmKBlock; p += kLanes) {
        Vec a[kLanes], b[kLanes];
        for (int i = 0; i < kLanes; ++i) {
          a[i] = load(row + p + i * kGemmKBlock);
          b[i] = load(x + p + i * kGemmKBlock);
        }
        transpose(a);
        transpose(b);
        for (int i = 0; i < kLanes; ++i) acc = multiply_add(a[i], b[i], acc);
      }
      for (int i = 0; i < kLanes; ++i) total = block == 0 && i == 0 ? acc[0] : total + acc[i];
    }
    for (; block < k; block += kGemmKBlock) {
      const int64_t end = k - block < kGemmKBlock ? k : block + kGemmKBlock;
      T acc{};
      for (int64_t p = block; p < end; ++p) acc = multiply_add(row[p], x[p], acc);
      total = block == 0 ? acc : total + acc;
    }
    return total;
  }

  static void dot_rows(int64_t rows, int64_t k, const T* matrix, int64_t row_stride, int64_t,
                       const T* x, T* y, int64_t y_stride) {
    int64_t i = 0;
    if (k < 2 * kGemmKBlock) {
      constexpr int kGroups = 32 / kLanes > 2 ? 32 / kLanes : 2;
      for (; i + kGroups * kLanes <= rows; i += kGroups * kLanes) {
        dot_short_rows<kGroups>(k, matrix + i * row_stride, row_stride, x, y + i * y_stride,
                                y_stride);
      }
    }
    for (; i + 1 < rows; i += kLanes) {
      dot_row_group(rows - i, k, matrix + i * row_stride, row_stride, x, y + i * y_stride,
                    y_stride);
    }
    if (i < rows) y[i * y_stride] = dot_row(k, matrix + i * row_stride, x);
  }

  // y += x[p] * (what belongs to p), kAtOnce of them in one pass over the accumulators.
  static constexpr int kAtOnce = 8;
  static constexpr int64_t kAccumulators = 4096 / sizeof(T);

  template <int kCount>
  static void add_scaled_pass(int64_t rows, const T* matrix, int64_t k_stride, const T* x, T* acc) {
    int64_t i = 0;
    Vec scale[kCount];
    for (int q = 0; q < kCount; ++q) scale[q] = splat(x[q]);
    for (; i + kLanes <= rows; i += kLanes) {
      Vec sum = load(acc + i);
      for (int q = 0; q < kCount; ++q) {
        sum = multiply_add(load(matrix + q * k_stride + i), scale[q], sum);
      }
      store(acc + i, sum);
    }
    for (; i < rows; ++i) {
      for (int q = 0; q < kCount; ++q) {
        acc[i] = multiply_add(matrix[q * k_stride + i], x[q], acc[i]);
      }
    }
  }

  static void add_scaled(int64_t rows, int64_t k, const T* matrix, int64_t, int64_t k_stride,
                         const T* x, T* y, int64_t) {
    for (int64_t first = 0; first < rows; first += kAccumulators) {
      const int64_t count = rows - first < kAccumulators ? rows - first : kAccumulators;
      for (int64_t block = 0; block < k; block += kGemmKBlock) {
        const int64_t end = k - block < kGemmKBlock ? k : block + kGemmKBlock;
        alignas(64) T acc[kAccumulators];
        for (int64_t i = 0; i < count; ++i) acc[i] = T{};
        int64_t p = block;
        const T* from = matrix + first + p * k_stride;
        for (; p + kAtOnce <= end; p += kAtOnce, from += kAtOnce * k_stride) {
          add_scaled_pass<kAtOnce>(count, from, k_stride, x + p, acc);
        }
        for (; p < end; ++p, from += k_stride) {
          add_scaled_pass<1>(count, from, k_stride, x + p, acc);
        }
        T* const to = y + first;
        for (int64_t i = 0; i < count; ++i) to[i] = block == 0 ? acc[i] : to[i] + acc[i];
      }
    }
  }

  // THE TABLE

  template <int kRows, int kTileRows, int kTileVectors>
  static constexpr void add_tiles(GemmKernels<T>& table) {
    if constexpr (kRows <= kTileRows) {
      table.packed[kRows - 1][0] = tile<kRows, 1, Left::packed, kTileRows, kTileVectors>;
      table.packed[kRows - 1][1] = tile<kRows, kTileVectors, Left::packed, kTileRows, kTileVectors>;
      table.lines[kRows - 1][0] = tile<kRows, 1, Left::lines, kTileRows, kTileVectors>;
      table.lines[kRows - 1][1] = tile<kRows, kTileVectors, Left::lines, kTileRows, kTileVectors>;
      table.strided[kRows - 1][0] = tile<kRows, 1, Left::strided, kTileRows, kTileVectors>;
      table.strided[kRows - 1][1] = tile<kRows, kTileVectors, Left::strided, kTileRows, kTileVectors>;
      add_tiles<kRows + 1, kTileRows, kTileVectors>(table);
    }
  }

  template <int kTileRows, int kTileVectors>
  static constexpr GemmKernels<T> table() {
    GemmKernels<T> table{};
    table.tile_rows = kTileRows;
    table.tile_columns = kTileVectors * kLanes;
    table.vector_columns = kLanes;
    add_tiles<1, kTileRows, kTileVectors>(table);
    table.pack_a = pack<kTileRows, false>;
    table.pack_b = pack<kTileVectors * kLanes, true>;
    table.dot_rows = dot_rows;
    table.add_scaled = add_scaled;
    return table;
  }
};

}  // namespace
}  // namespace tenon::runtime
