// Orders and picks: permutation and choice.
#include <cmath>

#include "base/fail.h"
#include "base/promotion.h"
#include "library/random/key.h"

namespace tenon::random {
namespace {

// Sorted by random keys, often enough that equal keys do not matter.
Array shuffle(const Array& key, const Array& x, int axis) {
  auto body = [&](const Arrays& in) -> Arrays {
    Array next = in[0], y = in[1];
    const double size = static_cast<double>(std::max<int64_t>(1, y.size()));
    const int rounds = static_cast<int>(std::ceil(3 * std::log(size) / std::log(4294967295.0)));
    for (int round = 0; round < rounds; ++round) {
      const Arrays keys = split_in_two(next);
      next = keys[0];
      const Array order = random_bits(keys[1], 32, y.shape());
      y = lax::sort({order, y}, {.dimension = axis, .num_keys = 1})[1];
    }
    return {y};
  };
  return detail::call_jitted("_shuffle", body, {key, x})[0];
}

// A size that must be known while tracing.
int64_t size_of(const char* who, const Array& x) {
  if (!x.dtype().is_integer()) fail<TypeError>(who, "takes an integer or an array of at least one axis; got ", x.aval());
  return x.item<int64_t>();
}

// For each value the index of the first of the ascending `sums` that is not below it.
Array first_not_below(const Array& sums, const Array& values) {
  return jnp::sum(jnp::less(sums, lax::expand_dims(values, Axes(values.ndim()))), {.axis = -1});
}

}  // namespace

Array permutation(const Operand& key, const Operand& x, const PermutationOptions& options) {
  detail::FunctionScope site(key.loc);
  const Array typed = check_key("permutation", key.value).key;
  const int ndim = std::max(1, x.value.ndim());
  const int axis = static_cast<int>(detail::canonical_axis("permutation", options.axis, ndim));
  if (x.value.ndim() == 0) return shuffle(typed, jnp::arange(size_of("permutation", x.value)), axis);
  if (options.independent || x.value.ndim() == 1) return shuffle(typed, x.value, axis);
  const Array order = shuffle(typed, jnp::arange(x.value.shape()[axis]), 0);
  return jnp::take(x.value, order, {.axis = axis, .unique_indices = true});
}

Array choice(const Operand& key, const Operand& a, const Shape& shape, const ChoiceOptions& options) {
  detail::FunctionScope site(key.loc);
  const Array typed = check_key("choice", key.value).key;
  const Array& x = a.value;
  const bool is_size = x.ndim() == 0;
  const int axis = is_size ? 0 : static_cast<int>(detail::canonical_axis("choice", options.axis, x.ndim()));
  const int64_t population = is_size ? size_of("choice", x) : x.shape()[axis], draws = shape.num_elements();
  if (draws == 0) return jnp::zeros(shape, x.dtype());
  if (population <= 0) fail<ValueError>("choice", "there must be something to choose from; got ", x.aval());
  if (!options.replace && draws > population)
    fail<ValueError>("choice", "cannot take ", draws, " elements of ", population, " without putting them back");
  Array indices;
  if (options.p.is_empty() && !options.replace) {
    Array all = permutation(typed, is_size ? Array(population) : x, {.axis = axis});
    Shape start(std::vector<int64_t>(all.shape().size(), 0)), limit = all.shape();
    limit[axis] = draws;
    indices = all.shape() == limit ? all : lax::slice(all, start, limit);
  } else if (options.p.is_empty()) {
    indices = randint(typed, shape, 0, population);
  } else {
    const Array p = detail::promote_dtypes_inexact("choice", {options.p})[0];
    if (p.shape() != Shape{population})
      fail<ValueError>("choice", "p must be a vector with one probability for each of ", population, " elements; got ", p.aval());
    if (options.replace) {
      const Array sums = jnp::cumsum(p);
      const Array at = sums(-1) * (1 - uniform(typed, shape, p.dtype()));
      indices = first_not_below(sums, at);
    } else {
      const Array scores = gumbel(typed, {population}, p.dtype()) + jnp::log(p);
      indices = lax::top_k(scores, draws)[1];
    }
  }
  const bool picked = options.p.is_empty() && !options.replace;
  Array result = is_size || picked ? indices : jnp::take(x, indices, {.axis = axis});
  Shape full = is_size ? shape : Shape{};
  if (!is_size)
    for (int i = 0; i < x.ndim(); ++i) {
      if (i != axis) full.push_back(x.shape()[i]);
      else for (int64_t size : shape) full.push_back(size);
    }
  return jnp::reshape(result, full);
}

}  // namespace tenon::random
