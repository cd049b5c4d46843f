// Programs as users write them print as JAX's and give the same numbers; user_programs.txt holds JAX's (user_programs.py).
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "golden.h"

namespace tenon::test {
namespace {

using A = Array;
using jnp::bool_;
using jnp::cos;
using jnp::dot;
using jnp::float32;
using jnp::matmul;
using jnp::sin;
using jnp::tanh;
using Two = std::tuple<A, A>;

// Numbers as user_programs.py has them.
Array D(Shape s, int k = 0) {
  int64_t n = 1;
  for (int64_t d : s) n *= d;
  std::vector<float> v;
  for (int64_t i = 0; i < n; ++i) v.push_back(float(((i * 7 + k * 3) % 11 - 5)) / 8);
  return jnp::array(v).reshape(s);
}

Array newton_raw(Array a) {
  return lax::while_loop([a](Array x) { return jnp::abs(x * x - a) > 1e-4; }, [a](Array x) { return 0.5 * (x + a / x); }, a);
}
Array attention(Array q, Array k, Array v) {
  const Array s = jnp::matmul(q, k.T()) / 1.7320508;
  return jnp::matmul(nn::softmax(s, {.axis = -1}), v);
}
Array mlp(Array w1, Array w2, Array x) { return jnp::matmul(jnp::tanh(jnp::matmul(x, w1)), w2); }
Array loss(Array w1, Array w2, Array x, Array y) { return jnp::mean(jnp::power(mlp(w1, w2, x) - y, 2)); }
Array log1pexp(Array x) {
  static const auto f = custom_jvp([](A x) { return jnp::log1p(jnp::exp(x)); }, [](A x, A t) {
    const A y = log1pexp(x);
    const A e = 1 + jnp::exp(x);
    return std::pair{y, (1 - 1 / e) * t};
  }, {.name = "log1pexp"});
  return f(x);
}

A recurrent(A w, A h, A xs) { return lax::scan([=](A h, A x) { return std::pair{tanh(matmul(w, h) + x), Empty{}}; }, h, xs).first.sum(); }
A own_exp(A x) {
  static const auto f = custom_jvp([](A x) { return jnp::exp(x); }, [](A x, A t) {
    const A y = own_exp(x);
    return std::pair{y, own_exp(x) * t};
  }, {.name = "own_exp"});
  return f(x);
}

// Calls each(name, function, arguments...) for all of them.
template <class Each>
void each_program(Each each) {
  const Array x3 = D({3}), y3 = D({3}, 1), m23 = D({2, 3}), m33 = D({3, 3}, 2), x4 = D({4}, 4), xs = D({5, 3}, 1);

  each("rnn", grad<0, 1, 2>([](A wx, A wh, A b, A xs, A ys) {
    auto step = [=](A h, A x) {
      const A l = matmul(x, wx);
      h = tanh(l + matmul(h, wh) + b);
      return std::pair{h, h};
    };
    const A hs = lax::scan(step, jnp::zeros({3}), xs).second;
    return jnp::mean(jnp::power(hs - ys, 2));
  }), m33, D({3, 3}, 5), x3, xs, D({5, 3}, 2));

  each("gru", grad<0, 1, 2>([](A wz, A wr, A wh, A xs) {
    auto step = [=](A h, A x) {
      const A z = nn::sigmoid(dot(wz, x) + h), r = nn::sigmoid(dot(wr, h) + x), c = tanh(dot(wh, r * h) + x);
      const A keep = (1 - z) * h;
      return std::pair{keep + z * c, Empty{}};
    };
    return lax::scan(step, jnp::zeros({3}), xs).first.sum();
  }), m33, D({3, 3}, 5), D({3, 3}, 7), xs);

  each("rk4", grad<0, 1>([](A s, A k) {
    auto f = [=](A s) { const A v = s(1), nk = -k; return jnp::stack({v, nk * sin(s(0))}); };
    auto step = [=](A s, Empty) {
      const double dt = 0.1;
      const A k1 = f(s), k2 = f(s + dt / 2 * k1), k3 = f(s + dt / 2 * k2), k4 = f(s + dt * k3);
      const A d2 = 2 * k2, a = k1 + d2, d3 = 2 * k3, b = a + d3;
      return std::pair{s + dt / 6 * (b + k4), Empty{}};
    };
    s = lax::scan(step, s, Empty{}, {.length = 6}).first;
    return s(0);
  }), D({2}, 3), 0.5);

  auto implicit_sqrt = custom_vjp([](A a) { return newton_raw(a); }, [](A a) { const A r = newton_raw(a); return std::pair{r, r}; },
                                  [](A r, A ct) { return std::tuple{ct / (2 * r)}; }, {.name = "implicit_sqrt"});
  each("implicit", grad([=](A a) { const A r = implicit_sqrt(a); return r * a; }), 2.0);
  each("implicit_jit", jit(grad([=](A a) { const A r = implicit_sqrt(a); return r * a; }), {.name = "<lambda>"}), 2.0);
  each("implicit_vmap", vmap(grad([=](A a) { const A r = implicit_sqrt(a); return r * a; })), D({3}, 0) + 2);

  each("attention", grad<0, 1, 2>([](A q, A k, A v) { return jnp::power(attention(q, k, v), 2).sum(); }), m23, D({4, 3}), D({4, 3}, 3));
  each("heads", grad<0, 1, 2>([](A q, A k, A v) { return vmap(attention)(q, k, v).sum(); }), D({2, 2, 3}), D({2, 4, 3}), D({2, 4, 3}, 3));
  each("causal", grad<0, 1>([](A q, A v) {
    A s = matmul(q, q.T());
    const A mask = jnp::tril(jnp::ones({3, 3}, bool_));
    s = jnp::where(mask, s, -INFINITY);
    return matmul(nn::softmax(s), v).sum();
  }), D({3, 3}), D({3, 3}, 4));

  each("vae", grad<0, 1, 2>([](A w, A wl, A d, A xs) {
    const A key = random::key(0);
    const A mu = matmul(tanh(matmul(xs, w)), wl), logvar = matmul(xs, wl);
    const A eps = random::normal(key, {5, 2});
    const A scale = jnp::exp(0.5 * logvar);
    const A z = mu + scale * eps;
    const A out = nn::sigmoid(matmul(z, d));
    const A one = 1 + logvar, sq = jnp::power(mu, 2), diff = one - sq;
    const A kl = -0.5 * jnp::sum(diff - jnp::exp(logvar));
    const A err = jnp::sum(jnp::power(out - xs, 2));
    return err + kl;
  }), m33, D({3, 2}), D({2, 3}, 4), xs);

  const A w1 = D({3, 4}), w2 = D({4, 2}), y2 = D({2}), ys2 = D({5, 2});
  each("hvp", [](A w1, A w2, A x, A y) { return jvp([=](A w) { return grad(loss)(w, w2, x, y); }, std::tuple{w1}, std::tuple{w1}).second; }, w1, w2, x3, y2);
  each("hvp_reverse", [](A w1, A w2, A x, A y) { return grad([=](A w) { return jnp::vdot(grad(loss)(w, w2, x, y), w1); })(w1); }, w1, w2, x3, y2);
  each("per_example", vmap(grad(loss), {.in_axes = {none, none, 0, 0}}), w1, w2, xs, ys2);
  each("per_example_jit", jit(vmap(grad(loss), {.in_axes = {none, none, 0, 0}}), {.name = "<lambda>"}), w1, w2, xs, ys2);
  each("maml", grad([](A w1, A w2, A x, A y) { const A g = grad(loss)(w1, w2, x, y); return loss(w1 - 0.1 * g, w2, x, y); }), w1, w2, xs, ys2);
  each("maml_scan", grad([](A w, A xs) {
    auto inner = [](A w, A x) { return sin(dot(w, x)); };
    return lax::scan([=](A w, A x) { return std::pair{w - 0.1 * grad(inner)(w, x), Empty{}}; }, w, xs).first.sum();
  }), D({3}), xs);
  each("jacfwd_mlp", jacfwd<2>(mlp), w1, w2, x3);
  each("jacrev_mlp", jacrev<2>(mlp), w1, w2, x3);
  each("jac_jac", jacfwd<2>(jacrev<2>(mlp)), w1, w2, x3);
  each("jac_tuple", jacrev<0, 1>([](A w, A x) { return tanh(matmul(w, x)); }), m23, x3);

  each("layernorm", grad<0, 1, 2>([](A x, A g, A b) {
    const A mu = x.mean({.axis = -1, .keepdims = true});
    const A var = jnp::power(x - mu, 2).mean({.axis = -1, .keepdims = true});
    const A c = x - mu, r = lax::rsqrt(var + 1e-5);
    return sin(c * r * g + b).sum();
  }), xs, x3, y3);
  each("batchnorm", grad<0, 1>([](A x, A g) {
    const A c = x - jnp::mean(x, {.axis = 0}), s = jnp::sqrt(jnp::var(x, {.axis = 0}) + 1e-3);
    return jnp::power(c / s * g, 3).sum();
  }), xs, x3);
  each("logistic_hessian", hessian([](A w, A x, A y) {
    const A a = nn::softplus(matmul(x, w)), b = y * matmul(x, w);
    return jnp::mean(a - b);
  }), x3, xs, jnp::array({0.f, 1.f, 1.f, 0.f, 1.f}));

  auto clip_gradient = custom_vjp([](A x) { return x; }, [](A x) { return std::pair{x, Empty{}}; },
                                  [](Empty, A g) { return std::tuple{jnp::clip(g, -0.1, 0.1)}; }, {.name = "clip_gradient"});
  each("clip_gradient", grad([=](A x) { const A c = clip_gradient(sin(x)); return (c * x).sum(); }), x3);
  each("log1pexp", vmap(grad(log1pexp)), x3);
  each("log1pexp2", vmap(grad(grad(log1pexp))), x3);
  each("log1pexp_jacfwd", jacfwd(log1pexp), x3);

  each("ckpt_rnn", grad([](A w, A xs) {
    auto step = checkpoint([=](A h, A x) { return std::pair{tanh(matmul(w, h) + x), Empty{}}; });
    return lax::scan(step, jnp::zeros({3}), xs).first.sum();
  }), m33, xs);
  each("cond_scan", grad([](A x, A flags) {
    auto step = [=](A c, A f) {
      const A next = lax::cond(f, [=](A c) { return sin(c) * x; }, [=](A c) { return c + x; }, c);
      return std::pair{next, c.sum()};
    };
    auto [c, ys] = lax::scan(step, x, flags);
    const A total = c.sum();
    return total + ys.sum();
  }), x3, jnp::array({true, false, true, true, false}));
  each("while_jvp", [](A x) {
    return jvp([](A x) {
      return std::get<1>(lax::while_loop([](Two c) { return std::get<0>(c) < 4; },
                                         [=](Two c) {
                                           const A i = std::get<0>(c) + 1;
                                           return Two{i, std::get<1>(c) * sin(x)};
                                         },
                                         Two{0, x}));
    }, std::tuple{x}, std::tuple{A(1.0)});
  }, 1.5);
  each("matrix_power", grad([](A m) { return lax::fori_loop(0, 4, [=](A, A c) { return matmul(c, m); }, jnp::eye(3)).sum(); }), m33);
  auto carry_step = [](A h, A x) { const A next = tanh(h + x); return std::pair{next, h * x}; };
  each("vmap_scan", vmap([=](A h, A xs) { return lax::scan(carry_step, h, xs); }), D({2, 3}), D({2, 5, 3}));
  each("grad_vmap_scan", grad([=](A h, A xs) {
    return vmap([=](A h, A xs) { return lax::scan(carry_step, h, xs).second.sum(); })(h, xs).sum();
  }), D({2, 3}), D({2, 5, 3}));
  each("linear_rnn", grad<0, 1>([](A a, A b) {
    auto combine = [](Two l, Two r) {
      const A p = std::get<0>(l) * std::get<0>(r), q = std::get<0>(r) * std::get<1>(l);
      return Two{p, q + std::get<1>(r)};
    };
    return std::get<1>(lax::associative_scan(combine, Two{nn::sigmoid(a), b})).sum();
  }), xs, D({5, 3}, 4));
  each("crf", grad<0, 1>([](A t, A emit) {
    auto step = [=](A alpha, A e) { return std::pair{nn::logsumexp(alpha(all, newaxis) + t, {.axis = 0}) + e, Empty{}}; };
    const A first = emit(0);
    return nn::logsumexp(lax::scan(step, first, emit(slice(1, none))).first);
  }), m33, xs);
  each("embedding", grad<0, 1>([](A e, A w, A ids, A labels) {
    const A logits = matmul(e(ids), w);
    const A lp = nn::log_softmax(logits);
    return -jnp::mean(jnp::take_along_axis(lp, labels(all, newaxis), {.axis = 1}));
  }), D({6, 3}), D({3, 4}), jnp::array({1, 4, 1}), jnp::array({0, 3, 2}));
  each("scatter", grad<0, 2>([](A x, A i, A u) { const A u2 = u * 2; return jnp::power(x.at(i).add(u2), 2).sum(); }), x4, jnp::array({1, 1, 3}), y3);
  each("sort_grad", grad([](A x) { const A s = jnp::sort(x); return (s * jnp::arange(4.0)).sum(); }), x4);
  each("einsum3", grad<0, 1, 2>([](A a, A b, A c) { return jnp::einsum("ij,jk,kl->il", a, b, c).sum(); }), m23, m33, D({3, 4}));
  each("dropout", grad<1>([](A x, A w) {
    const A keep = random::bernoulli(random::key(1), 0.8, Shape{5, 3});
    return jnp::where(keep, nn::relu(matmul(x, w)) / 0.8, 0.0).sum();
  }), xs, m33);
  struct Params { A b, w; };
  each("adam", jit([](Params p, A x, A y) {
    auto [l, g] = value_and_grad([=](Params p) { const A xw = matmul(x, p.w); return jnp::mean(jnp::power(xw + p.b - y, 2)); })(p);
    auto m = tree::map([](A g) { return 0.1 * g; }, g);
    auto v = tree::map([](A g) { return 0.001 * g * g; }, g);
    return std::pair{l, tree::map([](A p, A m, A v) { const A s = 0.01 * m, d = jnp::sqrt(v) + 1e-8; return p - s / d; }, p, m, v)};
  }, {.name = "_"}), Params{D({2}), D({3, 2})}, xs, D({5, 2}));
  each("train_scan", [](A w, A xs, A ys) {
    auto step = [](A w, Two b) {
      auto [x, y] = b;
      auto [l, g] = value_and_grad([x = x, y = y](A w) { return jnp::power(dot(w, x) - y, 2); })(w);
      return std::pair{w - 0.1 * g, l};
    };
    return lax::scan(step, w, Two{xs, ys});
  }, D({3}), xs, D({5}));
  each("psum_norm", vmap(grad([](A x) { const A s = sin(x); return s / lax::psum(jnp::exp(x), "i"); }), {.axis_name = "i"}), x4);
  each("grad_psum", grad([](A v) { return vmap([](A x) { return x / lax::psum(jnp::exp(x), "i"); }, {.axis_name = "i"})(v)(0); }), x4);
  each("pairwise", grad([](A p) { return vmap([=](A a) { return vmap([=](A b) { return jnp::sum(jnp::power(a - b, 2)); })(p); })(p).sum(); }), D({4, 2}));
  each("safe_norm", grad([](A x) {
    const A s = jnp::sum(jnp::power(x, 2));
    const A ok = s > 0;
    return jnp::where(ok, jnp::sqrt(jnp::where(ok, s, 1.0)), 0.0);
  }), x3);
  each("jit_vmap_jit", grad(jit([](A m) { return vmap(jit([](A x) { return sin(x).sum(); }, {.name = "<lambda>"}))(m).sum(); }, {.name = "<lambda>"})), m23);
  each("switch_fori", grad([](A x) {
    auto fs = std::tuple{[](A x) { return sin(x); }, [](A x) { return cos(x); }, [](A x) { return x * x; }};
    return lax::fori_loop(0, 5, [=](A i, A c) { return lax::switch_(lax::rem(i, 3), fs, c); }, x).sum();
  }), x3);
  each("kalman", grad([](A a, A q, A zs) {
    auto step = [=](Two c, A z) {
      auto [m, p] = c;
      m = matmul(a, m);
      const A ap = matmul(a, p);
      p = matmul(ap, a.T()) + q;
      const A k = p / (p + 1);
      const A mn = m + matmul(k, z - m);
      return std::pair{Two{mn, p - k * p}, m.sum()};
    };
    auto [c, ys] = lax::scan(step, Two{jnp::zeros({2}), jnp::eye(2)}, zs);
    const A ms = std::get<0>(c).sum(), ps = std::get<1>(c).sum(), l = ms + ps;
    return l + ys.sum();
  }), D({2, 2}), D({2, 2}, 3), D({4, 2}));
  each("mixture", grad<1, 2>([](A x, A mu, A s) {
    const A d = x(all, newaxis) - mu, r = d / jnp::exp(s);
    const A h = -0.5 * jnp::power(r, 2);
    return -jnp::mean(nn::logsumexp(h - s, {.axis = 1}));
  }), x4, x3, y3);
  each("kmeans", [](A x, A c) {
    const A xe = x(all, newaxis);
    const A d = jnp::sum(jnp::power(xe - c(newaxis), 2), {.axis = -1});
    const A onehot = nn::one_hot(jnp::argmin(d, {.axis = 1}), 2);
    const A num = matmul(onehot.T(), x);
    return num / jnp::maximum(onehot.sum(0)(all, newaxis), 1);
  }, D({5, 2}), D({2, 2}, 4));
  each("gradient_penalty", grad([](A w, A xs) {
    auto critic = [=](A x) { return tanh(matmul(w, x)).sum(); };
    const A g = vmap(grad(critic))(xs);
    return jnp::mean(jnp::power(jnp::sqrt(jnp::sum(jnp::power(g, 2), {.axis = 1}) + 1e-6) - 1, 2));
  }), m33, xs);
  each("laplacian", [](A x) {
    auto f = [](A x) { return jnp::prod(sin(x)); };
    return vmap([=](A e) { return dot(jvp(grad(f), std::tuple{x}, std::tuple{e}).second, e); })(jnp::eye(3)).sum();
  }, x3);
  each("pinn", grad<0, 1>([](A w1, A w2, A pts) {
    auto u = [=](A t, A x) { return dot(tanh(matmul(jnp::stack({t, x}), w1)), w2); };
    auto res = [=](A t, A x) { const A ut = grad(u)(t, x); return ut - grad<1>(grad<1>(u))(t, x); };
    const A t = pts(all, 0), x = pts(all, 1);
    return jnp::mean(jnp::power(vmap(res)(t, x), 2));
  }), D({2, 4}), D({4}), D({5, 2}));
  each("huber", grad([](A x, A y) {
    const A d = x - y, a = jnp::abs(d);
    const A small = a < 0.5, q = 0.5 * jnp::power(d, 2);
    return jnp::where(small, q, 0.5 * (a - 0.25)).sum();
  }), x3, y3);
  each("rotary", grad([](A x) {
    const auto parts = jnp::split(x, 2, -1);
    const A a = parts[0], b = parts[1];
    const A r = jnp::arange(3.0)(all, newaxis), t = r * jnp::array({1.0f, 0.1f}), c = cos(t), s = sin(t);
    const A ac = a * c, bs = b * s, left = ac - bs, as = a * s, bc = b * c;
    return jnp::power(jnp::concatenate({left, as + bc}, -1), 3).sum();
  }), D({3, 4}));
  each("spectral", grad([](A w) {
    auto it = [=](A, A u) {
      const A wt = w.T();
      u = matmul(wt, matmul(w, u));
      return u / jnp::sqrt(jnp::sum(u * u));
    };
    const A u = lax::stop_gradient(lax::fori_loop(0, 3, it, jnp::ones({3})));
    const A l = matmul(w, u);
    return dot(l, matmul(w, u));
  }), m33);
  each("map_batch", grad([](A x) { return lax::map([](A r) { return sin(r).sum(); }, x, {.batch_size = 2}).sum(); }), xs);
  each("activations", grad([](A x) {
    const A a = nn::elu(x), b = a + nn::gelu(x), c = b + nn::relu(x), d = c + nn::softplus(x);
    return (d + nn::swish(x)).sum();
  }), x3);
  each("reverse_scan", grad<0, 1>([](A a, A b) {
    auto step = [](A c, Two ab) {
      const A p = c * std::get<0>(ab), q = p + std::get<1>(ab);
      return std::pair{q, c * 2};
    };
    auto r = lax::scan(step, jnp::ones({3}), Two{a, b}, {.reverse = true});
    const A s = r.first.sum();
    return s + r.second.sum();
  }), xs, D({5, 3}, 4));
  each("vmap_cond", vmap(grad<0, 1>([](A p, A x) { return lax::cond(p > 0, [=](A x) { return sin(x) * p; }, [](A x) { return x * x; }, x); })), x3, y3);
  each("global_norm", [](A a, A b) {
    auto g = grad([](Two t) { const A s = jnp::sum(sin(std::get<0>(t))); return s + jnp::sum(jnp::power(std::get<1>(t), 3)); })(Two{a, b});
    A total = 0;
    for (const A& l : tree::leaves(g)) total = total + jnp::sum(l * l);
    const A n = jnp::sqrt(total);
    return tree::map([=](A l) { return l * jnp::minimum(1.0, 1.0 / n); }, g);
  }, x3, m23);
  each("straight_through", grad([](A x) { return jnp::power(x + lax::stop_gradient(jnp::round(x) - x), 2).sum(); }), x3);
  each("update_fori", grad([](A x) {
    return lax::fori_loop(0, 4, [=](A i, A c) { const A s = sin(c(i)); return c.at(i).set(s * x(i)); }, x).sum();
  }), x4);
  each("linearize", [](A x) { return linearize([](A x) { const A s = sin(x); return s * x; }, x).second(x); }, x3);
  struct Out { A d, s; };
  each("vjp_tree", [](A x, A y) {
    auto [v, pull] = vjp([](Two t) { auto [a, b] = t; const A s = a * b; return Out{.d = a / b, .s = s}; }, Two{x, y});
    return pull(Out{.d = y, .s = x});
  }, x3, y3);
  each("unroll", grad([](A h, A xs) { return lax::scan([](A h, A x) { return std::pair{sin(h) * x, Empty{}}; }, h, xs, {.unroll = 2}).first.sum(); }), x3, xs);
  each("cumulative", grad([](A x) { const A s = jnp::cumsum(sin(x)); return (s * jnp::cumprod(x)).sum(); }), x4);
  each("max_pool", grad([](A x) { return jnp::power(x.reshape({2, 2, 3, 2}).max({.axis = {1, 3}}), 2).sum(); }), D({4, 6}));
  each("grad_of_jvp", grad([](A x) { return jvp([](A x) { const A s = sin(x); return s * x; }, std::tuple{x}, std::tuple{cos(x)}).second.sum(); }), x3);
  each("vmap_in_out", vmap([](A r, A s) { return jnp::outer(r, s).sum(0); }, {.in_axes = {1, 0}, .out_axes = 1}), m23, x3);
  each("scan_grad_scan", grad([](A x) {
    auto inner = [](A d, Empty) { return std::pair{sin(d), Empty{}}; };
    auto outer = [=](A c, Empty) { return std::pair{lax::scan(inner, c, Empty{}, {.length = 2}).first * x, Empty{}}; };
    return lax::scan(outer, x, Empty{}, {.length = 3}).first.sum();
  }), x3);
  // Recurrences, again differentiated, batched, with rules of their own.
  const A v3 = D({3}, 2), w33 = D({3, 3}, 3), x43 = D({4, 3}, 5);
  auto sine_times = custom_vjp([](A x, A y) { return sin(x) * y; }, [](A x, A y) { return std::pair{sin(x) * y, Two{x, y}}; },
                               [](Two r, A g) {
                                 auto [x, y] = r;
                                 const A c = cos(x), by_x = g * c * y;
                                 return Two{by_x, g * sin(x)};
                               },
                               {.name = "sine_times"});
  each("second_rnn", grad([=](A w) { return grad<1>(recurrent)(w, v3, x43).sum(); }), w33);
  each("hvp_rnn", [=](A w, A d) { return jvp([=](A w) { return grad(recurrent)(w, v3, x43); }, std::tuple{w}, std::tuple{d}).second; }, w33, D({3, 3}));
  each("jacrev_scan", jacrev([=](A h) { return lax::scan([](A h, A x) { return std::pair{sin(h) * x, h}; }, h, x43).second; }), v3);
  each("vmap_grad_cond_scan", vmap(grad([=](A x) {
    auto step = [=](A c, A i) { return std::pair{lax::cond(i > 1, [](A y) { return sin(y); }, [=](A y) { return y * x; }, c), Empty{}}; };
    return lax::scan(step, x, jnp::arange(3)).first;
  })), v3);
  each("custom_vjp_scan", grad([=](A y) { return lax::scan([=](A c, A) { return std::pair{sine_times(c, y), c}; }, v3, x43).first.sum(); }), v3);
  each("custom_jvp_second", grad([](A x) {
    return grad([](A x) {
      const A y = own_exp(x);
      return (y * x).sum();
    })(x).sum();
  }), v3);
  each("map_checkpoint", grad([=](A w) { return lax::map(checkpoint([=](A x) { return sin(matmul(w, x)).sum(); }), x43).sum(); }), w33);
  each("grad_jacfwd", grad([](A x) {
    return jacfwd([](A x) {
      const A s = sin(x);
      return s * x.sum();
    })(x).sum();
  }), v3);
  each("bidirectional", grad([=](A xs) {
    auto forwards = [](A c, A x) { const A h = tanh(c + x); return std::pair{h, h}; };
    auto backwards = [](A c, A x) { const A h = tanh(c - x); return std::pair{h, h}; };
    const A f = lax::scan(forwards, v3, xs).second;
    return (f * lax::scan(backwards, v3, xs, {.reverse = true}).second).sum();
  }), x43);
  each("layer_scan", grad([](A ws, A x) {
    auto layer = [](A h, A w) { const A s = nn::silu(matmul(h, w)); return std::pair{s + h, Empty{}}; };
    return lax::scan(layer, x, ws).first.sum();
  }), D({2, 3, 3}), x43);
  each("attention_scan", grad([=](A k) {
    auto step = [=](A c, A q) { const A s = nn::softmax(matmul(q, k.T())); return std::pair{c + matmul(s, k), Empty{}}; };
    return lax::scan(step, v3, x43).first.sum();
  }), x43);
  each("where_scan", grad([=](A x) {
    auto step = [=](A c, A y) {
      const A m = y > 0, next = jnp::where(m, c * x, c);
      return std::pair{next, jnp::maximum(c, 0.5)};
    };
    return lax::scan(step, x, v3).second.sum();
  }), 1.5);
  each("value_grad_aux", value_and_grad([=](A w) { const A l = recurrent(w, v3, x43); return std::pair{l, w.sum()}; }, has_aux), w33);
  each("normal_scan", grad([=](A s) {
    const A keys = random::split(random::key(0), 3);
    return lax::scan([=](A c, A k) { return std::pair{c + s * random::normal(k, {3}), Empty{}}; }, v3, keys).first.sum();
  }), 0.5);
}

struct Expected {
  std::string text;
  std::vector<std::vector<double>> values;
};
// What JAX has, by name.
const std::map<std::string, Expected>& expected() {
  static const auto all = [] {
    std::map<std::string, Expected> blocks;
    std::ifstream file(TENON_TEST_DATA "/library/user_programs.txt");
    Expected* block = nullptr;
    bool has_values = false;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("### ")) {
        block = &blocks[line.substr(4)];
        has_values = false;
      } else if (line == "---") {
        has_values = true;
      } else if (!has_values) {
        block->text += line + "\n";
      } else {
        std::istringstream numbers(line);
        block->values.emplace_back();
        for (double number; numbers >> number;) block->values.back().push_back(number);
      }
    }
    return blocks;
  }();
  return all;
}

TEST(UserPrograms, PrintAsJaxs) {
  size_t count = 0;
  each_program([&](const char* name, auto function, const auto&... arguments) {
    ++count;
    EXPECT_EQ(without_counts(show(function, arguments...)), expected().at(name).text) << name;
  });
  EXPECT_EQ(count, expected().size());
}

TEST(UserPrograms, GiveJaxsNumbers) {
  each_program([](const char* name, auto function, const auto&... arguments) {
    const Arrays results = tree::leaves(jit(function)(arguments...));
    const auto& wanted = expected().at(name).values;
    ASSERT_EQ(results.size(), wanted.size()) << name;
    for (size_t i = 0; i < results.size(); ++i) {
      const std::vector<float> got = results[i].astype(float32).reshape({-1}).to_vector<float>();
      ASSERT_EQ(got.size(), wanted[i].size()) << name;
      double largest = 1e-3;
      for (double value : wanted[i]) largest = std::max(largest, std::abs(value));
      for (size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(double{got[k]}, wanted[i][k], 1e-4 * largest) << name << " result " << i << " element " << k;
    }
  });
}

}  // namespace
}  // namespace tenon::test
