// The programs of library/custom_programs.py.
#include "support/program_list.h"

namespace tenon::test {

static Aval F(std::initializer_list<int64_t> shape = {}) { return of(DType::kFloat32, shape); }
static Aval I(std::initializer_list<int64_t> shape = {}) { return of(DType::kInt32, shape); }

std::vector<Program> custom_programs() {
  return {
      P("relu", A(nn::relu(x)), F({3})),
      P("relu_int", A(nn::relu(x) * 2), I({3})),
      P("relu6", A(nn::relu6(x)), F({3})),
      P("relu_many", A(nn::relu(x), nn::relu(y), nn::relu(x)), F({3}), F({3})),
      P("logaddexp", A(jnp::logaddexp(x, y)), F({3}), F({3})),
      P("logaddexp_int", A(jnp::logaddexp(x, y)), I({3}), I({3})),
      P("hypot", A(jnp::hypot(x, y)), F({3}), F({3})),
      P("hypot_int", A(jnp::hypot(x, y)), I({3}), I({3})),
      P("softplus", A(nn::softplus(x)), F({3})),
      P("log_sigmoid", A(nn::log_sigmoid(x)), F({3})),
      P("relu_of_sin", A(nn::relu(jnp::sin(x)).sum()), F({4})),
  };
}

}  // namespace tenon::test
