// vmap of a function of a list of arrays, with an axis (or none) for each of them.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "base/fail.h"
#include "tenon/transforms.h"

namespace tenon::test {

template <class F, size_t... I>
Arrays mapped_each(const F& function, const Arrays& x, const std::vector<std::optional<int>>& axes, std::index_sequence<I...>) {
  auto of_each = [&](std::conditional_t<I == I, Array, void>... each) -> Arrays { return function(Arrays{each...}); };
  return vmap(of_each, {.in_axes = {axes[I]...}})(x[I]...);
}

/// At most four arrays.
template <class F>
Arrays mapped(const F& function, const Arrays& x, const std::vector<std::optional<int>>& axes) {
  switch (x.size()) {
    case 1: return mapped_each(function, x, axes, std::make_index_sequence<1>());
    case 2: return mapped_each(function, x, axes, std::make_index_sequence<2>());
    case 3: return mapped_each(function, x, axes, std::make_index_sequence<3>());
    case 4: return mapped_each(function, x, axes, std::make_index_sequence<4>());
    default: fail<ValueError>("mapped", "takes one to four arrays; got ", x.size());
  }
}

}  // namespace tenon::test
