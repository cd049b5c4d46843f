// Rules of differentiation that several primitives share, and what rules are written with.
//
// A rule is a program in the public vocabulary; the equations it makes, and their order, are JAX's.
#pragma once

#include <span>

#include "ops/primitives.h"
#include "tenon/detail/rules.h"
#include "tenon/lax.h"

namespace tenon::lax {

using detail::add_tangents;
using detail::instantiate;
using detail::tangent_aval;
using detail::zero_like;
/// x with the shape of y: repeated along axes of size 1 and ones that it lacks (a scalar).
Array broadcast_like(const Array& x, const Array& y);
/// `cotangent` of a value broadcast from `aval` (scalars, axes of size 1), summed to its shape.
Array unbroadcast(const ShapedArray& aval, const Array& cotangent);

/// The derivative of the only result by one operand, applied to the tangent of that operand.
using OperandJvp = Array (*)(const Array& tangent, const Array& result, const Arrays& primals, const EqnParams& params);
JvpResult jvp_sum(std::span<const OperandJvp> rules, const Primitive& self, const Arrays& primals, const Tangents& tangents,
                  const EqnParams& params);
/// The sum over the operands whose tangent is not zero. nullptr: no derivative by this operand.
template <OperandJvp... rules>
JvpResult jvp_by_operand(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  static constexpr OperandJvp all[] = {rules...};
  return jvp_sum(all, self, primals, tangents, params);
}
/// Results that have no derivative (comparisons, floor, ...), or whose derivative is zero.
JvpResult jvp_zero(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params);
/// Linear in all operands together: the primitive applied to the tangents.
JvpResult jvp_linear(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params);
/// Linear in each of two operands.
JvpResult jvp_bilinear(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params);

/// The transpose of a primitive with one linear operand and one result: the rule gives its cotangent.
using UnaryTranspose = Array (*)(const Array& cotangent, const LinearOperand& operand, const EqnParams& params);
template <UnaryTranspose rule>
Cotangents transpose_unary(const Primitive&, const Cotangents& cotangents, const LinearOperands& operands, const EqnParams& params) {
  return {rule(cotangents[0].value(), operands[0], params)};
}
/// The transpose of a bilinear primitive: one rule for each operand, whichever is linear.
using BilinearTranspose = Array (*)(const Array& cotangent, const LinearOperand& x, const LinearOperand& y, const EqnParams& params);
template <BilinearTranspose lhs, BilinearTranspose rhs>
Cotangents transpose_bilinear(const Primitive&, const Cotangents& cotangents, const LinearOperands& operands, const EqnParams& params) {
  const Cotangent none = Cotangent::zero(operands[0].aval);
  const Array& ct = cotangents[0].value();
  if (operands[0].linear) return {lhs(ct, operands[0], operands[1], params), none};
  return {none, rhs(ct, operands[0], operands[1], params)};
}

}  // namespace tenon::lax
