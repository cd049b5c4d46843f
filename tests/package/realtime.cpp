// A control loop whose step may not wait, judged by RealtimeSanitizer: it stops the process where a function that is marked as
// non-blocking allocates, locks or calls the system. With an argument it does so: the judge must see it.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tenon/tenon.h"

static bool step(tenon::Plan& plan, const float* state, const float* weights, float* next) noexcept [[clang::nonblocking]] {
  return plan.run({state, weights}, {next});
}
static void* allocates() noexcept [[clang::nonblocking]] { return std::malloc(100); }

int main(int argc, char**) {
  using namespace tenon;
  if (argc > 1) return allocates() == nullptr;
  const auto controller = [](Array x, Array w) {
    Array y = jnp::tanh(jnp::matmul(w, x)) + jnp::sum(w, {.axis = 1});
    y = lax::fori_loop(0, 3, [=](Array, Array t) { return nn::softmax(jnp::matmul(w, t)); }, y);
    return lax::cond(jnp::max(y) > 0.5f, [](Array t) { return t * 0.5f; }, [](Array t) { return t + 1.0f; }, y);
  };
  const Array x = jnp::ones({200}), w = jnp::ones({200, 200}) * 0.01f;
  Plan plan = jit(controller).lower(x, w).compile().plan();
  const std::vector<float> weights = w.to_vector<float>();
  std::vector<float> state = x.to_vector<float>(), next(state.size());
  bool good = step(plan, state.data(), weights.data(), next.data()) && next == jit(controller)(x, w).to_vector<float>();
  for (int i = 0; i < 100; ++i) {
    state.swap(next);
    good &= step(plan, state.data(), weights.data(), next.data());
  }
  std::printf("%f\n", static_cast<double>(next[0]));
  return good ? 0 : 1;
}
