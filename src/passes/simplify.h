// The rules of the passes `simplify` and `drop-zero-sums`, as data.
#pragma once

#include "passes/rewrite.h"

namespace tenon::passes {

/// x*1, x-0, max(x, -inf), select(true, a, b), ...: scalar identities that hold for every IEEE value.
llvm::ArrayRef<Rule> arithmetic_rules();
/// Integers whose range is known.
llvm::ArrayRef<Rule> integer_rules();
/// Compositions of reshape, broadcast, transpose, slice, reverse, concatenate, pad.
llvm::ArrayRef<Rule> shape_rules();
/// The named exception: x + 0.0, which is +0.0 for x = -0.0, becomes x, as in XLA.
llvm::ArrayRef<Rule> zero_sum_rules();

}  // namespace tenon::passes
