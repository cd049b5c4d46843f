// Arrays that are not row-major.
#pragma once

#include "tenon/array.h"
#include "tenon/backend.h"

namespace tenon::detail {

/// `layout` for arrays of `aval`: empty when it is row-major. Throws ValueError when it is no order of their axes.
Layout checked_layout(const Layout& layout, const ShapedArray& aval, std::string_view who);

/// A copy on the same device, the axes in another order. Waits. Empty layouts are row-major.
BufferRef in_other_layout(const BufferRef& buffer, const ShapedArray& aval, const Layout& from, const Layout& to);

/// The buffer of a concrete array or scalar in `layout`, which is checked; a copy where it is in another one. Errors as buffer_of.
BufferRef buffer_of(const Array& array, const Layout& layout, const char* who);

}  // namespace tenon::detail
