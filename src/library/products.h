// A dot_general with the options of jnp's products.
#pragma once

#include "tenon/jnp.h"
#include "tenon/lax.h"

namespace tenon::detail {

Array product(const Array& x, const Array& y, const lax::DotDimensionNumbers& dims, const jnp::ProductOptions& options);

}  // namespace tenon::detail
