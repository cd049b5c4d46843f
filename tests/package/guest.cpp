// A user's program: traces, compiles, runs, and catches what the library throws.
#include <tenon/tenon.h>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace tenon;

int main() {
  auto f = jit([](Array x, Array scale) { return jnp::sin(x) * scale + 1.0; });
  std::vector<float> y = f(jnp::ones({2, 3}), 2.0).to_vector<float>();
  bool right = y.size() == 6;
  for (float v : y) right = right && std::abs(v - (2 * std::sin(1.0) + 1)) < 1e-6;

  bool caught = false;
  try {
    f(jnp::ones({2, 3}), jnp::ones({4}));
  } catch (const TypeError&) {  // a ShapeError is one; its type crosses the border of the library
    caught = true;
  }
  std::printf("values %s, exception %s\n", right ? "right" : "wrong", caught ? "caught" : "missed");
  return right && caught ? 0 : 1;
}
