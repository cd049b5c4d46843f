// Derivatives of loops, branches and calls by values of weak type print as JAX's, and their results are weak where JAX's are;
// loops_and_calls.txt holds what JAX prints (loops_and_calls.py).
#include <gtest/gtest.h>

#include <map>

#include "golden.h"

namespace tenon::test {
namespace {

using A = Array;
using Two = std::tuple<A, A>;

template <class F, class... X>
std::string typed(F f, const X&... x) {
  const Jaxpr jaxpr = make_jaxpr(f)(x...);
  std::string text = without_counts(jaxpr.str()) + "\nweak [";
  const char* separator = "";
  for (const auto& aval : jaxpr.out_avals()) {
    text += separator;
    text += aval.weak_type ? "1" : "0";
    separator = ", ";
  }
  return text + "]\n";
}

// Calls each(name, function, arguments...) for all of them.
template <class Each>
void each_program(Each each) {
  const A v = jnp::ones({3});
  const A s2 = jnp::float32(2);
  auto cv = custom_vjp([](A x) { return x * 3.0; }, [](A x) { return std::pair{x * 3.0, x}; },
                       [](A r, A g) { return std::tuple{g * r * jnp::float32(3)}; }, {.name = "cv"});
  auto scan = [](auto f, auto c, int64_t n) { return lax::scan(f, c, Empty{}, {.length = n}); };
  auto repeat = [](auto f, A c, int64_t n) { return lax::scan([f](A c, Empty) { return std::pair{f(c), Empty{}}; }, c, Empty{}, {.length = n}).first; };
  auto along = [](auto f, A c, A xs) { return lax::scan([f](A c, A y) { return std::pair{f(c, y), Empty{}}; }, c, xs).first; };
  auto I = [](A y) { return y; };
  each("cond", grad([=](A x) { return lax::cond(x > 0, [](A y) { return jnp::sin(y) * 2; }, I, x); }), 1.0);
  each("cond_strong", grad([=](A x) { return lax::cond(x > 0, [=](A y) { return s2 * y; }, [=](A y) { return y * s2 + 1; }, x); }), 1.0);
  each("cond_mixed", grad([=](A x) { return lax::cond(x > 0, [=](A y) { return y * v(0); }, [=](A y) { return y * v(1) * y; }, x); }), 1.0);
  each("cond_closed", grad([=](A x) { return lax::cond(v(0) > 0, [=](A y) { return y * x; }, [=](A y) { return y + x; }, s2); }), 1.0);
  each("switch", grad([=](A x) { return lax::switch_(jnp::int32(1), std::tuple{[](A y) { return jnp::sin(y); }, [](A y) { return y * 2; }, I}, x); }), 1.0);
  each("fori", grad([=](A x) { return lax::fori_loop(0, 3, [](A, A c) { return c * 2.0; }, x); }), 1.0);
  each("fori_square", grad([=](A x) { return lax::fori_loop(0, 3, [](A, A c) { return c * c; }, x); }), 1.0);
  each("fori_strong", grad([=](A x) { return lax::fori_loop(0, 3, [=](A, A c) { return c * v(0); }, x); }), 1.0);
  each("fori_closed", grad([=](A x) { return lax::fori_loop(0, 3, [=](A, A c) { return c * x; }, s2); }), 1.0);
  each("fori_closed_weak", grad([=](A x) { return lax::fori_loop(0, 3, [=](A, A c) { return c * x; }, 1.0); }), 1.0);
  each("fori_index", grad([=](A x) { return lax::fori_loop(0, 3, [=](A i, A c) { return c * i + x; }, x); }), 1.0);
  each("fori_pair", grad([=](A x) {
    const auto swap = [=](A, Two c) { return Two{std::get<1>(c), std::get<0>(c) * x}; };
    return std::get<0>(lax::fori_loop(0, 3, swap, Two{x, 1.0}));
  }), 1.0);
  each("scan_weak", grad([=](A x) { return scan([](A c, Empty) { return std::pair{c * 2.0, c}; }, x, 3).second.sum(); }), 1.0);
  each("scan_closed", grad([=](A x) { return lax::scan([=](A c, A y) { const A n = c * x; return std::pair{n, y * x}; }, 1.0, v).second.sum(); }), 1.0);
  each("scan_scan", grad([=](A x) { return repeat([=](A c) { return repeat([=](A d) { return d * x; }, c, 2); }, x, 3); }), 1.0);
  each("scan_cond", grad([=](A x) { return along([=](A c, A y) { return lax::cond(y > 0, [=](A c) { return c * x; }, I, c); }, x, v); }), 1.0);
  auto ab = jit([](A a, A b) { return a * b * 2.0; }, {.name = "<lambda>"});
  each("scan_jit", grad([=](A x) { return repeat([=](A c) { return ab(c, x); }, x, 2); }), 1.0);
  each("scan_reverse", grad([=](A x) { return lax::scan([=](A c, A y) { return std::pair{c * y, c}; }, x, v, {.reverse = true}).second.sum(); }), 1.0);
  each("scan_two", grad<0, 1>([=](A x, A y) { return repeat([=](A c) { return c * x + y; }, A(0.0), 3); }), 1.0, 2.0);
  each("jit", grad(jit([](A x) { const A s = jnp::sin(x * 2.0); return s * x; }, {.name = "<lambda>"})), 1.0);
  each("jit_strong", grad(jit([=](A x) { return x * s2 + 1.0; }, {.name = "<lambda>"})), 1.0);
  each("jit_nested", grad(jit([=](A x) { const A y = jit([](A y) { return y * 2; }, {.name = "<lambda>"})(x); return y * x; }, {.name = "<lambda>"})), 1.0);
  each("jit_two", grad<0, 1>(jit([=](A x, A y) { return x * y + x; }, {.name = "<lambda>"})), 1.0, 2.0);
  each("checkpoint", grad(checkpoint([](A x) { const A s = jnp::sin(x * 2.0); return s * x; })), 1.0);
  each("checkpoint_strong", grad(checkpoint([=](A x) { return jnp::sin(x) * s2; })), 1.0);
  each("checkpoint_scan", grad([=](A x) { return scan(checkpoint([=](A c, Empty) { return std::pair{jnp::sin(c) * x, Empty{}}; }), x, 2).first; }), 1.0);
  each("custom", grad([=](A x) { return cv(x) * 2.0; }), 1.0);
  each("custom_scan", grad([=](A x) { return repeat([=](A c) { return cv(c); }, x, 2); }), 1.0);
  each("custom_jit", grad(jit([=](A x) { const A y = cv(x); return y + x; }, {.name = "<lambda>"})), 1.0);
  each("custom_cond", grad([=](A x) { return lax::cond(x > 0, cv, I, x); }), 1.0);
  const auto small = [](A c) { return c < 10; };
  each("while_jvp", [=](A x) {
    return jvp([=](A x) { return lax::while_loop(small, [](A c) { return c * 2.0; }, x); }, std::tuple{x}, std::tuple{A(1.0)});
  }, 1.0);
  each("while_jvp_closed", [=](A x) {
    return jvp([=](A x) { return lax::while_loop(small, [=](A c) { return c * x; }, s2); }, std::tuple{x}, std::tuple{x});
  }, 1.0);
  each("vmap_scan", vmap(grad([=](A x) { return repeat([=](A c) { return c * 2.0 * x; }, A(1.0), 3); })), v);
  each("vmap_fori", vmap([=](A x) { return lax::fori_loop(0, 3, [=](A, A c) { return c * x; }, 1.0); }), v);
  each("grad_vmap_weak", grad([=](A x) { return vmap([=](A y) { return repeat([=](A c) { return c * x * y; }, A(1.0), 2); })(v).sum(); }), 1.0);
  each("linear_scan", [=](A x) { return linear_transpose([=](A y) { return repeat([=](A c) { return c * 2.0; }, y, 3); }, A(1.0))(x); }, 1.0);
  each("second", grad(grad([=](A x) { return repeat([=](A c) { return c * c * x; }, x, 2); })), 1.0);
  each("second_cond", grad(grad([=](A x) { return lax::cond(x > 0, [=](A y) { return y * y * x; }, I, x); })), 1.0);
  each("second_jit", grad(jit(grad(jit([](A x) { return x * x * 2.0; }, {.name = "<lambda>"})), {.name = "<lambda>"})), 1.0);
  each("hessian_fori", hessian([=](A x) { return lax::fori_loop(0, 2, [=](A, A c) { return c * x; }, 1.0); }), 1.0);
  each("int_weak", grad([=](A x) { return lax::scan([=](A c, A i) { return std::pair{c * i, Empty{}}; }, x, jnp::arange(3)).first; }), 1.0);
  each("double_use", grad([=](A x) { return scan([=](A c, Empty) { const A n = c + x; return std::pair{n, c * x}; }, A(0.0), 3).second.sum(); }), 1.0);
  each("map", grad([=](A x) { return lax::map([=](A y) { return y * x; }, v).sum(); }), 1.0);
  each("assoc", grad([=](A x) { return lax::associative_scan([=](A a, A b) { return a * b * x; }, v).sum(); }), 1.0);
  each("vjp_strong", [=](A x) { return vjp([=](A x) { return repeat([=](A c) { return c * 2.0; }, x, 2); }, x).second(s2); }, 1.0);
  each("value_and_grad", value_and_grad([=](A x) { return repeat([=](A c) { return c * x; }, x, 2); }), 1.0);
  auto js = jit([](A a) { return jnp::sin(a) * 2.0; }, {.name = "<lambda>"});
  each("loop_jit", grad([=](A x) { return repeat([=](A c) { return js(c); }, x, 2); }), 1.0);
  each("loop_where", grad([=](A x) { return along([](A c, A y) { const A m = y > 0; return jnp::where(m, c * 2.0, 0.0); }, x, v); }), 1.0);
  each("loop_clip", grad([=](A x) { return along([](A c, A y) { return jnp::clip(c * y, 0, 1); }, x, v); }), 1.0);
  each("loop_relu", grad([=](A x) { return along([](A c, A y) { return nn::relu(c * y); }, x, v); }), 1.0);
  each("loop_silu", grad([=](A x) { return along([](A c, A y) { return nn::silu(c * y); }, x, v); }), 1.0);
  each("loop_mod", grad([=](A x) { return lax::fori_loop(0, 3, [](A i, A c) { return c * (i % 2); }, x); }), 1.0);
  each("loop_where_constant", grad([=](A x) { return along([=](A c, A y) { const A m = v > 0; return jnp::where(m, c * y, x).sum(); }, x, v); }), 1.0);
}

TEST(LoopsAndCalls, PrintAsJaxs) {
  std::map<std::string, std::string> printed_by_jax;
  std::ifstream file(TENON_TEST_DATA "/library/loops_and_calls.txt");
  std::string* block = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("### ")) block = &printed_by_jax[line.substr(4)];
    else *block += line + "\n";
  }
  size_t count = 0;
  each_program([&](const char* name, auto function, const auto&... arguments) {
    ++count;
    EXPECT_EQ(typed(function, arguments...), printed_by_jax[name]) << name;
  });
  EXPECT_EQ(count, printed_by_jax.size());
}

}  // namespace
}  // namespace tenon::test
