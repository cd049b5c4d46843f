// The choice that hides.
#pragma once

#include "tenon/array.h"

namespace tenon::lax {

/// select(is_visible, x, instead), for a reduction that leaves elements out: what x hides reaches no derivative,
/// even where a derivative before x is not finite.
Array select_visible(const Array& is_visible, const Array& x, const Array& instead);

}  // namespace tenon::lax
