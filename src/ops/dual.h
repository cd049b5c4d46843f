// Values with their tangents, for rules of differentiation that are those of another way to compute the same.
#pragma once

#include "ops/primitives.h"

namespace tenon::lax {

struct Dual {
  Array primal;
  Tangent tangent;
};
using Duals = std::vector<Dual>;

/// A value that does not vary.
Dual constant(const Array& value);
/// The primitive applied to values with tangents.
Duals apply_all(const Primitive& primitive, const Duals& operands, const EqnParams& params = {});
Dual apply(const Primitive& primitive, const Duals& operands, const EqnParams& params = {});

/// Elements start, start + stride, ... below limit along `axis`.
Dual slice_along(const Dual& x, int axis, int64_t start, int64_t limit, int64_t stride = 1);
/// The programs of `body` on arrays in place of its scalars. Throws UnimplementedError when it is not elementwise.
Duals apply_body(const Jaxpr& body, const Duals& operands);

}  // namespace tenon::lax
