// Conversion as all of Tenon's functions do it: nothing when nothing changes; a known scalar stays one.
#pragma once

#include "tenon/array.h"

namespace tenon::lax {

/// `x` with another dtype and weak type. x itself when it has them; the literal 2 becomes 2.0;
/// anything else is a convert_element_type.
Array convert_type(const Array& x, DType dtype, bool weak_type);
/// `value` as a strong scalar of x's dtype: a literal in a jaxpr.
inline Array constant_like(const Array& x, double value) { return convert_type(Array(value), x.dtype(), false); }

}  // namespace tenon::lax
