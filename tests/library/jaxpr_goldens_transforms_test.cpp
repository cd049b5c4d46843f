// The programs of core/jaxpr_goldens that need transforms or control flow.
#include <gtest/gtest.h>

#include "library/golden.h"

namespace tenon::test {
namespace {

std::string checkpoint_forward_and_grad() {
  auto g = checkpoint([](Array p) { return jnp::sin(jnp::cos(p)); });
  return show(g, 1.0) + show(grad(g), 1.0);
}

// The rule calls the function that it belongs to.
struct Cube {
  using tenon_signature = Array(Array);
  Array operator()(Array p) const {
    auto value = [](Array q) { return q * q * q; };
    auto rule = [](Array q, Array t) {
      Array y = Cube()(q);
      return std::pair{y, 3 * jnp::power(q, 2) * t};
    };
    return custom_jvp(value, rule, {.name = "cube", .rule_name = "cube_rule"})(p);
  }
};
std::string custom_jvp_user() {
  auto along = [](Array p) { return jvp(Cube(), std::tuple{p}, std::tuple{Array(1.0)}); };
  return show(Cube(), 2.0) + show(along, 2.0);
}

struct ClipGrad {
  using tenon_signature = Array(Array);
  Array operator()(Array p) const {
    auto value = [](Array q) { return q * 1; };
    auto forward = [](Array q) { return std::pair{ClipGrad()(q), Empty{}}; };
    auto backward = [](Empty, Array g) { return std::tuple{jnp::clip(g, -1, 1)}; };
    return custom_vjp(value, forward, backward, {.name = "clipgrad", .forward_name = "fwd", .backward_name = "bwd"})(p);
  }
};
std::string custom_vjp_user() {
  return show(ClipGrad(), jnp::ones({2})) + show(grad([](Array p) { return ClipGrad()(p).sum(); }), jnp::ones({2}));
}

std::string grad_mlp_layer() {
  auto loss = [](Array w, Array b, Array p) { return jnp::mean(jnp::power(jnp::tanh(jnp::matmul(p, w) + b), 2)); };
  return show(grad<0, 1>(loss), jnp::ones({3, 2}), jnp::ones({2}), jnp::ones({5, 3}));
}

std::string grad_scalar() {
  return show(grad([](Array p) { return jnp::tanh(p) * p; }), 1.0);
}

std::string grad_vector_sum_of_squares() {
  return show(value_and_grad([](Array p) { return jnp::sum(jnp::power(p, 2)); }), jnp::ones({3}));
}

std::string hessian_cubic() {
  return show(hessian([](Array p) { return jnp::sum(jnp::power(p, 3)); }), jnp::ones({2}));
}

std::string jvp_integer_input_float0() {
  auto along = [](Array p, Array n) {
    return jvp([n](Array q) { return q * n; }, std::tuple{p}, std::tuple{Array(1.0)});
  };
  return show(along, 2.0, 3) + show(grad([](Array p, Array n) { return jnp::power(p, n); }, {.allow_int = true}), 2.0, 3);
}

std::string jvp_pushforward() {
  auto push = [](Array p, Array t) {
    return jvp([](Array q) { return jnp::exp(q) / q; }, std::tuple{p}, std::tuple{t});
  };
  return show(push, 1.0, 2.0);
}

std::string linearize_and_transpose() {
  auto push = linearize([](Array p) { return jnp::sin(p) * 2; }, jnp::float32(1)).second;
  return show(push, jnp::float32(1)) + show(linear_transpose([](Array p) { return 3.0 * p; }, 1.0), 2.0);
}

std::string cond_no_operand_and_tuple_result() {
  auto f = [](Array k, Array p) {
    return lax::cond(k, [p] { return std::tuple{p, Array(1)}; }, [p] { return std::tuple{p * 2, Array(2)}; });
  };
  return show(f, true, jnp::ones({2}));
}

std::string loop_nest_scan_in_while() {
  auto f = [](Array p) {
    auto halve_thrice = [](Array s) { return lax::fori_loop(0, 3, [](Array, Array t) { return t * 0.5; }, s); };
    return lax::while_loop([](Array s) { return s(0) > 0.1; }, halve_thrice, p);
  };
  return show(f, jnp::ones({2}));
}

std::string map_and_associative_scan() {
  return show([](Array p) { return lax::map([](Array x) { return jnp::exp(x); }, p); }, jnp::ones({3})) +
         show([](Array p) { return lax::associative_scan([](Array a, Array b) { return jnp::multiply(a, b); }, p); }, jnp::ones({5}));
}

std::string scan_carry_and_ys() {
  return show([](Array p) { return lax::scan([](Array c, Array t) { return std::pair{c + t, c * t}; }, 0.0, p); }, jnp::arange(4.0));
}

std::string scan_no_xs_with_length() {
  auto f = [](Array p) {
    return lax::scan([](Array c, Empty) { return std::pair{jnp::sin(c), Empty{}}; }, p, Empty{}, 7).first;
  };
  return show(f, jnp::ones({2}));
}

std::string scan_pytree_carry() {
  struct Totals {
    Array n, s;
  };
  auto f = [](Array p) {
    return lax::scan([](Totals c, Array t) { return std::pair{Totals{c.n + 1, c.s + t}, c.n}; }, Totals{0, 0.0}, p);
  };
  return show(f, jnp::arange(3.0));
}

std::string switch_three_branches() {
  auto f = [](Array k, Array p) {
    return lax::switch_(k, std::tuple{[](Array t) { return jnp::sin(t); }, [](Array t) { return jnp::cos(t); }, [](Array t) { return t; }}, p);
  };
  return show(f, 2, jnp::ones({2}));
}

std::string while_counter() {
  using State = std::tuple<Array, Array>;
  auto f = [](Array p) {
    return lax::while_loop([](State s) { return std::get<0>(s) < 10; },
                           [](State s) { return State{std::get<0>(s) + 1, std::get<1>(s) * 1.5}; }, State{0, p});
  };
  return show(f, jnp::ones({2}));
}

std::string while_with_closed_over_values() {
  auto f = [](Array lim, Array w, Array p) {
    return lax::while_loop([lim](Array s) { return s.sum() < lim; }, [w](Array s) { return jnp::matmul(w, s); }, p);
  };
  return show(f, 5.0, jnp::eye(2), jnp::ones({2}));
}

std::string scan_gradient() {
  auto f = [](Array p) {
    return lax::scan([](Array c, Array t) { return std::pair{jnp::sin(c) * t, c}; }, 1.0, p).first;
  };
  return show(grad(f), jnp::arange(3.0));
}

std::string vmap_axes_in_out() {
  auto f = vmap([](Array p, Array q) { return p + q; }, {.in_axes = {1, 0}, .out_axes = 1});
  return show(f, jnp::ones({3, 5}), jnp::ones({5, 3}));
}

std::string vmap_collective_axis_name() {
  auto f = vmap([](Array p) { return p / lax::psum(p, "rows"); }, {.axis_name = "rows"});
  return show(f, jnp::arange(3.0));
}

std::string vmap_matvec() {
  auto product = [](Array m, Array v) { return jnp::matmul(m, v); };
  return show(vmap(product, {.in_axes = {none, 0}}), jnp::ones({3, 4}), jnp::ones({7, 4})) +
         show(vmap(product), jnp::ones({7, 3, 4}), jnp::ones({7, 4}));
}

std::string vmap_while_batched_predicate() {
  auto f = [](Array p) {
    return lax::while_loop([](Array s) { return s < 3; }, [](Array s) { return s * 2; }, p);
  };
  return show(vmap(f), jnp::ones({2}));
}

}  // namespace

const std::vector<Golden>& transform_goldens() {
#define TENON_GOLDEN(name) {#name, name},
  static const std::vector<Golden> goldens = {
      TENON_GOLDEN(checkpoint_forward_and_grad)
      TENON_GOLDEN(custom_jvp_user)
      TENON_GOLDEN(custom_vjp_user)
      TENON_GOLDEN(grad_mlp_layer)
      TENON_GOLDEN(grad_scalar)
      TENON_GOLDEN(grad_vector_sum_of_squares)
      TENON_GOLDEN(hessian_cubic)
      TENON_GOLDEN(jvp_integer_input_float0)
      TENON_GOLDEN(jvp_pushforward)
      TENON_GOLDEN(linearize_and_transpose)
      TENON_GOLDEN(scan_gradient)
      TENON_GOLDEN(vmap_axes_in_out)
      TENON_GOLDEN(vmap_collective_axis_name)
      TENON_GOLDEN(vmap_matvec)
      TENON_GOLDEN(vmap_while_batched_predicate)
      TENON_GOLDEN(cond_no_operand_and_tuple_result)
      TENON_GOLDEN(loop_nest_scan_in_while)
      TENON_GOLDEN(map_and_associative_scan)
      TENON_GOLDEN(scan_carry_and_ys)
      TENON_GOLDEN(scan_no_xs_with_length)
      TENON_GOLDEN(scan_pytree_carry)
      TENON_GOLDEN(switch_three_branches)
      TENON_GOLDEN(while_counter)
      TENON_GOLDEN(while_with_closed_over_values)
  };
#undef TENON_GOLDEN
  return goldens;
}

namespace {

class JaxprGoldenOfTransform : public testing::TestWithParam<Golden> {};
TEST_P(JaxprGoldenOfTransform, IsJax) { EXPECT_EQ(without_counts(GetParam().text()), golden_text(GetParam().name)); }
INSTANTIATE_TEST_SUITE_P(, JaxprGoldenOfTransform, testing::ValuesIn(transform_goldens()), [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tenon::test
