// Small jaxprs on scalars that are parameters of an operation: how a scatter or a reduction combines.
#pragma once

#include "ops/rules.h"

namespace tenon::lax {

/// `{ lambda ; a b. let c = primitive a b in (c,) }` for scalars of the dtype: the same object for the
/// same arguments, so that equations compare and print as JAX's.
Jaxpr binary_body(const Primitive& primitive, DType dtype);

/// The operations of `body`, in place.
Values lower_body(StablehloBuilder& b, const Jaxpr& body, const Values& arguments);

}  // namespace tenon::lax
