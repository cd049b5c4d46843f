// What reductions with `where=` leave out, in reverse: a cotangent that is hidden late is hidden for good.
//
// y = reduce(where(mask, f(x), 0)) has the cotangent zero where the mask is false; times f'(x), which may be infinite
// there, that is NaN. Elementwise operations go before the choice instead:
//   ct_x = where(mask, ct, 0) * f'(x)   ->   ct_x = where(mask, ct * f'(x), 0)
#pragma once

#include <unordered_set>

#include "core/trace.h"

namespace tenon::detail {

using VarSet = std::unordered_set<const void*>;

/// Is this a choice (or a program that does just that) between its only linear operand and values that take no part?
bool hides(const Eqn& eqn, const VarSet& linear);
/// A quick look: false for nearly all equations.
bool may_hide(const Eqn& eqn);
/// Does each element of the only result depend on the elements at the same place of the linear operands alone?
bool acts_elementwise(const Eqn& eqn, const VarSet& linear);

/// Are linear operands multiplied by known values, so that the transpose may make something of zero? A choice by known bools does not.
bool scales(const Eqn& eqn, const VarSet& linear);

/// A cotangent whose hidden elements are still to be hidden: by the transpose of `eqn`.
struct LateHiding {
  const Eqn* eqn;
  LinearOperands operands;
  /// The cotangent of the linear operand, of the dtype of `cotangent`.
  Cotangent apply(const Cotangent& cotangent) const;
};

}  // namespace tenon::detail
