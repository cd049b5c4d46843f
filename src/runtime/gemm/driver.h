// One matrix product on the kernels of one instruction set: cut into blocks that fit the caches,
// packed, spread over the thread pool. Nothing here changes the order of summation.
//
//   for columns by kColumnBlock            B block: L3
//     for k by kGemmKBlock                 pack B
//       for rows by kRowBlock, in parallel pack A: L2
//         for columns by tile              B panel: L1
//           for rows by tile               C tile: registers
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/scratch.h"
#include "runtime/gemm/gemm.h"
#include "runtime/gemm/kernel_table.h"
#include "runtime/thread_pool.h"

namespace tenon::runtime {

template <class T>
class GemmDriver {
 public:
  using Element = T;
  GemmDriver(const GemmProblem& problem, const GemmKernels<T>& kernels)
      : problem_(problem), kernels_(kernels) {}

  int64_t packed_b_bytes() const {
    const GemmProblem& p = problem_;
    if (p.batches != 1 || p.n <= 1 || p.k <= 0) return 0;
    return padded(p.n) * p.k * static_cast<int64_t>(sizeof(T));
  }

  void pack_all_of_b(T* out) {
    for_each_block([&](const Block& block, const T* b) {
      pack_b(b, block, out + offset_of(block));
    }, static_cast<const T*>(problem_.b));
  }

  void run() {
    const GemmProblem& p = problem_;
    if (p.m <= 0 || p.n <= 0 || p.batches <= 0) return;
    if (shares_batches(ThreadPool::get().size())) {
      parallel_for(p.batches, batch_grain(), [this](int64_t begin, int64_t end) {
        for (int64_t batch = begin; batch < end; ++batch) multiply(batch);
      });
    } else {
      for (int64_t batch = 0; batch < p.batches; ++batch) multiply(batch);
    }
  }

  /// gemm_scratch_bytes.
  int64_t scratch_bytes(int threads) const {
    const GemmProblem& p = problem_;
    if (p.m <= 0 || p.n <= 0 || p.k <= 0 || p.batches <= 0) return 0;
    if (!shares_batches(threads)) return scratch_bytes_of_one(threads);
    return std::min<int64_t>(threads, (p.batches + batch_grain() - 1) / batch_grain()) * scratch_bytes_of_one(1);
  }

 private:
  // Small matrices, and many: whole ones to each thread. Few large ones: one after the other, in parallel parts.
  double flops() const { return 2.0 * static_cast<double>(problem_.m) * problem_.n * problem_.k; }
  bool shares_batches(int threads) const { return problem_.batches > 1 && (flops() < kParallelFlops || problem_.batches >= 4 * int64_t{threads}); }
  int64_t batch_grain() const { return flops() >= kChunkFlops ? int64_t{1} : static_cast<int64_t>(kChunkFlops / (flops() + 1)); }

  // As multiply and what it calls allocate.
  int64_t scratch_bytes_of_one(int threads) const {
    const GemmProblem& p = problem_;
    constexpr auto itemsize = static_cast<int64_t>(sizeof(T));
    if (is_matrix_vector() || is_vector_matrix()) {
      const int64_t x_stride = is_matrix_vector() ? p.b_row_stride : p.a_column_stride;
      return x_stride != 1 && p.k > 1 ? p.k * itemsize : 0;
    }
    const Block block{0, std::min(kColumnBlock, p.n), 0, std::min(kGemmKBlock, p.k)};
    const int64_t rows = std::min(kRowBlock, p.m), row_blocks = (p.m + kRowBlock - 1) / kRowBlock;
    const int64_t splits = is_parallel(block) ? splits_of(block, threads) : 1;
    const int64_t at_once = is_parallel(block) ? std::min<int64_t>(threads, row_blocks * splits) : 1;
    const int64_t panels = packs_a(std::min(split_columns(block, splits), block.columns), rows, block.k) ? packed_a_elements(rows, block.k) : 0;
    return ((packs_b() && !problem_.packed_b ? packed_b_elements() : 0) + at_once * panels) * itemsize;
  }

