// What the library's functions do with their operands first: a common dtype, then compatible ranks.
// Conversions appear in a jaxpr exactly where JAX inserts them.
#pragma once

#include "base/promotion.h"
#include "core/nodes.h"
#include "ops/convert.h"
#include "tenon/jnp.h"
#include "tenon/lax.h"
#include "tenon/primitive.h"

namespace tenon::detail {

using tenon::to_inexact;
/// int32 for bool; others as they are.
DType to_numeric(DType dtype);

/// The operands with their common dtype; a single one as it is.
Arrays promote_dtypes(const char* who, const Arrays& xs);
Arrays promote_dtypes_inexact(const char* who, const Arrays& xs);
Arrays promote_dtypes_numeric(const char* who, const Arrays& xs);
/// New major axes of size 1 where ranks differ; scalars stay scalars.
Arrays promote_shapes(const char* who, const Arrays& xs);
/// Both, in JAX's order.
Arrays promote_args(const char* who, const Arrays& xs);
Arrays promote_args_inexact(const char* who, const Arrays& xs);
Arrays promote_args_numeric(const char* who, const Arrays& xs);

/// The shape to which these broadcast as NumPy does. Throws ShapeError.
Shape numpy_broadcast_shape(const char* who, const Arrays& xs);
/// All of them in that shape.
Arrays broadcast_arrays(const char* who, const Arrays& xs);
Array broadcast_to(const char* who, const Array& x, const Shape& shape);

using lax::constant_like;
/// x != 0, unless it is bool.
Array to_bool(const Array& x);
/// Elementwise choice as a nested program "_where".
Array where_jitted(const Array& condition, const Array& x, const Array& y);
/// x where the mask holds, else the scalar `instead`, as a nested program "_where": what is hidden so reaches no derivative.
Array visible_jitted(const Array& mask, const Array& x, const Array& instead);
/// Throws TypeError when the mask of a reduction of x is not of bools, ShapeError when it does not broadcast to x's shape.
void check_mask(const char* who, const Array& mask, const Array& x);
/// Throws TypeError, ShapeError and ValueError for options that a variance of x cannot have.
void check_variance(const char* who, const Array& x, const VarOptions& options);
/// float32 for halves, in which sums are computed; others as they are.
DType computation_dtype(DType dtype);
/// True for a C++ scalar (its value is known while tracing).
bool is_scalar_node(const Array& x);

int64_t canonical_axis(const char* who, int64_t axis, int ndim);
Axes canonical_axes(const char* who, const Axes& axes, int ndim);
Axes axis_range(int64_t begin, int64_t end);

}  // namespace tenon::detail
