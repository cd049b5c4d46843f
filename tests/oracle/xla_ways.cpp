#include "xla_ways.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "noisy_run.h"

namespace tenon::oracle {
namespace {

bool is_complex(const Array& x) { return x.dtype().is_complex(); }
bool is_inexact(DType dtype) { return dtype.is_floating() || dtype.is_complex(); }
bool has(std::span<const std::string_view> names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

Array nan_like(const Array& x) {
  if (!is_complex(x)) return lax::full_like(x, std::nan(""));
  const Array part = lax::full_like(lax::real(x), std::nan(""));
  return lax::complex(part, part);
}

// Scalars go with arrays.
Array fit(const Array& x, const Arrays& results) { return jnp::broadcast_to(x, results[0].shape()); }

void divides_zero_by_zero(std::string_view name, const EqnParams&, const Arrays& x, Arrays& results, uint64_t run) {
  if (name != "div" || !x[0].dtype().is_integer()) return;
  const Array zero = lax::full_like(results[0], 0);
  const Array both = jnp::logical_and(lax::eq(fit(x[0], results), zero), lax::eq(fit(x[1], results), zero));
  results[0] = lax::select(both, lax::full_like(results[0], run % 2), results[0]);
}

void angle_of_subnormals(std::string_view name, const EqnParams&, const Arrays& x, Arrays& results, uint64_t) {
  const bool is_log = name == "log" && is_complex(x[0]);
  if (!is_log && (name != "atan2" || is_complex(x[0]))) return;
  const auto vanishes = [&](const Array& y) { return lax::lt(lax::abs(fit(y, results)), lax::full(results[0].shape(), least_normal(y.dtype()), y.dtype())); };
  const Array both = is_log ? jnp::logical_and(vanishes(lax::real(x[0])), vanishes(lax::imag(x[0]))) : jnp::logical_and(vanishes(x[0]), vanishes(x[1]));
  results[0] = lax::select(both, nan_like(results[0]), results[0]);
}

// NaN is neither less nor greater; the parts of complex numbers are compared.
void loses_nan(std::string_view name, const EqnParams&, const Arrays& x, Arrays& results, uint64_t run) {
  static constexpr std::string_view kOfComplex[] = {"max", "min", "cummax", "cummin", "clamp", "sort"}, kOfAll[] = {"reduce_max", "reduce_min"};
  if (!(is_complex(x[0]) && has(kOfComplex, name)) && !has(kOfAll, name)) return;
  if (is_inexact(x[0].dtype()) && run % 2 == 1)
    for (Array& result : results) result = lax::select(jnp::isnan(result), lax::full_like(result, 0), result);
}

void fears_infinity(std::string_view name, const EqnParams&, const Arrays& x, Arrays& results, uint64_t) {
  static constexpr std::string_view kNames[] = {"exp", "log", "sqrt", "div", "mul", "square", "integer_pow", "abs", "sign"};
  if (!is_complex(x[0]) || !has(kNames, name)) return;
  Array is_finite = jnp::isfinite(results[0]);
  for (const Array& operand : x) is_finite = jnp::logical_and(is_finite, jnp::isfinite(fit(operand, results)));
  results[0] = lax::select(is_finite, results[0], nan_like(results[0]));
}

void log_of_size(std::string_view name, const EqnParams&, const Arrays& x, Arrays& results, uint64_t run) {
  if (name != "log" || is_complex(x[0]) || run % 2 == 0) return;
  results[0] = lax::select(lax::lt(x[0], lax::full_like(x[0], 0)), lax::log(lax::abs(x[0])), results[0]);
  // A power that is NaN has lost x and y: a number, but which.
  results[0] = lax::select(lax::ne(x[0], x[0]), lax::full_like(results[0], 0), results[0]);
}

// Where the factors of a line that are large, or those that are small, could leave the range.
void multiplies_otherwise(std::string_view name, const EqnParams& params, const Arrays& x, Arrays& results, uint64_t run) {
  const bool is_line = name == "cumprod";
  if (!(is_line || name == "reduce_prod") || !is_inexact(x[0].dtype())) return;
  const DType part = is_complex(x[0]) ? lax::real(x[0]).dtype() : x[0].dtype();
  const Array size = lax::convert_element_type(lax::abs(x[0]), part == jnp::float64 ? part : DType(jnp::float32));
  const Array digits = lax::log2(size);
  const Axes axes = is_line ? Axes(static_cast<int>(params.get<int64_t>("axis"))) : params.get<Axes>("axes");
  const Array above = lax::reduce_sum(lax::max(digits, lax::full_like(digits, 0)), axes);
  const Array below = lax::reduce_sum(lax::min(lax::max(digits, lax::full_like(digits, -2000)), lax::full_like(digits, 0)), axes);
  const double most = part == jnp::float64 ? 1023 : part == jnp::float16 ? 15 : 127, least = part == jnp::float16 ? -14 : 1 - most;
  Array leaves = jnp::logical_or(lax::ge(above, lax::full_like(above, most)), lax::le(below, lax::full_like(below, least)));
  if (is_line) leaves = jnp::broadcast_to(jnp::expand_dims(leaves, axes), x[0].shape());
  results[0] = lax::select(leaves, lax::full_like(results[0], run % 2 ? std::nan("") : 0), results[0]);
}

}  // namespace

const std::vector<XlaWay>& xla_ways() {
  static const auto* list = new std::vector<XlaWay>{
      {"takes x / x of integers for 1 and 0 / x for 0 where x is 0", divides_zero_by_zero},
      {"gives NaN for the angle of two subnormal numbers", angle_of_subnormals},
      {"loses a NaN among complex numbers, and in long reductions", loses_nan},
      {"has NaN of complex numbers with an infinite or NaN part, where C99 does not", fears_infinity},
      {"multiplies in another order, which leaves the range on the way", multiplies_otherwise},
      {"takes y log|x| for log(pow(x, y))", log_of_size, "pow"},
  };
  return *list;
}

}  // namespace tenon::oracle
