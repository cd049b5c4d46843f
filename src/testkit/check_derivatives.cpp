// Derivatives against differences, batching against a loop.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "tenon/testkit.h"

namespace tenon::testkit::detail {
namespace {

using tenon::detail::Call;
using tenon::detail::FlatResult;
using tenon::detail::text;

// A call of a function on leaves.
class FlatCall final : public Call {
 public:
  FlatCall(Flat function, Arrays arguments) : function_(function) { leaves = std::move(arguments); }
  FlatResult run(const Arrays& values) const override { return {function_(values), {}}; }
  size_t argument_count() const override { return leaves.size(); }
  void leaf_paths(tenon::detail::FunctionRef<void(size_t, const std::string&)> on_leaf) const override {
    for (size_t i = 0; i < leaves.size(); ++i) on_leaf(i, "");
  }
  std::vector<tenon::detail::StaticArgument> static_arguments() const override { return {}; }

 private:
  Flat function_;
};

std::vector<double> numbers(const Array& x) {
  if (!x.dtype().is_complex()) return x.to_vector<double>();
  std::vector<double> parts = jnp::real(x).to_vector<double>();
  for (double v : jnp::imag(x).to_vector<double>()) parts.push_back(v);
  return parts;
}

Arrays directions(const Arrays& like, uint32_t seed) {
  Arrays out;
  Array key = random::key(seed);
  for (const Array& x : like) {
    const auto keys = random::split(key);
    key = keys[0];
    if (x.dtype().is_complex()) out.push_back(lax::complex(random::normal(keys[1], x.shape(), jnp::real(x).dtype()), random::normal(keys[0], x.shape(), jnp::real(x).dtype())));
    else out.push_back(random::normal(keys[1], x.shape(), x.dtype()));
  }
  return out;
}

// Largest difference, and the size of the numbers.
struct Difference {
  double largest = 0, size = 1;
};
Difference difference(const Array& a, const Array& b) {
  Difference out;
  const std::vector<double> x = numbers(a), y = numbers(b);
  for (size_t i = 0; i < x.size(); ++i) {
    const bool both_nan = std::isnan(x[i]) && std::isnan(y[i]);
    out.largest = std::max(out.largest, both_nan || x[i] == y[i] ? 0 : std::isfinite(x[i] - y[i]) ? std::abs(x[i] - y[i]) : INFINITY);
    if (std::isfinite(x[i]) && std::isfinite(y[i])) out.size = std::max({out.size, std::abs(x[i]), std::abs(y[i])});
  }
  return out;
}

// Real part of sum conj(a) b over all arrays, and the sum of sizes.
std::pair<double, double> inner(const Arrays& a, const Arrays& b) {
  double sum = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const std::vector<double> x = numbers(a[i]), y = numbers(b[i]);
    for (size_t k = 0; k < x.size(); ++k) {
      // The cotangents of JAX are not conjugated: sum of products, whose imaginary parts subtract.
      const double product = x[k] * y[k] * (a[i].dtype().is_complex() && k >= x.size() / 2 ? -1 : 1);
      sum += product;
      size += std::abs(product);
    }
  }
  return {sum, size};
}

Result check_order(Flat function, const Arrays& arguments, const GradCheckOptions& options, int order, uint32_t seed) {
  const bool is_double = arguments[0].dtype().itemsize() >= (arguments[0].dtype().is_complex() ? 16 : 8);
  const double step = is_double ? 6e-6 : 5e-3, tolerance = options.tolerance != 0 ? options.tolerance : is_double ? 1e-6 : 1e-2;
  const Arrays along = directions(arguments, seed);
  const FlatCall call(function, arguments);
  Arrays pushed;
  const auto shifted = [&](double by) {
    Arrays x;
    for (size_t i = 0; i < arguments.size(); ++i) x.push_back(arguments[i] + by * along[i]);
    return function(x);
  };
  const Arrays above = shifted(step), below = shifted(-step);
  Arrays slopes;
  for (size_t i = 0; i < above.size(); ++i) slopes.push_back((above[i] - below[i]) / (2 * step));
  if (options.forward) {
    pushed = tenon::detail::jvp_of(call, along).derivatives;
    for (size_t i = 0; i < slopes.size(); ++i) {
      if (!above[i].dtype().is_inexact()) continue;
      const Difference d = difference(pushed[i], slopes[i]);
      if (d.largest > tolerance * d.size * order)
        return Result(text("check_grads: derivative ", order, " of result ", i, " along a direction differs from central differences by ",
                           d.largest, "; jvp gives ", pushed[i].str(), ", differences give ", slopes[i].str()));
    }
  } else {
    pushed = slopes;
  }
  const tenon::detail::LinearMap map = tenon::detail::linearize_of(call);
  const Arrays cotangents = directions(pushed, seed + 1);
  const auto unnamed = [&] { return std::vector<std::string>(cotangents.size()); };
  const Arrays pulled = tenon::detail::pull_back(*map.map, cotangents, unnamed, Loc());
  const auto [forward, forward_size] = inner(cotangents, pushed);
  const auto [reverse, reverse_size] = inner(pulled, along);
  if (!(std::abs(forward - reverse) <= tolerance * std::max({1.0, forward_size, reverse_size})))
    return Result(text("check_grads: reverse derivative ", order, " does not agree: <cotangent, J t> = ", forward, ", <J^T cotangent, t> = ", reverse));
  if (order >= options.order) return {};
  const auto derivative = [&](const Arrays& x) {
    const FlatCall at(function, x);
    if (options.forward) return tenon::detail::jvp_of(at, along).derivatives;
    return tenon::detail::pull_back(*tenon::detail::linearize_of(at).map, cotangents, unnamed, Loc());
  };
  return check_order(derivative, arguments, options, order + 1, seed + 2);
}

}  // namespace

Result check_grads(Flat function, const Arrays& arguments, const GradCheckOptions& options) {
  if (arguments.empty()) return {};
  return check_order(function, arguments, options, 1, 7);
}

Result check_vmap(Flat function, const Arrays& arguments) {
  if (arguments.empty()) return {};
  const int64_t size = arguments[0].shape()[0];
  const Arrays batched = tenon::detail::vmap_of(FlatCall(function, arguments), {}).leaves;
  for (int64_t k = 0; k < size; ++k) {
    Arrays element;
    for (const Array& x : arguments) element.push_back(x(static_cast<int>(k)));
    const Arrays single = function(element);
    for (size_t i = 0; i < single.size(); ++i) {
      const Array got = batched[i](static_cast<int>(k));
      const Difference d = difference(got, single[i]);
      const double tolerance = single[i].dtype().is_inexact() ? 1e-5 : 0;
      if (got.shape() != single[i].shape() || !(d.largest <= tolerance * d.size))
        return Result(text("check_vmap: element ", k, " of result ", i, " is ", got.str(), " in the batch and ", single[i].str(), " alone"));
    }
  }
  return {};
}

}  // namespace tenon::testkit::detail
