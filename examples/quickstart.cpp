// The first steps: arrays, a jitted function, and what each stage of it looks like.
#include <tenon/tenon.h>

#include <iostream>

using namespace tenon;

Array activation(Array x, Array w, Array b) { return jnp::tanh(jnp::matmul(x, w) + b); }

int main() {
  Array x = jnp::linspace(0.0, 1.0, 12).reshape({3, 4});
  Array w = jnp::ones({4, 2}) * 0.5, b = jnp::zeros({2});

  // Eager: each operation runs at once.
  std::cout << "eager:  " << activation(x, w, b).str() << "\n";

  // Jitted: traced once, compiled, run.
  auto f = jit<activation>();
  std::cout << "jitted: " << f(x, w, b).str() << "\n\n";

  // Every stage can be printed.
  std::cout << "jaxpr:\n" << make_jaxpr(activation)(x, w, b).str() << "\n\n";
  auto lowered = f.lower(x, w, b);
  std::cout << "StableHLO:\n" << lowered.as_text() << "\n";
  auto compiled = lowered.compile();
  std::cout << "optimized HLO:\n" << compiled.as_text() << "\n";
  std::cout << "flops: " << compiled.cost_analysis()["flops"]
            << ", temporary bytes: " << compiled.memory_analysis().temp_size_in_bytes << "\n";
}
