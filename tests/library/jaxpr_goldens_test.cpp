// The programs of core/jaxpr_goldens, traced: each file that needs no control flow and no transform is printed as JAX
// prints it, character for character. The others stand in a list with what they need.
#include <gtest/gtest.h>

#include <complex>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "library/golden.h"

namespace tenon::test {
namespace {

// Whether each is weak, as Python prints the list.
std::string weak_types(const Avals& avals) {
  std::string list;
  for (const Aval& aval : avals) list += (list.empty() ? "" : ", ") + std::string(aval.weak_type ? "True" : "False");
  return "[" + list + "]";
}

std::string barrier_multi_operand() {
  return show([](Array p, Array q) { return lax::optimization_barrier(Arrays{p + 1, q}); }, jnp::ones({2}), 3);
}

std::string basic_add() { return show([](Array p, Array q) { return p + q; }, jnp::ones({3}), jnp::ones({3})); }

std::string complex_numbers() {
  auto f = [](Array p) {
    return Arrays{jnp::abs(p), jnp::conj(p), jnp::real(p), p * std::complex<float>(0, 1), jnp::fft::fft(p), jnp::exp(p)};
  };
  return show(f, jnp::ones({4}, jnp::complex64));
}

std::string const_closed_over_array() {
  const Array t = jnp::linspace(0.0, 1.0, 5);
  return show([t](Array p) { return p * t + t; }, jnp::ones({5}));
}

std::string const_inside_nested_jit() {
  const Array t = jnp::arange(4.0);
  auto g = jit([t](Array p) { return jnp::matmul(p, t); }, {.name = "g"});
  return show([t, g](Array p) { return g(p) + t.sum(); }, jnp::ones({4}));
}

std::string const_numpy_array_and_scalar() {
  const Array t = jnp::arange(3, jnp::float32);
  return show([t](Array p) { return p * t + jnp::float32(4); }, jnp::ones({3}));
}

std::string cumulative_and_sort() {
  return show([](Array p) { return Arrays{jnp::cumsum(p), jnp::cumprod(p), jnp::sort(p), jnp::argsort(p)}; }, jnp::ones({4}));
}

std::string dot_variants() {
  auto f = [](Array p, Array q) {
    return Arrays{jnp::matmul(p, q), jnp::dot(p, q, {.precision = lax::Precision::highest}),
                  jnp::matmul(p, q, {.preferred_element_type = jnp::float32})};
  };
  return show(f, jnp::ones({2, 3}, jnp::bfloat16), jnp::ones({3, 4}, jnp::bfloat16));
}

std::string drop_unused_everything() {
  auto f = [](Array p, Array q) {
    jnp::sin(p);
    lax::top_k(q, 1);
    return q;
  };
  return show(f, jnp::ones({3}), jnp::ones({2}));
}

std::string dtype_promotion_pairs() {
  std::string text;
  auto pair = [&](DType left, DType right) {
    text += show([](Array p, Array q) { return jnp::add(p, q); }, jnp::ones({2}, left), jnp::ones({2}, right));
  };
  pair(jnp::uint8, jnp::int8);
  pair(jnp::uint32, jnp::int32);
  pair(jnp::bfloat16, jnp::float16);
  pair(jnp::int32, jnp::bfloat16);
  pair(jnp::float32, jnp::complex64);
  pair(jnp::bool_, jnp::uint8);
  return text;
}

std::string dynamic_slice_update() {
  auto f = [](Array p, Array n) { return lax::dynamic_update_slice(p, lax::dynamic_slice(p, {n, 0}, {1, 2}) * 2, {n, 1}); };
  return show(f, jnp::ones({4, 3}), 1);
}

std::string effects_callbacks() {
  auto host = [](Array v) { return v * 2.0f; };
  const ShapeDtype scalar({}, jnp::float32);
  auto pure = [=](Array p) { return pure_callback(host, scalar, HostCallOptions{.name = "host"}, p); };
  auto io = [=](Array p) { return io_callback(host, scalar, IoCallbackOptions{.ordered = true, .name = "host"}, p); };
  return show(pure, jnp::float32(1)) + show(io, jnp::float32(1));
}

std::string einsum_contractions() {
  return show([](Array p, Array q) { return jnp::einsum("bij,bkj->bik", p, q); }, jnp::ones({2, 3, 4}), jnp::ones({2, 5, 4})) +
         show([](Array p) { return jnp::einsum("ii->i", p); }, jnp::eye(3)) +
         show([](Array p) { return jnp::einsum("ij->", p); }, jnp::eye(3));
}

std::string index_static_forms() {
  auto f = [](Array p) {
    return Arrays{p(0), p(-1), p(slice(1, 3)), p(slice({}, {}, -1)), p(ellipsis, newaxis), p(all, 1), p(slice({}, {}, 2), slice(1, {}))};
  };
  return show(f, jnp::ones({4, 3}));
}

std::string index_traced_scalar_and_vector() {
  auto f = [](Array p, Array n) { return p(n); };
  return show(f, jnp::ones({4, 3}), 2) + show(f, jnp::ones({4, 3}), jnp::array({0, 2}));
}

std::string integer_division_and_mod() {
  auto f = [](Array p, Array q) { return Arrays{jnp::floor_divide(p, q), p % q, p / q}; };
  return show(f, jnp::arange(3), jnp::arange(1, 4)) + show([](Array p) { return jnp::floor_divide(p, 2.0); }, jnp::ones({2}));
}

std::string integer_pow_and_powers() {
  auto f = [](Array p, Array q) {
    return Arrays{jnp::power(p, 2), jnp::power(p, 3), jnp::power(p, -1), jnp::power(p, 0.5), jnp::power(p, q), jnp::square(p), jnp::sqrt(p)};
  };
  return show(f, jnp::ones({2}), 1.5);
}

std::string jit_called_with_two_shapes() {
  auto sq = jit([](Array p) { return p * p; }, {.name = "sq"});
  return show([sq](Array p, Array q) { return Arrays{sq(p), sq(q), sq(p)}; }, jnp::ones({3}), jnp::ones({2, 2}));
}

std::string jit_deep_nesting() {
  auto lvl3 = jit([](Array p) { return jnp::tanh(p); }, {.name = "lvl3"});
  auto lvl2 = jit([lvl3](Array p) { return lvl3(p) + 1; }, {.name = "lvl2"});
  auto lvl1 = jit([lvl2](Array p) { return lvl2(p) * 2; }, {.name = "lvl1"});
  return show([lvl1](Array p) { return lvl1(p); }, jnp::float32(1));
}

std::string jit_lambda_and_partial_names() {
  auto f = [](Array p) { return jit([](Array t) { return t + 1; })(p) + jit([](Array t) { return t + 5; }, {.name = "addn"})(p); };
  return show(f, jnp::ones({2}));
}

std::string jit_shared_two_names_collide() {
  auto make = [](double k) { return jit([k](Array p) { return p * k; }, {.name = "body"}); };
  auto b1 = make(2.0), b2 = make(3.0);
  return show([b1, b2](Array p) { return b1(b1(p)) + b2(b2(p)); }, jnp::ones({2}));
}

std::string large_inline_constant_array() {
  return show([] { return jnp::array({1.0, 2.0, 3.0}) + jnp::arange(3); }) +
         show([](Array p) { return p + jnp::array({{1, 2}, {3, 4}}); }, jnp::ones({2, 2}));
}

std::string literal_negative_inf_nan_bool() {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  auto f = [=](Array p, Array m) {
    return Arrays{jnp::where(m, p, -infinity), jnp::maximum(p, nan), jnp::logical_or(m, true), p * -0.5, p + 1e-20, p * 1e30};
  };
  return show(f, jnp::ones({2}), jnp::array({true, false}));
}

std::string literal_python_scalars() { return show([](Array p) { return (p * 2.0 + 1) / 4; }, jnp::ones({2, 3})); }

std::string names_past_z() {
  auto f = [](Array p) {
    for (int n = 0; n < 30; ++n) p = p + static_cast<double>(n);
    return p;
  };
  return show(f, jnp::float32(0));
}

std::string names_past_zz() {
  auto f = [](Array p) {
    for (int n = 0; n < 710; ++n) p = jnp::sin(p);
    return p;
  };
  const std::string text = show(f, jnp::float32(0));
  size_t at = text.size() - 1;  // the last 12 lines
  for (int line = 0; line < 12; ++line) at = text.rfind('\n', at - 1);
  return text.substr(at + 1);
}

std::string outputs_none_and_empty() {
  return show([](Array) { return Arrays{}; }, jnp::ones({2})) + show([] { return Arrays{}; }) + show([] { return jnp::zeros({3}); });
}

std::string print_option_source_info_and_scope() {
  auto f = [](Array p) {
    named_scope alpha("alpha");
    named_scope beta("beta");
    return jnp::sin(p) + 1;
  };
  const Jaxpr jaxpr = make_jaxpr(f)(1.0);
  return jaxpr.str({.source_info = false}) + "\n" + jaxpr.str({.name_stack = true}) + "\n" + jaxpr.str({.print_shapes = false}) + "\n";
}

std::string random_key_array_and_fold() {
  return show([](Array k) { return random::fold_in(random::split(k, 3)(1), 7); }, random::key(0));
}

std::string random_typed_key() {
  return show([](Array k) { return random::normal(k, {3}); }, random::key(0));
}

std::string reduce_custom_monoid() {
  auto f = [](Array p) { return lax::reduce(p, 1.0, [](const Array& l, const Array& r) { return l * r + 0.0; }, Axes(1)); };
  return show(f, jnp::ones({2, 3}));
}

std::string return_shape_option() {
  struct Both {
    Array o, q;
  };
  const auto [jaxpr, shapes] = make_jaxpr([](Array p) { return Both{p.sum(), p > 0}; }, return_shape)(jnp::ones({3}));
  auto struct_of = [](const Array& x) { return ShapeDtype(x.shape(), x.dtype()).str(); };
  return jaxpr.str() + "\n{'o': " + struct_of(shapes.o) + ", 'q': " + struct_of(shapes.q) + "}\n";
}

std::string shape_dtype_struct_inputs() {
  return show([](Array p) { return jnp::matmul(p.T(), p); }, ShapeDtype({5, 2}, jnp::float32));
}

std::string shape_high_rank() {
  return show([](Array p) { return jnp::transpose(p, {4, 0, 3, 1, 2}).sum({.axis = {1, 3}}); }, jnp::ones({2, 3, 4, 5, 6}));
}

std::string shape_ops_pad_roll_tile_repeat() {
  auto f = [](Array p) { return Arrays{jnp::pad(p, 1), jnp::roll(p, 1), jnp::tile(p, {2}), jnp::repeat(p, 2), jnp::flip(p)}; };
  return show(f, jnp::ones({3}));
}

std::string shape_zero_sized() {
  auto f = [](Array p, Array q) { return Arrays{jnp::matmul(p, q), p.sum(0), jnp::concatenate({p, p})}; };
  return show(f, jnp::zeros({0, 3}), jnp::zeros({3, 0}));
}

std::string static_argument_changes_graph() {
  auto f = [](Array p, int n) { return n > 1 ? p * n : p + n; };
  return show(f, jnp::ones({2}), 3) + show(f, jnp::ones({2}), 1);
}

std::string two_functions_numpy_helpers() {
  auto f = [](Array p, Array q) {
    return Arrays{jnp::logaddexp(p, q), jnp::hypot(p, q), jnp::arctan2(p, q), jnp::remainder(p, q), jnp::isclose(p, q)};
  };
  return show(f, jnp::ones({2}), jnp::ones({2}));
}

std::string unused_argument() {
  return show([](Array, Array, Array q) { return q; }, jnp::ones({3}), jnp::ones({2}), 1.0);
}

std::string weak_type_scalar_inputs() {
  auto twice = [](Array p) { return p * 2; };
  const Jaxpr weak = make_jaxpr(twice)(3.0), strong = make_jaxpr(twice)(jnp::float32(3.0)), integer = make_jaxpr([](Array p) { return p * 2.5; })(3);
  return weak.str() + "\n" + weak_types(weak.in_avals()) + " " + weak_types(weak.out_avals()) + "\n" + strong.str() + "\n" +
         weak_types(strong.out_avals()) + "\n" + integer.str() + "\n" + weak_types(integer.out_avals()) + "\n";
}

std::string where_and_clip() {
  return show([](Array p) { return Arrays{jnp::where(p > 0, p, 0.0), jnp::clip(p, -1, 1), jnp::maximum(p, 0)}; }, jnp::ones({3}));
}

std::string wrap_boundary_80_columns() {
  return show([](Array p) { return lax::slice(p, {0, 0, 0}, {11, 22, 33}, Shape{1, 2, 3}); }, jnp::ones({111, 222, 333})) +
         show([](Array p) { return lax::slice(p, {0, 0}, {11, 22}); }, jnp::ones({111, 222}));
}

std::string wrap_long_params() {
  return show([](Array p) { return lax::pad(p, 0.0, {{1, 2, 0}, {3, 4, 1}, {5, 6, 2}, {0, 0, 0}}); }, jnp::ones({2, 2, 2, 2}));
}

std::string wrap_many_arguments() {
  const Array a = jnp::ones({128, 256});
  return show([](Array x1, Array x2, Array x3, Array x4, Array x5, Array x6, Array x7, Array x8, Array x9) {
    return x1 + x2 + x3 + x4 + x5 + x6 + x7 + x8 + x9;
  }, a, a, a, a, a, a, a, a, a);
}

std::string x64_disabled_truncation() {
  auto f = [](Array p) { return p + 1; };
  return show(f, jnp::ones({2}, jnp::float64)) + show(f, jnp::ones({2}, jnp::int64));
}

std::string x64_enabled() {
  const config::Scope wide({{"enable_x64", true}});
  return show([](Array p, Array n) { return p * 2 + n; }, jnp::ones({3}), 4) +
         show([](Array p) { return p * 2.0; }, jnp::ones({3}, jnp::float32)) + show([] { return jnp::arange(3); });
}

#define GOLDEN(name) {#name, name}
const Golden kGoldens[] = {
    GOLDEN(barrier_multi_operand),
    GOLDEN(basic_add),
    GOLDEN(complex_numbers),
    GOLDEN(const_closed_over_array),
    GOLDEN(const_inside_nested_jit),
    GOLDEN(const_numpy_array_and_scalar),
    GOLDEN(cumulative_and_sort),
    GOLDEN(dot_variants),
    GOLDEN(drop_unused_everything),
    GOLDEN(dtype_promotion_pairs),
    GOLDEN(dynamic_slice_update),
    GOLDEN(effects_callbacks),
    GOLDEN(einsum_contractions),
    GOLDEN(index_static_forms),
    GOLDEN(index_traced_scalar_and_vector),
    GOLDEN(integer_division_and_mod),
    GOLDEN(integer_pow_and_powers),
    GOLDEN(jit_called_with_two_shapes),
    GOLDEN(jit_deep_nesting),
    GOLDEN(jit_lambda_and_partial_names),
    GOLDEN(jit_shared_two_names_collide),
    GOLDEN(large_inline_constant_array),
    GOLDEN(literal_negative_inf_nan_bool),
    GOLDEN(literal_python_scalars),
    GOLDEN(names_past_z),
    GOLDEN(names_past_zz),
    GOLDEN(outputs_none_and_empty),
    GOLDEN(print_option_source_info_and_scope),
    GOLDEN(random_key_array_and_fold),
    GOLDEN(random_typed_key),
    GOLDEN(reduce_custom_monoid),
    GOLDEN(return_shape_option),
    GOLDEN(shape_dtype_struct_inputs),
    GOLDEN(shape_high_rank),
    GOLDEN(shape_ops_pad_roll_tile_repeat),
    GOLDEN(shape_zero_sized),
    GOLDEN(static_argument_changes_graph),
    GOLDEN(two_functions_numpy_helpers),
    GOLDEN(unused_argument),
    GOLDEN(weak_type_scalar_inputs),
    GOLDEN(where_and_clip),
    GOLDEN(wrap_boundary_80_columns),
    GOLDEN(wrap_long_params),
    GOLDEN(wrap_many_arguments),
    GOLDEN(x64_disabled_truncation),
    GOLDEN(x64_enabled),
};
#undef GOLDEN

// The others, and what they need.
const std::map<std::string, const char*> kLater = {
    {"effects_mutable_ref", "references"},
    {"linalg_solve_nested_let", "linalg::solve"},
};

class JaxprGolden : public testing::TestWithParam<Golden> {};

TEST_P(JaxprGolden, IsJax) {
  EXPECT_EQ(without_counts(GetParam().text()), golden_text(GetParam().name));
}
INSTANTIATE_TEST_SUITE_P(, JaxprGolden, testing::ValuesIn(kGoldens), [](const auto& info) { return info.param.name; });

// In both folders: ours, and where it is there the one that ours comes from.
TEST(JaxprGoldens, EachFileIsTracedOrWaits) {
  std::set<std::string> traced;
  for (const Golden& golden : kGoldens) traced.insert(golden.name);
  for (const Golden& golden : transform_goldens()) traced.insert(golden.name);
  for (const std::string folder : {kGoldenFolder, TENON_TEST_DATA "/../../shared/reference/jaxpr_goldens"}) {
    if (!std::filesystem::exists(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".txt") continue;
      const std::string name = entry.path().stem();
      EXPECT_EQ(traced.contains(name) + kLater.contains(name), 1) << name;
    }
  }
  for (const std::string& name : traced) EXPECT_TRUE(std::filesystem::exists(std::string(kGoldenFolder) + "/" + name + ".txt")) << name;
}

}  // namespace
}  // namespace tenon::test
