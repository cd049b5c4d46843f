// The kernels of a Program, made from plain facts of the operation. One function a kind.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dialect/scalar_op.h"
#include "dialect/sort_key.h"
#include "evaluator/elementwise.h"
#include "evaluator/program.h"
#include "math/fft_array.h"
#include "tenon/detail/host_callee.h"

namespace tenon::evaluator {

using Dims = std::vector<std::int64_t>;

/// Elements between neighbours along each dimension of a row-major array.
Dims row_major_strides(const Shape& shape);

// ---- elementwise (elementwise.cpp)

/// Throws UnimplementedError when there is no such function for these types.
KernelRef elementwise_kernel(ScalarOp op, const Avals& operands, const Aval& result, const ScalarParams& params);

// ---- moving elements (movement.cpp, indexing.cpp)

/// result[i] = operand[offset + sum i_d * strides[d]], strides in elements of the operand.
KernelRef strided_kernel(int itemsize, const Shape& result, Dims strides, std::int64_t offset);
/// The operand's bytes.
KernelRef copy_kernel(std::int64_t size_bytes);
/// bitcast_convert that packs bools into bits of wider elements, first bool lowest, or the reverse.
KernelRef pack_bools_kernel(std::int64_t bool_count);
KernelRef unpack_bools_kernel(std::int64_t bool_count);
KernelRef iota_kernel(const Aval& result, std::int64_t dimension);
KernelRef concatenate_kernel(const Avals& operands, const Aval& result, std::int64_t dimension);
KernelRef pad_kernel(const Aval& operand, const Aval& result, Dims low, Dims interior);
/// Start indices are clamped so that the slice lies inside.
KernelRef dynamic_slice_kernel(const Avals& operands, const Aval& result);
KernelRef dynamic_update_slice_kernel(const Avals& operands);

struct GatherNumbers {
  Dims offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims, start_index_map;
  std::int64_t index_vector_dim = 0;
  Dims slice_sizes;
};
KernelRef gather_kernel(const Aval& operand, const Aval& indices, const Aval& result, GatherNumbers numbers);

struct ScatterNumbers {
  Dims update_window_dims, inserted_window_dims, input_batching_dims, scatter_indices_batching_dims,
      scatter_dims_to_operand_dims;
  std::int64_t index_vector_dim = 0;
};
/// Operands: inputs, indices, updates. `body` takes the present values, then the updates.
KernelRef scatter_kernel(const Avals& operands, ScatterNumbers numbers, ProgramRef body);

// ---- reductions (reduce.cpp)

/// Of one operand by a monoid, in the canonical order (math/reduction_order.h).
/// Operands: input, init. nullptr when `op` is no monoid for this dtype.
KernelRef reduce_kernel(ScalarOp op, const Aval& operand, const Dims& dimensions);
/// By a body that takes accumulators and elements; strictly in sequence.
/// Operands: inputs, then inits.
KernelRef reduce_with_kernel(const Avals& inputs, const Dims& dimensions, ProgramRef body);

struct Window {
  Dims sizes, strides, base_dilations, window_dilations, padding_low, padding_high;
};
/// Operands: inputs, then inits; in sequence over each window.
KernelRef reduce_window_kernel(const Avals& inputs, const Aval& result, Window window, ProgramRef body);

// ---- running totals (scan.cpp)

/// By a monoid along a dimension (-1: each element by itself). Operands: input, init.
/// nullptr when `op` is no monoid for this dtype.
KernelRef scan_kernel(ScalarOp op, const Aval& operand, std::int64_t dimension, bool reverse);
/// By a body of two scalars.
KernelRef scan_with_kernel(const Aval& operand, std::int64_t dimension, bool reverse, ProgramRef body);

// ---- contractions (dot.cpp)

struct DotNumbers {
  Dims lhs_batching, rhs_batching, lhs_contracting, rhs_contracting;
};
KernelRef dot_kernel(const Aval& lhs, const Aval& rhs, const Aval& result, const DotNumbers& numbers);

// ---- order (sort.cpp)

/// By keys, or without any by `comparator`, which takes a pair of elements from each operand. Stable.
KernelRef sort_kernel(const Avals& operands, std::int64_t dimension, std::vector<SortKey> keys, ProgramRef comparator);
/// The largest k along the last dimension, then their indices (int32), by the total order.
KernelRef top_k_kernel(const Aval& operand, std::int64_t k);

// ---- Fourier transforms (fft.cpp)

/// Of the last axes; `shape` is that of the real or of both arrays.
KernelRef fft_kernel(math::FftKind kind, const Aval& operand, const Shape& shape, std::int64_t axes);

// ---- control (control.cpp)

KernelRef call_kernel(ProgramRef callee);
/// Operands: index, then what the branches capture; each branch takes all captures.
/// An index outside runs the last branch. `is_predicate`: the index is a bool, true runs branch 0.
KernelRef case_kernel(std::vector<ProgramRef> branches, bool is_predicate);
/// Operands: `carry_count` values, then what condition and body capture; both take all of these.
KernelRef while_kernel(ProgramRef condition, ProgramRef body, int carry_count);
/// A function of the host.
KernelRef host_call_kernel(detail::HostCalleeRef callee);
/// Element by element, by `computation` on scalars.
KernelRef map_kernel(const Avals& operands, const Aval& result, ProgramRef computation);

// ---- checks of StableHLO's test files (check.cpp)

enum class Check { equal, almost_equal, close };
/// Operands: actual, expected. Throws ValueError that names the first element which differs.
KernelRef check_kernel(Check check, const Aval& aval, double tolerance, std::uint64_t min_ulp, std::uint64_t max_ulp);

}  // namespace tenon::evaluator
