// Array's operators and methods, in terms of jnp.
#include "library/promote.h"
#include "tenon/detail/jitted.h"

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
Array Array::sum(const SumOptions& options, Loc loc) const { return jnp::sum(Operand(*this, loc), options); }
Array Array::sum(Loc loc) const { return jnp::sum(Operand(*this, loc)); }
Array Array::max(const ExtremeOptions& options, Loc loc) const { return jnp::max(Operand(*this, loc), options); }
Array Array::max(Loc loc) const { return jnp::max(Operand(*this, loc)); }
Array Array::min(const ExtremeOptions& options, Loc loc) const { return jnp::min(Operand(*this, loc), options); }
Array Array::min(Loc loc) const { return jnp::min(Operand(*this, loc)); }
Array Array::mean(const MeanOptions& options, Loc loc) const { return jnp::mean(Operand(*this, loc), options); }
Array Array::mean(Loc loc) const { return jnp::mean(Operand(*this, loc)); }
Array Array::squeeze(Loc loc) const { return jnp::squeeze(Operand(*this, loc)); }
Array Array::squeeze(const Axes& axes, Loc loc) const { return jnp::squeeze(Operand(*this, loc), axes); }
Array Array::flatten(Loc loc) const { return jnp::ravel(Operand(*this, loc)); }
Array Array::ravel(Loc loc) const { return jnp::ravel(Operand(*this, loc)); }
Array Array::swapaxes(int axis1, int axis2, Loc loc) const { return jnp::swapaxes(Operand(*this, loc), axis1, axis2); }
Array Array::prod(const SumOptions& options, Loc loc) const { return jnp::prod(Operand(*this, loc), options); }
Array Array::prod(Loc loc) const { return jnp::prod(Operand(*this, loc)); }
Array Array::any(const MaskedOptions& options, Loc loc) const { return jnp::any(Operand(*this, loc), options); }
Array Array::any(Loc loc) const { return jnp::any(Operand(*this, loc)); }
Array Array::all(const MaskedOptions& options, Loc loc) const { return jnp::all(Operand(*this, loc), options); }
Array Array::all(Loc loc) const { return jnp::all(Operand(*this, loc)); }
Array Array::argmax(const ArgOptions& options, Loc loc) const { return jnp::argmax(Operand(*this, loc), options); }
Array Array::argmax(Loc loc) const { return jnp::argmax(Operand(*this, loc)); }
Array Array::argmin(const ArgOptions& options, Loc loc) const { return jnp::argmin(Operand(*this, loc), options); }
Array Array::argmin(Loc loc) const { return jnp::argmin(Operand(*this, loc)); }
Array Array::var(const VarOptions& options, Loc loc) const { return jnp::var(Operand(*this, loc), options); }
Array Array::var(Loc loc) const { return jnp::var(Operand(*this, loc)); }
Array Array::std(const VarOptions& options, Loc loc) const { return jnp::std(Operand(*this, loc), options); }
Array Array::std(Loc loc) const { return jnp::std(Operand(*this, loc)); }
Array Array::cumsum(std::optional<int> axis, Loc loc) const { return jnp::cumsum(Operand(*this, loc), {.axis = axis}); }
Array Array::cumprod(std::optional<int> axis, Loc loc) const { return jnp::cumprod(Operand(*this, loc), {.axis = axis}); }
Array Array::dot(const Operand& other) const { return jnp::dot(Operand(*this, other.loc), other); }
Array Array::conj(Loc loc) const { return jnp::conj(Operand(*this, loc)); }
Array Array::real(Loc loc) const { return jnp::real(Operand(*this, loc)); }
Array Array::imag(Loc loc) const { return jnp::imag(Operand(*this, loc)); }
Array Array::copy(Loc loc) const { return jnp::copy(Operand(*this, loc)); }
Array Array::clip(const Operand& min, const Operand& max) const {
  detail::FunctionScope site(min.loc);
  // As JAX's method, which names the bounds.
  auto body = [](const Arrays& in) -> Arrays { return {jnp::minimum(in[1], jnp::maximum(in[2], in[0]))}; };
  return detail::call_jitted("clip", body, {*this, max.value, min.value})[0];
}
Array Array::round(Loc loc) const { return jnp::round(Operand(*this, loc)); }

}  // namespace tenon
