// Derivatives and batched forms of functions of the library print as JAX's; derivatives.txt holds what JAX prints
// (derivatives.py).
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "derivatives.h"

namespace tenon::test {
namespace {

// x is used before, in and after f.
template <class F>
std::string beside(F f) {
  return show(grad([f](Array x) {
                const Array before = x * 3;
                const Array product = before * f(x);
                return (product + x).sum();
              }),
              v());
}
template <class F>
std::string gradient(F f, const Array& x) {
  return show(grad(f), x);
}
Array sine(Array x) { return jnp::sin(x); }
Array cosine(Array x) { return jnp::cos(x); }
Array same(Array x) { return x; }
Array squared(Array x) { return x * x; }
Array sine_times_x(Array x) {
  const Array s = jnp::sin(x);
  return s * x;
}

// The same function on a tuple of two.
using Two = std::tuple<Array, Array>;
Array recurrence(Array a, Array b) {
  const auto combine = [](Two l, Two r) {
    const Array product = std::get<0>(l) * std::get<0>(r), moved = std::get<0>(r) * std::get<1>(l);
    return Two{product, moved + std::get<1>(r)};
  };
  return std::get<1>(lax::associative_scan(combine, Two{a, b})).sum();
}
Array over_ones(lax::SelfMap<Array> matvec, Array b) { return b / matvec(jnp::ones_like(b)); }
Array diagonal(Array a, Array b) {
  const auto matvec = [a](Array x) {
    const Array twice = 2.0 * x;
    return twice + a * x;
  };
  return lax::custom_linear_solve(matvec, b, over_ones, over_ones);
}
Array newton(lax::SelfMap<Array> f, Array x) {
  return lax::fori_loop(0, 6, [f](Array, Array v) { return v - f(v) / 3.0; }, x);
}
Array zero_of_f(Array a) {
  const auto f = [a](Array x) { return x * 2.0 - jnp::cos(a); };
  return lax::custom_root(f, jnp::zeros_like(a), newton, [](auto g, Array y) { return y / g(jnp::ones_like(y)); });
}
Array square_root(Array a) {
  return lax::custom_root([a](Array x) { return x * x - a; }, 1.5, newton, [](auto g, Array y) { return y / g(1.0); });
}
ShapeDtype floats(Shape shape) { return ShapeDtype(shape, jnp::float32); }
ShapeDtype bools(Shape shape) { return ShapeDtype(shape, jnp::bool_); }

const std::vector<Golden> kFunctions = {
    {"square", [] { return gradient(squared, 1.0); }},
    {"lax_square", [] { return gradient([](Array x) { return lax::mul(x, x); }, 1.0); }},
    {"cube", [] { return gradient([](Array x) { return x * x * x; }, 1.0); }},
    {"product_and_sum", [] {
       return gradient([](Array x) {
         const Array s = jnp::sin(x);
         return x * s + x;
       }, 1.0);
     }},
    {"where", [] {
       return gradient([](Array x) {
         const Array is_positive = x > 0;
         return jnp::where(is_positive, x, x * 2.0).sum();
       }, v());
     }},
    {"maximum", [] { return gradient([](Array x) { return jnp::maximum(x, x * 2.0).sum(); }, v()); }},
    {"logaddexp", [] { return gradient([](Array x) { return jnp::logaddexp(x, x).sum(); }, v()); }},
    {"clip", [] {
       return gradient([](Array x) {
         const Array low = x * 0.5, high = x * 2;
         return jnp::clip(x, low, high).sum();
       }, v());
     }},
    {"concatenate", [] { return gradient([](Array x) { return jnp::concatenate({x, x}).sum(); }, v()); }},
    {"stack", [] { return gradient([](Array x) { return jnp::stack({x, x}).sum(); }, v()); }},
    {"softmax", [] { return gradient([](Array x) { return nn::softmax(x)(0); }, v()); }},
    {"gelu", [] { return gradient([](Array x) { return nn::gelu(x).sum(); }, v()); }},
    {"hypot", [] { return gradient([](Array x) { return jnp::hypot(x, x).sum(); }, v()); }},
    {"dot", [] { return gradient([](Array x) { return jnp::dot(x, x); }, v()); }},
    {"matmul", [] { return gradient([](Array x) { return jnp::matmul(x, x); }, v()); }},
    {"einsum", [] { return gradient([](Array x) { return jnp::einsum("i,i", x, x); }, v()); }},
    {"quotient", [] {
       return gradient([](Array x) {
         const Array square = x * x, below = 1 + square;
         return (x / below).sum();
       }, v());
     }},
    {"powers", [] {
       return gradient([](Array x) {
         const Array square = jnp::power(x, 2), cube = jnp::power(x, 3);
         return (square + cube).sum();
       }, v());
     }},
    {"power_of_itself", [] { return gradient([](Array x) { return jnp::power(x, x).sum(); }, v()); }},
    {"beside_softmax", [] { return beside([](Array x) { return nn::softmax(x); }); }},
    {"beside_log_softmax", [] { return beside([](Array x) { return nn::log_softmax(x); }); }},
    {"beside_logsumexp", [] { return beside([](Array x) { return nn::logsumexp(x); }); }},
    {"beside_average", [] { return beside([](Array x) { return jnp::average(x); }); }},
    {"beside_silu", [] { return beside([](Array x) { return nn::silu(x); }); }},
    {"beside_softplus", [] { return beside([](Array x) { return nn::softplus(x); }); }},
    {"beside_max", [] { return beside([](Array x) { return jnp::max(x); }); }},
    {"beside_tanh", [] { return beside([](Array x) { return jnp::tanh(x); }); }},
    {"beside_tensordot", [] { return beside([](Array x) { return jnp::tensordot(x, x, 1); }); }},
    {"beside_cumsum", [] { return beside([](Array x) { return jnp::cumsum(x); }); }},
    {"beside_sort", [] { return beside([](Array x) { return jnp::sort(x); }); }},
    {"beside_update", [] {
       return beside([](Array x) {
         const Array first = x(0);
         return x.at(1).set(first);
       });
     }},
    {"beside_std", [] { return beside([](Array x) { return jnp::std(x); }); }},
    {"beside_vstack", [] { return beside([](Array x) { return jnp::vstack({x, x}); }); }},
    {"beside_hstack", [] {
       return gradient([](Array x) {
         const Array total = jnp::hstack({x, x}).sum();
         return (total + x).sum();
       }, v());
     }},
    {"variance", [] { return gradient([](Array x) { return jnp::var(x); }, v()); }},
    {"jitted_select", [] {
       return show(grad(jit([](Array x) { return lax::select(true, x, 3.0); }, {.name = "<lambda>"})), 2.0);
     }},
    {"scan_weak_carry", [] {
       return gradient([](Array x) { return lax::scan([](Array c, Array y) { return std::pair{c * y, Empty{}}; }, 1.0, x).first; }, v());
     }},
    {"cond_residuals", [] { return gradient([](Array x) { return lax::cond(x > 0, sine, squared, x); }, 2.0); }},
    {"cond_constant", [] {
       return gradient([](Array x) {
         const auto three = [](Array) { return Array(3.0); };
         return lax::cond(x > 0, [](Array y) { return y * 2; }, three, x);
       }, 2.0);
     }},
    {"cond_vectors", [] {
       return gradient([](Array x) {
         const auto cubes = [](Array y) { return (y * y * y).sum(); };
         return lax::cond(x(0) > 0, [](Array y) { return (y * y).sum(); }, cubes, x);
       }, v());
     }},
    {"cond_batched_predicate", [] { return show(vmap([](Array p, Array x) { return lax::cond(p, sine, squared, x); }), v() > 0, v()); }},
    {"switch", [] { return show(grad([](Array x, Array i) { return lax::switch_(i, std::tuple{&sine, &cosine, &same}, x); }), 1.0, 1); }},
    {"fori_loop", [] { return gradient([](Array x) { return lax::fori_loop(0, 3, [x](Array, Array c) { return c * x; }, x); }, 1.0); }},
    {"while_loop", [] {
       return show(vmap([](Array x) { return lax::while_loop([](Array c) { return c < 10; }, [](Array c) { return c * 2; }, x); }), v());
     }},
    {"map", [] { return gradient([](Array x) { return lax::map(squared, x).sum(); }, v()); }},
    {"checkpoint", [] { return show(grad(checkpoint([](Array x) { return jnp::sin(jnp::cos(x)); })), 1.0); }},
    {"hessian", [] { return show(hessian([](Array x) { return jnp::sum(jnp::power(x, 3)); }), v()); }},
    {"jacfwd", [] { return show(jacfwd(sine_times_x), v()); }},
    {"jacrev", [] { return show(jacrev(sine_times_x), v()); }},
    {"vmap_of_grad", [] { return show(vmap(grad(sine_times_x)), v()); }},
    {"relu", [] { return gradient([](Array x) { return nn::relu(x).sum(); }, v()); }},
    {"cross_entropy", [] {
       return gradient([](Array x) {
         const Array labels = jnp::array({{0}, {1}}), log_p = nn::log_softmax(x);
         return -jnp::mean(jnp::take_along_axis(log_p, labels, {.axis = 1}));
       }, jnp::ones({2, 3}));
     }},
    {"psum_of_one", [] { return show(vmap([](Array x) { return lax::psum(1, "i") * x; }, {.axis_name = "i"}), v()); }},
    {"psum_of_number", [] { return show(vmap([](Array x) { return lax::psum(2.0, "i") * x; }, {.axis_name = "i"}), v()); }},
    {"associative_scan", [] {
       return show(grad([](Array x) { return lax::associative_scan([](Array a, Array b) { return a * b; }, x).sum(); }), floats({7}));
     }},
    {"associative_scan_reverse", [] {
       return show(grad([](Array x) {
         return lax::associative_scan([](Array a, Array b) { return jnp::maximum(a, b); }, x, {.reverse = true}).sum();
       }), floats({7}));
     }},
    {"associative_scan_pairs", [] { return show(grad<0, 1>(recurrence), floats({7}), floats({7})); }},
    {"associative_scan_pairs_even", [] { return show(grad<0, 1>(recurrence), floats({4}), floats({4})); }},
    {"linear_solve", [] { return show(diagonal, v(), v()); }},
    {"linear_solve_gradient", [] { return show(grad<0, 1>([](Array a, Array b) { return diagonal(a, b).sum(); }), v(), v()); }},
    {"linear_solve_batched", [] { return show(vmap(diagonal), floats({2, 5}), floats({2, 5})); }},
    {"root", [] { return show(square_root, 2.0); }},
    {"root_jvp", [] { return show([](Array x) { return jvp(square_root, std::tuple{x}, std::tuple{x}); }, 2.0); }},
    {"root_gradient", [] { return show(grad(square_root), 2.0); }},
    {"root_gradient_vector", [] { return show(grad([](Array a) { return zero_of_f(a).sum(); }), v()); }},
    {"root_gradient_jit", [] { return show(jit(grad(square_root), {.name = "<lambda>"}), 2.0); }},
    {"masked_nansum", [] { return show(grad([](Array x, Array m) { return jnp::nansum(x, {.where = m}); }), floats({2, 3}), bools({2, 3})); }},
    {"masked_nanprod", [] { return show(grad([](Array x, Array m) { return jnp::nanprod(x, {.where = m}); }), floats({2, 3}), bools({2, 3})); }},
    {"masked_nanmax", [] {
       return show(grad([](Array x, Array m) { return jnp::nanmax(x, {.initial = 0.0, .where = m}); }), floats({2, 3}), bools({2, 3}));
     }},
    {"masked_nanmean", [] { return show(grad([](Array x, Array m) { return jnp::nanmean(x, {.where = m}); }), floats({2, 3}), bools({2, 3})); }},
    {"masked_mean", [] { return show(grad([](Array x, Array m) { return x.mean({.where = m}); }), floats({2, 3}), bools({2, 3})); }},
    {"pmean", [] { return show(vmap([](Array x) { return x - lax::pmean(x, "i"); }, {.axis_name = "i"}), v()); }},
};

// What JAX prints, by name.
const std::map<std::string, std::string>& printed_by_jax() {
  static const auto texts = [] {
    std::map<std::string, std::string> all;
    std::ifstream file(TENON_TEST_DATA "/library/derivatives.txt");
    std::string name;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("### ")) name = line.substr(4);
      else all[name] += line + "\n";
    }
    return all;
  }();
  return texts;
}

const std::vector<Golden>& all_programs() {
  static const std::vector<Golden> all = [] {
    std::vector<Golden> programs = kFunctions;
    programs.insert(programs.end(), checkpoint_programs().begin(), checkpoint_programs().end());
    return programs;
  }();
  return all;
}

class LibraryDerivatives : public testing::TestWithParam<size_t> {};
TEST_P(LibraryDerivatives, PrintAsJaxs) {
  const Golden& function = all_programs()[GetParam()];
  EXPECT_EQ(without_counts(function.text()), printed_by_jax().at(function.name));
}
INSTANTIATE_TEST_SUITE_P(All, LibraryDerivatives, testing::Range(size_t{0}, all_programs().size()),
                         [](const auto& info) { return all_programs()[info.param].name; });

TEST(LibraryDerivatives, AreAllAsked) { EXPECT_EQ(all_programs().size(), printed_by_jax().size()); }

}  // namespace
}  // namespace tenon::test
