// What transformations may ask about a primitive's shape rule; the operations answer (ops/batch.cpp).
#pragma once

#include "tenon/primitive.h"

namespace tenon::detail {

/// Does an element of the result depend on elements at the same place alone (or on scalars), whatever the shape?
bool is_elementwise(const Primitive& primitive);

}  // namespace tenon::detail
