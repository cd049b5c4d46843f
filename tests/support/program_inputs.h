// The inputs on which programs of support/programs.h are run: element i of input k as in library/values.py.
#pragma once

#include "core/nodes.h"
#include "support/programs.h"
#include "tenon/detail/host.h"

namespace tenon::test {

inline double element(DType dtype, int64_t k, int64_t i) {
  if (dtype.is_bool()) return (i + k) % 2 == 0;
  if (dtype.is_integer()) return static_cast<double>((i * 7 + k * 3) % 5 - (dtype.is_signed() ? 2 : 0));
  return static_cast<double>((i * 37 + k * 11) % 23 - 11) / 4;
}

inline Array input(const Aval& aval, int64_t k) {
  if (aval.weak_type) return aval.dtype.is_floating() ? Array(3.0) : Array(3);
  const int64_t count = aval.shape.num_elements();
  if (aval.dtype.is_prng_key()) {
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < 2 * count; ++i) words.push_back(i * 2654435761u + static_cast<uint32_t>(k));
    return detail::array_from_host(words.data(), aval);
  }
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(element(aval.dtype, k, i));
  std::vector<unsigned char> bytes(static_cast<size_t>(aval.nbytes()) + 1);
  detail::convert_elements(values.data(), DType(DType::kFloat64), bytes.data(), aval.dtype, count);
  return detail::array_from_host(bytes.data(), aval);
}

inline Arrays inputs_of(const Program& program) {
  Arrays inputs;
  for (size_t k = 0; k < program.avals.size(); ++k) inputs.push_back(input(program.avals[k], static_cast<int64_t>(k)));
  return inputs;
}

inline std::string bytes_of(const Array& array) {
  array.block_until_ready();
  return std::string(static_cast<const char*>(detail::buffer_of(array, "bytes")->host_data()), static_cast<size_t>(array.nbytes()));
}

/// Loops that never end on these elements.
inline bool is_endless(const Program& program) {
  return std::string_view(program.name) == "while_forwards" || std::string_view(program.name) == "while_promotes";
}

}  // namespace tenon::test
