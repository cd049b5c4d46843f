// One flag for each of a list: operands, results, inputs.
#pragma once

#include <algorithm>
#include <vector>

namespace tenon::detail {

using Flags = std::vector<bool>;

inline bool all_of(const Flags& flags) { return std::find(flags.begin(), flags.end(), false) == flags.end(); }
inline bool any_of(const Flags& flags) { return std::find(flags.begin(), flags.end(), true) != flags.end(); }
inline size_t count_of(const Flags& flags) { return static_cast<size_t>(std::count(flags.begin(), flags.end(), true)); }

/// Those of `values` with `flag`.
template <class T>
std::vector<T> where(const std::vector<T>& values, const Flags& flags, bool flag) {
  std::vector<T> some;
  for (size_t i = 0; i < values.size(); ++i)
    if (flags[i] == flag) some.push_back(values[i]);
  return some;
}

}  // namespace tenon::detail
