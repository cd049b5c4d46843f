#include "tools/bench/workload.h"

namespace tenon::bench {

Draw::Draw(const std::string& id) : random_(std::hash<std::string>()(id)) {}

Array Draw::uniform(const Shape& shape, float low, float high) {
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (float& v : values) v = distribution(random_);
  return jnp::array(values).reshape(shape);
}

Array Draw::normal(const Shape& shape, float scale) {
  std::normal_distribution<float> distribution(0, scale);
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (float& v : values) v = distribution(random_);
  return jnp::array(values).reshape(shape);
}

Array Draw::indices(const Shape& shape, int32_t bound) {
  std::uniform_int_distribution<int32_t> distribution(0, bound - 1);
  std::vector<int32_t> values(static_cast<size_t>(shape.num_elements()));
  for (int32_t& v : values) v = distribution(random_);
  return jnp::array(values).reshape(shape);
}

}  // namespace tenon::bench
