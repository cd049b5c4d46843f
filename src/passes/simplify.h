// The rules of the pass `simplify`, as data.
#pragma once

#include "passes/rewrite.h"

namespace tenon::passes {

/// x*1, x-0, max(x, -inf), select(true, a, b), ...: scalar identities that hold for every IEEE value.
llvm::ArrayRef<Rule> arithmetic_rules();
/// Integers whose range is known.
llvm::ArrayRef<Rule> integer_rules();
/// Compositions of reshape, broadcast, transpose, slice, reverse, concatenate, pad.
llvm::ArrayRef<Rule> shape_rules();

}  // namespace tenon::passes
