// The kernels of one instruction set and type, behind pointers: the driver is compiled once, for
// baseline machines, and calls code that was compiled for better ones.
//
// Files with other flags include this header and nothing of the standard library but <cstdint>: an
// inline function compiled for AVX-512 must not become the program's only copy.
#pragma once

#include <cstdint>

namespace tenon::runtime {

template <class T>
struct GemmKernels {
  static constexpr int kMaxRows = 12;

  /// C tile (rows x columns, columns <= tile_columns) = or += A·B over `k`.
  /// B: tile_columns elements side by side for each k, zeros where there are no columns.
  /// A packed: element (i, p) at a[p * a_k_stride + i]; strided: at a[i * a_row_stride + p *
  /// a_k_stride]; lines: the same with a_k_stride 1 and B in panels.
  using Tile = void (*)(int64_t k, const T* a, int64_t a_row_stride, int64_t a_k_stride, const T* b,
                        int64_t b_k_stride, T* c, int64_t c_row_stride, int64_t columns, bool accumulate);
  /// Writes `count` vectors of length k in panels of `width` side by side: element (i, p) to
  /// out[i / width * width * k + p * width + i % width]. May write up to width elements beyond the
  /// end of the last panel.
  using Pack = void (*)(int64_t count, int64_t k, const T* in, int64_t stride, int64_t k_stride,
                        T* out);
  /// y[i * y_stride] = sum over p of matrix[i * row_stride + p * k_stride] * x[p], in canonical
  /// order; x dense.
  using MatVec = void (*)(int64_t rows, int64_t k, const T* matrix, int64_t row_stride,
                          int64_t k_stride, const T* x, T* y, int64_t y_stride);

  int tile_rows;
  int tile_columns;
  int vector_columns;  // columns of the narrow tile
  /// [rows - 1][columns > vector_columns]
  Tile packed[kMaxRows][2];
  Tile lines[kMaxRows][2];
  Tile strided[kMaxRows][2];
  Pack pack_a;
  Pack pack_b;        // fills missing columns with zeros
  MatVec dot_rows;    // k_stride == 1: rows are contiguous
  MatVec add_scaled;  // row_stride == 1: what belongs to one k is contiguous; y_stride == 1
};

extern const GemmKernels<float> kGemmBaselineF32;
extern const GemmKernels<double> kGemmBaselineF64;
extern const GemmKernels<uint32_t> kGemmBaselineS32;
extern const GemmKernels<uint64_t> kGemmBaselineS64;
#if defined(__x86_64__)
extern const GemmKernels<float> kGemmAvx2F32;
extern const GemmKernels<double> kGemmAvx2F64;
extern const GemmKernels<uint32_t> kGemmAvx2S32;
extern const GemmKernels<uint64_t> kGemmAvx2S64;
extern const GemmKernels<float> kGemmAvx512F32;
extern const GemmKernels<double> kGemmAvx512F64;
extern const GemmKernels<uint32_t> kGemmAvx512S32;
extern const GemmKernels<uint64_t> kGemmAvx512S64;
#endif

}  // namespace tenon::runtime