  static constexpr int64_t kRowBlock =
      96;  // x kGemmKBlock f32: 96 KiB; L2 may be shared by two threads
  static constexpr int64_t kColumnBlock =
      1024;  // x kGemmKBlock f32: 2 MiB of L3; best of 1024, 4096
  static constexpr int64_t kColumnSplit = 256;       // at least, of columns per task
  static constexpr double kChunkFlops = 1 << 20;     // about 15 us: worth a chunk
  static constexpr double kParallelFlops = 4 << 20;  // about 60 us: worth several threads
  static constexpr int64_t kMatVecChunkBytes = 128 << 10;

  // Matrices of one batch element.
  struct Operands {
    const T* a;
    const T* b;
    T* c;
    int64_t batch;
  };

  // Columns of C against a piece of k.
  struct Block {
    int64_t column, columns;
    int64_t first_k, k;
    int64_t used_k = 0;    // of k: A is 0 for the rest
    bool packed = false;
    const T* b = nullptr;  // its first element, in panels when packed
  };

  void multiply(int64_t batch) {
    const GemmProblem& p = problem_;
    const Operands at{static_cast<const T*>(p.a) + batch * p.a_batch_stride,
                      static_cast<const T*>(p.b) + batch * p.b_batch_stride,
                      static_cast<T*>(p.c) + batch * p.c_batch_stride, batch};
    if (p.k <= 0) return fill_zero(at);
    if (is_matrix_vector()) {
      return multiply_vector(at, p.m, at.a, p.a_row_stride, p.a_column_stride, at.b, p.b_row_stride,
                             p.c_row_stride);
    }
    if (is_vector_matrix()) {
      return multiply_vector(at, p.n, at.b, p.b_column_stride, p.b_row_stride, at.a,
                             p.a_column_stride, 1);
    }
    p.packed_b ? multiply_packed(at) : multiply_matrices(at);
  }

  bool is_matrix_vector() const {
    const GemmProblem& p = problem_;
    return p.n == 1 && (p.a_column_stride == 1 || (p.a_row_stride == 1 && p.c_row_stride == 1));
  }
  bool is_vector_matrix() const { return !is_matrix_vector() && problem_.m == 1 && (problem_.b_row_stride == 1 || problem_.b_column_stride == 1); }

  void fill_zero(const Operands& at) {
    for (int64_t i = 0; i < problem_.m; ++i) {
      std::fill_n(at.c + i * problem_.c_row_stride, problem_.n, T{0});
    }
    finish(at, 0, 0, problem_.m, problem_.n);
  }

  void finish(const Operands& at, int64_t row, int64_t column, int64_t rows, int64_t columns) {
    if (!problem_.epilogue.apply) return;
    const int64_t stride = problem_.c_row_stride;
    problem_.epilogue.apply(problem_.epilogue.context, {at.c + row * stride + column, stride,
                                                        at.batch, row, column, rows, columns});
  }

  // MATRIX TIMES VECTOR

