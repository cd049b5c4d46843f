// Derivatives: forward ones against differences, where the function is smooth; reverse ones against forward ones, by
// inner products.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tools/fuzz/program.h"
#include "tools/fuzz/wrappers.h"

namespace tenon::fuzz {
namespace {

// By these inputs it is differentiated, and these results are.
bool is_real(const Aval& aval) { return aval.dtype.is_floating(); }
bool is_real_array(const Array& x) { return is_real(x.aval()); }

std::optional<Numbers> propose_derivative(Builder& b, const Signature& inner) {
  if (std::ranges::none_of(inner.inputs, is_real) || std::ranges::none_of(inner.results, is_real)) return {};
  return Numbers{b.pick(0, 1)};
}
std::optional<Numbers> propose_reverse(Builder& b, const Signature& inner) {
  return inner.has_while ? std::nullopt : propose_derivative(b, inner);
}

Arrays only_real(const Arrays& xs) {
  Arrays out;
  std::ranges::copy_if(xs, std::back_inserter(out), is_real_array);
  return out;
}
// The function of its real inputs alone; the others are those of `inputs`.
Function of_reals(const Function& inner, const Arrays& inputs) {
  return [inner, inputs](const Arrays& reals) {
    Arrays all = inputs;
    size_t next = 0;
    for (Array& x : all)
      if (is_real_array(x)) x = reals[next++];
    return only_real(inner(all));
  };
}

// Numbers in [-1, 1] of no regularity.
Array pattern(const Array& like, double phase) {
  const int64_t size = like.size();
  const Array angle = lax::add(lax::mul(lax::iota(jnp::float32, size), jnp::float32(1.7)), jnp::float32(static_cast<float>(phase)));
  return lax::reshape(lax::convert_element_type(lax::cos(angle), like.dtype()), like.shape());
}
Arrays patterns(const Arrays& like, double phase) {
  Arrays out;
  for (const Array& x : like) out.push_back(pattern(x, phase += 1));
  return out;
}
// The sum of all results with such weights: a scalar.
Array weighed(const Arrays& results) {
  const bool is_wide = std::ranges::any_of(results, [](const Array& y) { return y.dtype() == jnp::float64; });
  const DType dtype = is_wide ? jnp::float64 : jnp::float32;
  Array total = lax::full({}, 0, dtype);
  const Arrays weights = patterns(results, 0.3);
  for (size_t r = 0; r < results.size(); ++r) {
    std::vector<int64_t> axes(static_cast<size_t>(results[r].ndim()));
    std::iota(axes.begin(), axes.end(), 0);
    const Array wide = lax::convert_element_type(lax::mul(results[r], weights[r]), dtype);
    total = lax::add(total, lax::reduce_sum(wide, Axes(axes)));
  }
  return total;
}

// ---- jvp. Inputs: those of the function, then tangents; results: the real ones, then their tangents.
// numbers: 0 jvp, 1 linearize.

Avals inputs_of_jvp(const Numbers&, const Avals& inner) {
  Avals out = inner;
  std::ranges::copy_if(inner, std::back_inserter(out), is_real);
  return out;
}
struct Split {
  Arrays inputs, reals, tangents;
};
Split split(const Arrays& all) {
  Split out;
  // As many tangents at the end as there are real inputs before them.
  size_t count = all.size();
  for (size_t reals = 0, k = 0; k + reals <= all.size(); ++k) {
    if (k + reals == all.size()) {
      count = k;
      break;
    }
    reals += is_real_array(all[k]);
  }
  out.inputs.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
  out.reals = only_real(out.inputs);
  out.tangents.assign(all.begin() + static_cast<std::ptrdiff_t>(count), all.end());
  return out;
}
Arrays apply_jvp(const Numbers& numbers, const Function& inner, const Arrays& all) {
  const Split x = split(all);
  const Function f = of_reals(inner, x.inputs);
  auto of_arrays = [&](Arrays reals) { return f(reals); };
  if (numbers[0] == 0) {
    auto [y, dy] = jvp(of_arrays, std::tuple{x.reals}, std::tuple{x.tangents});
    y.insert(y.end(), dy.begin(), dy.end());
    return y;
  }
  auto [y, push] = linearize(of_arrays, x.reals);
  const Arrays dy = push(x.tangents);
  y.insert(y.end(), dy.begin(), dy.end());
  return y;
}

std::vector<double> slopes(const Function& f, const Split& x, size_t result, double step) {
  const auto moved = [&](double by) {
    Arrays at;
    for (size_t k = 0; k < x.reals.size(); ++k) at.push_back(lax::add(x.reals[k], lax::mul(x.tangents[k], Array(by).astype(x.reals[k].dtype()))));
    return f(at)[result].to_vector<double>();
  };
  std::vector<double> above = moved(step), below = moved(-step);
  for (size_t i = 0; i < above.size(); ++i) above[i] = (above[i] - below[i]) / (2 * step);
  return above;
}
std::string differs_from_slopes(const Numbers&, const Function& inner, const Arrays& all, const Arrays& results, Exactness) {
  const Split x = split(all);
  const Function f = of_reals(inner, x.inputs);
  const size_t count = results.size() / 2;
  const Arrays values = f(x.reals);
  for (size_t r = 0; r < count; ++r) {
    std::string where = rough_difference(results[r], values[r]);
    if (!where.empty()) return "the value, result " + std::to_string(r) + ", " + where;
  }
  // Differences need numbers that a step changes.
  const auto is_wide = [](const Array& a) { return a.dtype() == jnp::float64; };
  const auto is_moderate = [](const Array& a) { return std::ranges::all_of(a.to_vector<double>(), [](double v) { return std::abs(v) < 100; }); };
  if (!std::ranges::all_of(x.reals, is_wide) || !std::ranges::all_of(x.reals, is_moderate) || !std::ranges::all_of(x.tangents, is_moderate)) return "";
  for (size_t r = 0; r < count; ++r) {
    if (!is_wide(values[r])) continue;
    // Two steps: where their slopes are not one, the function is not smooth, and a third has no say. A far smaller one: steps of a
    // steep function (floor(1 / x)) are as a slope to larger ones.
    constexpr double kStep = 1.0 / 8192;
    const std::vector<double> coarse = slopes(f, x, r, kStep), fine = slopes(f, x, r, kStep / 2), finest = slopes(f, x, r, kStep / 1024),
                              got = results[count + r].to_vector<double>(), value = values[r].to_vector<double>();
    double size = 1e-3;
    for (double v : value) size = std::isfinite(v) ? std::max(size, std::abs(v)) : size;
    for (size_t i = 0; i < got.size(); ++i) {
      if (!std::isfinite(coarse[i]) || !std::isfinite(fine[i]) || !std::isfinite(got[i])) continue;
      const double around = std::abs(fine[i]) + size;
      if (std::abs(coarse[i] - fine[i]) > 1e-4 * around || !(std::abs(finest[i] - fine[i]) <= 1e-3 * around)) continue;
      if (std::abs(got[i] - (4 * fine[i] - coarse[i]) / 3) > 1e-3 * around) {
        char text[160];
        std::snprintf(text, sizeof text, "differences, result %zu, element %zu: %.17g and %.17g", r, i, got[i], fine[i]);
        return text;
      }
    }
  }
  return "";
}

// ---- grad, of the weighed sum of the results. Results: the gradients by the real inputs. numbers: 0 grad, 1 vjp.

Avals inputs_of_grad(const Numbers&, const Avals& inner) { return inner; }
Arrays apply_grad(const Numbers& numbers, const Function& inner, const Arrays& inputs) {
  const Function f = of_reals(inner, inputs);
  if (numbers[0] == 0) return grad([&](Arrays reals) { return weighed(f(reals)); })(only_real(inputs));
  auto [y, pull] = vjp([&](Arrays reals) { return f(reals); }, only_real(inputs));
  return std::get<0>(pull(patterns(y, 0.3)));
}
// The sum of products, and of their sizes.
std::pair<double, double> inner_product(const Arrays& x, const Arrays& y) {
  double sum = 0, size = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    const auto a = x[k].to_vector<double>(), b = y[k].to_vector<double>();
    for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i], size += std::abs(a[i] * b[i]);
  }
  return {sum, size};
}
std::string differs_from_forward(const Numbers&, const Function& inner, const Arrays& inputs, const Arrays& results, Exactness) {
  const Arrays reals = only_real(inputs), along = patterns(reals, 2.2);
  const Function f = of_reals(inner, inputs);
  const auto [y, dy] = jvp([&](Arrays xs) { return f(xs); }, std::tuple{reals}, std::tuple{along});
  const auto [forward, forward_size] = inner_product(patterns(y, 0.3), dy);
  const auto [reverse, reverse_size] = inner_product(results, along);
  double rounding = 0;
  for (const Array& a : reals) rounding = std::max(rounding, rounding_of(a.dtype()));
  for (const Array& a : y) rounding = std::max(rounding, rounding_of(a.dtype()));
  if (!std::isfinite(forward_size) || !std::isfinite(reverse_size)) return "";
  // Terms of size 1 that cancel leave noise, however small the sums are.
  if (std::abs(forward - reverse) <= rounding * (std::max(forward_size, reverse_size) + rounding)) return "";
  char text[160];
  std::snprintf(text, sizeof text, "the forward derivative, inner product: %.17g and %.17g", reverse, forward);
  return text;
}

}  // namespace

const std::vector<Wrapper>& derivative_wrappers() {
  static const auto* list = new std::vector<Wrapper>{
      {"jvp", 3, true, propose_derivative, inputs_of_jvp, apply_jvp, differs_from_slopes},
      {"grad", 4, true, propose_reverse, inputs_of_grad, apply_grad, differs_from_forward},
  };
  return *list;
}

}  // namespace tenon::fuzz
