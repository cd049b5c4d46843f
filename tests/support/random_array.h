// Arrays of pseudorandom numbers, the same in every run.
#pragma once

#include <random>

#include "tenon/tenon.h"

namespace tenon::test {

inline Array normal(unsigned seed, const Shape& shape, double scale = 1.0, double shift = 0.0) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> draw(0.0f, 1.0f);
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (float& v : values) v = static_cast<float>(draw(engine) * scale + shift);
  return device_put(HostView(values.data(), shape));
}
inline Array uniform(unsigned seed, const Shape& shape, double low = 0.0, double high = 1.0) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> draw(static_cast<float>(low), static_cast<float>(high));
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (float& v : values) v = draw(engine);
  return device_put(HostView(values.data(), shape));
}

}  // namespace tenon::test
