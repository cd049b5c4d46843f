// What loops and branches have in common: carries and results whose types must agree.
#pragma once

#include "control/primitives.h"
#include "core/flags.h"
#include "core/nodes.h"
#include "core/trace.h"
#include "ops/convert.h"
#include "tenon/control_flow.h"
#include "tenon/detail/jitted.h"
#include "tenon/lax.h"

namespace tenon::detail {

/// Throws TypeError unless what the body gave has the structure and (but for weak types) the types of what it took.
void check_carry(const char* who, const ErasedTree& in, const Avals& in_avals, const ErasedTree& out, const Avals& out_avals);
/// The same for the results of two branches, called `first` and `second`.
void check_branches(const char* who, const std::string& first, const std::string& second, const ErasedTree& a, const Avals& a_avals, const ErasedTree& b,
                    const Avals& b_avals);

/// The same for what `what` gave where a tree like `of` is wanted.
void check_like(const char* who, const std::string& what, const std::string& of, const ErasedTree& wanted, const Avals& wanted_avals, const ErasedTree& got,
                const Avals& got_avals);

/// Equal but for weak types.
bool same_type(const Aval& a, const Aval& b);

/// Values of weak type as what the body makes of them, where that differs in more than being weak. True when one
/// changed: then the body is traced again, which may change the next (JAX stops after the first time).
bool promote_weak(Arrays& values, const Avals& results);

/// `value` as a strong scalar of x's dtype.
inline Array constant_of(const Array& x, int64_t value) { return lax::convert_type(Array(value), x.dtype(), false); }

}  // namespace tenon::detail
