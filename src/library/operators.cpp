// Array's operators and methods, in terms of jnp.
#include "library/promote.h"

namespace tenon {

Array operator+(const Operand& a, const Operand& b) { return jnp::add(a, b); }
Array operator-(const Operand& a, const Operand& b) { return jnp::subtract(a, b); }
Array operator*(const Operand& a, const Operand& b) { return jnp::multiply(a, b); }
Array operator/(const Operand& a, const Operand& b) { return jnp::true_divide(a, b); }
Array operator%(const Operand& a, const Operand& b) { return jnp::remainder(a, b); }
Array operator<(const Operand& a, const Operand& b) { return jnp::less(a, b); }
Array operator<=(const Operand& a, const Operand& b) { return jnp::less_equal(a, b); }
Array operator>(const Operand& a, const Operand& b) { return jnp::greater(a, b); }
Array operator>=(const Operand& a, const Operand& b) { return jnp::greater_equal(a, b); }
Array operator==(const Operand& a, const Operand& b) { return jnp::equal(a, b); }
Array operator!=(const Operand& a, const Operand& b) { return jnp::not_equal(a, b); }
Array operator&(const Operand& a, const Operand& b) { return jnp::bitwise_and(a, b); }
Array operator|(const Operand& a, const Operand& b) { return jnp::bitwise_or(a, b); }
Array operator^(const Operand& a, const Operand& b) { return jnp::bitwise_xor(a, b); }
Array operator-(const Operand& a) { return jnp::negative(a); }
Array operator~(const Operand& a) { return jnp::bitwise_not(a); }
Array& operator+=(Array& a, const Operand& b) { return a = jnp::add(Operand(a, b.loc), b); }
Array& operator-=(Array& a, const Operand& b) { return a = jnp::subtract(Operand(a, b.loc), b); }
Array& operator*=(Array& a, const Operand& b) { return a = jnp::multiply(Operand(a, b.loc), b); }
Array& operator/=(Array& a, const Operand& b) { return a = jnp::true_divide(Operand(a, b.loc), b); }

Array Array::reshape(const Shape& shape, Loc loc) const { return jnp::reshape(Operand(*this, loc), shape); }
Array Array::T(Loc loc) const { return jnp::transpose(Operand(*this, loc)); }
Array Array::transpose(const Axes& permutation, Loc loc) const { return jnp::transpose(Operand(*this, loc), permutation); }
Array Array::astype(DType dtype, Loc loc) const { return jnp::astype(Operand(*this, loc), dtype); }
Array Array::sum(int axis, Loc loc) const { return jnp::sum(Operand(*this, loc), {.axis = axis}); }
Array Array::sum(const ReduceOptions& options, Loc loc) const { return jnp::sum(Operand(*this, loc), options); }
Array Array::sum(Loc loc) const { return jnp::sum(Operand(*this, loc)); }
Array Array::max(const ReduceOptions& options, Loc loc) const { return jnp::max(Operand(*this, loc), options); }
Array Array::max(Loc loc) const { return jnp::max(Operand(*this, loc)); }
Array Array::min(const ReduceOptions& options, Loc loc) const { return jnp::min(Operand(*this, loc), options); }
Array Array::min(Loc loc) const { return jnp::min(Operand(*this, loc)); }
Array Array::mean(const ReduceOptions& options, Loc loc) const { return jnp::mean(Operand(*this, loc), options); }
Array Array::mean(Loc loc) const { return jnp::mean(Operand(*this, loc)); }
Array Array::round(Loc loc) const { return jnp::round(Operand(*this, loc)); }

}  // namespace tenon