  void multiply_vector(const Operands& at, int64_t rows, const T* matrix, int64_t row_stride,
                       int64_t k_stride, const T* x, int64_t x_stride, int64_t y_stride) {
    const int64_t k = problem_.k;
    const bool is_column = problem_.n == 1;
    Scratch dense;
    if (x_stride != 1 && k > 1) {
      dense = Scratch(k * static_cast<int64_t>(sizeof(T)));
      T* const copy = static_cast<T*>(dense.data());
      for (int64_t p = 0; p < k; ++p) copy[p] = x[p * x_stride];
      x = copy;
    }
    const bool has_rows = k_stride == 1;  // else what belongs to one k is contiguous
    const auto kernel = has_rows ? kernels_.dot_rows : kernels_.add_scaled;
    const int64_t unit = has_rows ? 64 : 256;
    const int64_t row_bytes = k * static_cast<int64_t>(sizeof(T));
    const int64_t grain = std::max<int64_t>(1, kMatVecChunkBytes / (row_bytes * unit)) * unit;
    parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
      kernel(end - begin, k, matrix + begin * row_stride, row_stride, k_stride, x,
             at.c + begin * y_stride, y_stride);
      if (is_column) {
        finish(at, begin, 0, end - begin, 1);
      } else {
        finish(at, 0, begin, 1, end - begin);
      }
    });
  }

  // MATRIX TIMES MATRIX

  int64_t padded(int64_t columns) const { return (columns + kernels_.tile_columns - 1) / kernels_.tile_columns * kernels_.tile_columns; }

  // Blocks of B in the order they are added, each with its first element.
  template <class F>
  void for_each_block(const F& visit, const T* b) {
    const GemmProblem& p = problem_;
    for (int64_t column = 0; column < p.n; column += kColumnBlock) {
      for (int64_t first_k = 0; first_k < p.k; first_k += kGemmKBlock) {
        Block block{column, std::min(kColumnBlock, p.n - column), first_k, std::min(kGemmKBlock, p.k - first_k)};
        block.used_k = block.k;
        visit(block, b + column * p.b_column_stride + first_k * p.b_row_stride);
      }
    }
  }

  // Of a block in B packed whole.
  int64_t offset_of(const Block& block) const { return block.column * problem_.k + block.first_k * padded(block.columns); }

  void multiply_packed(const Operands& at) {
    const int64_t n_end = problem_.n_end < problem_.n ? std::min(problem_.n, padded(problem_.n_end)) : problem_.n;
    for_each_block([&](Block block, const T*) {
      const int64_t used = std::min(block.k, std::max(problem_.k_end, int64_t{1}) - block.first_k);
      if (used <= 0 || block.column >= n_end) return;
      block.packed = true;
      block.b = static_cast<const T*>(problem_.packed_b) + offset_of(block);
      block.used_k = used;
      block.columns = std::min(block.columns, n_end - block.column);
      multiply_block(at, block);
    }, at.b);
  }

  void multiply_matrices(const Operands& at) {
    const GemmProblem& p = problem_;
    const bool packs = packs_b();
    Scratch packed_b;
    if (packs) packed_b = Scratch(packed_b_elements() * static_cast<int64_t>(sizeof(T)));
    for_each_block([&](Block block, const T* b) {
      block.packed = packs;
      block.b = packs ? static_cast<T*>(packed_b.data()) : b;
      if (packs) pack_b(b, block, static_cast<T*>(packed_b.data()));
      multiply_block(at, block);
    }, at.b);
  }

  // A small B that is used for few rows is read where it lies.
  bool packs_b() const {
    const GemmProblem& p = problem_;
    const bool lies_in_panels = p.b_column_stride == 1 && p.n % kernels_.tile_columns == 0 && p.b_row_stride >= 0 &&
                                std::min(p.k, kGemmKBlock) * p.b_row_stride <= kUnpackedElementsOfB;
    return p.m > kUnpackedRows || !lies_in_panels;
  }
  int64_t packed_b_elements() const { return std::min(padded(problem_.n), kColumnBlock) * std::min(problem_.k, kGemmKBlock); }

  bool is_parallel(const Block& block) const {
    return 2.0 * static_cast<double>(problem_.m) * block.columns * block.k >= kParallelFlops;
  }

  void pack_b(const T* b, const Block& block, T* out) {
    const int64_t width = kernels_.tile_columns;
    const int64_t panels = (block.columns + width - 1) / width;
    const auto pack = [&](int64_t begin, int64_t end) {
      const int64_t column = begin * width;
      kernels_.pack_b(std::min(end * width, block.columns) - column, block.k,
                      b + column * problem_.b_column_stride, problem_.b_column_stride,
                      problem_.b_row_stride, out + column * block.k);
    };
    if (is_parallel(block)) {
      parallel_for(panels, 8, pack);
    } else {
      pack(0, panels);
    }
  }

  void multiply_block(const Operands& at, const Block& block) {
    const int64_t row_blocks = (problem_.m + kRowBlock - 1) / kRowBlock;
    if (!is_parallel(block)) {
      for (int64_t i = 0; i < row_blocks; ++i) multiply_rows(at, block, i, 0, block.columns);
      return;
    }
    const int64_t splits = splits_of(block, ThreadPool::get().size()), split = split_columns(block, splits);
    parallel_for(row_blocks * splits, 1, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const int64_t first = task % splits * split;
        multiply_rows(at, block, task / splits, first, std::min(first + split, block.columns));
      }
    });
  }

  // Enough tasks to keep all threads busy to the end; each packs its rows of A, which wide ranges
  // of columns make up for.
  int64_t splits_of(const Block& block, int threads) const {
    const int64_t wanted = 4 * threads, row_blocks = (problem_.m + kRowBlock - 1) / kRowBlock;
    return std::clamp<int64_t>((wanted + row_blocks - 1) / row_blocks, 1, std::max<int64_t>(1, block.columns / kColumnSplit));
  }
  int64_t split_columns(const Block& block, int64_t splits) const {
    const int64_t width = kernels_.tile_columns;
    return ((block.columns + splits - 1) / splits + width - 1) / width * width;
  }

  // A that is used for few columns is read where it lies.
  bool packs_a(int64_t columns, int64_t rows, int64_t k) const {
    return columns > 4 * kernels_.tile_columns || (problem_.a_column_stride != 1 && rows * k > kUnpackedElements);
  }
  int64_t packed_a_elements(int64_t rows, int64_t k) const {
    const int64_t height = kernels_.tile_rows;
    return (rows + height - 1) / height * height * k + 64;
  }

  // Row block `index` of C, columns first..last of `block`.
  void multiply_rows(const Operands& at, const Block& block, int64_t index, int64_t first,
                     int64_t last) {
    if (first >= last) return;
    const GemmProblem& p = problem_;
    const int64_t height = kernels_.tile_rows;
    const int64_t width = kernels_.tile_columns;
    const int64_t row = index * kRowBlock;
    const int64_t rows = std::min(kRowBlock, p.m - row);
    const T* const a = at.a + row * p.a_row_stride + block.first_k * p.a_column_stride;

    const bool packs = packs_a(last - first, rows, block.used_k);
    Scratch packed;
    T* panels = nullptr;
    if (packs) {
      packed = Scratch(packed_a_elements(rows, block.used_k) * static_cast<int64_t>(sizeof(T)));
      panels = static_cast<T*>(packed.data());
      kernels_.pack_a(rows, block.used_k, a, p.a_row_stride, p.a_column_stride, panels);
    }
    for (int64_t j = first; j < last; j += width) {
      const int64_t columns = std::min(width, last - j);
      const bool is_wide = columns > kernels_.vector_columns;
      for (int64_t i = 0; i < rows; i += height) {
        const int64_t count = std::min(height, rows - i);
        const auto& tiles = packs ? kernels_.packed : p.a_column_stride == 1 && block.packed ? kernels_.lines : kernels_.strided;
        const auto tile = tiles[count - 1][is_wide];
        tile(block.used_k, packs ? panels + i * block.used_k : a + i * p.a_row_stride, p.a_row_stride,
             packs ? height : p.a_column_stride, block.packed ? block.b + j * block.k : block.b + j,
             block.packed ? width : p.b_row_stride, at.c + (row + i) * p.c_row_stride + block.column + j, p.c_row_stride, columns,
             block.first_k != 0);
      }
      if (block.first_k + block.k == p.k) finish(at, row, block.column + j, rows, columns);
    }
  }

  static constexpr int64_t kUnpackedElements = 4096;
  static constexpr int64_t kUnpackedRows = 32;
  static constexpr int64_t kUnpackedElementsOfB = 32 << 10;  // stay in L2

  const GemmProblem& problem_;
  const GemmKernels<T>& kernels_;
};

}  // namespace tenon::runtime
