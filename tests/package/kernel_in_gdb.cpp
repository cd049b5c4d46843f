// A kernel that a debugger is to stop in.
#include <tenon/tenon.h>

#include <cstdio>

using namespace tenon;

static Array wave(Array x) {
  Array y = jnp::sin(x);
  return y * 2 + 1;
}

int main() {
  const Array x = jnp::ones({100000});
  std::printf("%g\n", jit<wave>()(x)(0).item());
}
