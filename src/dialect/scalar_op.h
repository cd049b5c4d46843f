// The scalar functions of elementwise operations: what the evaluator and each backend have one table over.
// Derived from the dialects' records; no MLIR here.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenon {

/// kAdd, kSine, kErf, ...; operations of several dialects share one where they mean the same (tan).
enum class ScalarOp : uint8_t {
#define TENON_SCALAR_OP(name, mnemonic, arity) k##name,
#include "dialect/scalar_op.inc"
#undef TENON_SCALAR_OP
};

inline constexpr int kNumScalarOps = 0
#define TENON_SCALAR_OP(name, mnemonic, arity) +1
#include "dialect/scalar_op.inc"
#undef TENON_SCALAR_OP
    ;

/// "add", "sine", "erf".
constexpr std::string_view name_of(ScalarOp op) {
  constexpr std::string_view kNames[] = {
#define TENON_SCALAR_OP(name, mnemonic, arity) mnemonic,
#include "dialect/scalar_op.inc"
#undef TENON_SCALAR_OP
  };
  return kNames[static_cast<int>(op)];
}

/// Number of operands.
constexpr int arity_of(ScalarOp op) {
  constexpr int8_t kArity[] = {
#define TENON_SCALAR_OP(name, mnemonic, arity) arity,
#include "dialect/scalar_op.inc"
#undef TENON_SCALAR_OP
  };
  return kArity[static_cast<int>(op)];
}

}  // namespace tenon
