// The programs of library/control_programs.py.
#include "support/program_list.h"
#include "tenon/control_flow.h"

namespace tenon::test {

static Aval F(std::initializer_list<int64_t> shape = {}) { return of(DType::kFloat32, shape); }
static Aval I(std::initializer_list<int64_t> shape = {}) { return of(DType::kInt32, shape); }
static Aval B(std::initializer_list<int64_t> shape = {}) { return of(DType::kBool, shape); }
static Aval U(std::initializer_list<int64_t> shape = {}) { return of(DType::kUInt8, shape); }
static Aval H(std::initializer_list<int64_t> shape = {}) { return of(DType::kFloat16, shape); }

static const Array& eye() {
  static const Array* array = [] {
    const detail::EvaluationScope scope;
    return new Array(jnp::arange(4.0).reshape({2, 2}));
  }();
  return *array;
}

template <class T>
static Arrays flat(const T& tree) { return tree::leaves(tree); }
using Pair = std::pair<Array, Array>;
using Three = std::tuple<Array, Array, Array>;

static Array times_two(const Array& v) { return v * 2.0; }
static Array plus_one(const Array& v) { return v + 1.0; }

static Arrays seen_twice(const Array& x) {
  auto body = [](Array c, Array t) { return std::pair{c * t, c}; };
  return {lax::scan(body, 1.0, x).first + lax::scan(body, 1.0, x).first};
}

static Arrays scan_in_while_in_cond(const Array& k, const Array& x) {
  auto on_true = [](Array v) {
    return lax::while_loop([](Array s) { return s.sum() > 1; },
                           [v](Array s) { return lax::scan([](Array c, Array t) { return std::pair{c * t, c}; }, s, v).first; }, v(0));
  };
  return {lax::cond(k, on_true, [](Array v) { return v(1); }, x)};
}

static Array sin_step(const Array& c, const Array& t) { return jnp::sin(c) + t; }
#define SIN_STEP [](Array c, Array t) { return std::pair{sin_step(c, t), c}; }

std::vector<Program> control_programs() {
  return {
      P("cond", A(lax::cond(x, plus_one, times_two, y)), B(), F({3})),
      P("cond_number", A(lax::cond(x, plus_one, times_two, y)), F(), F({3})),
      P("cond_known", A(lax::cond(true, plus_one, times_two, x)), F({3})),
      P("cond_captures", A(lax::cond(x, [=](Array v) { return jnp::matmul(eye(), v) + z; }, [=](Array v) { return jnp::where(v > 0, z, jnp::matmul(eye(), v)); }, y)), B(), F({2}), F({2})),
      P("cond_pair", flat(lax::cond(x, [=] { return std::pair{y, 1}; }, [=] { return std::pair{y * 2, 2}; })), B(), F({3})),
      P("cond_forwards", flat(lax::cond(x, [](Array a, Array b) { return Three{a, b, a + b}; }, [](Array a, Array b) { return Three{a, a, a - b}; }, y, z)), B(), F({3}), F({3})),
      P("cond_unused", A(lax::cond(x, [](Array a, Array b) { return Pair{jnp::sin(a), b + 1}; }, [](Array a, Array b) { return Pair{jnp::cos(a), b - 1}; }, y, z).first), B(), F({3}), F({3})),
      P("cond_in_cond", A(lax::cond(x, [](Array v) { return lax::cond(v.sum() > 0, [](Array u) { return u + 1; }, [](Array u) { return u - 1; }, v); }, [](Array v) { return v; }, y)), B(), F({3})),
      P("cond_scalar_operand", A(lax::cond(x, [](Array v) { return v + 1; }, [](Array v) { return v - 1; }, 2.0)), B()),
      P("switch", A(lax::switch_(x, std::tuple{[](Array v) { return v + 1; }, [](Array v) { return v * 2; }, [](Array v) { return v; }}, y)), I(), F({3})),
      P("switch_u8", A(lax::switch_(x, std::tuple{[] { return 1.0; }, [] { return 2.0; }})), U()),
      P("switch_one", A(lax::switch_(x, std::tuple{[](Array v) { return v + 1; }}, y)), I(), F({3})),
      P("while_loop", flat(lax::while_loop([](Pair c) { return c.first < 10; }, [](Pair c) { return Pair{c.first + 1, c.second * 1.5}; }, std::pair{0, x})), F({2})),
      P("while_captures", A(lax::while_loop([=](Array c) { return c.sum() < x; }, [=](Array c) { return jnp::matmul(y, c) + jnp::matmul(eye(), c); }, z)), F(), F({2, 2}), F({2})),
      P("while_promotes", flat(lax::while_loop([](Pair c) { return c.first < 3; }, [](Pair c) { return Pair{c.first * jnp::float16(2), c.second + 1}; }, std::pair{x, 0})), of(DType::kInt32, {}, true)),
      P("while_forwards", A(std::get<1>(lax::while_loop([](Three c) { return std::get<1>(c) < 3; }, [](Three c) { auto [a, b, d] = c; return Three{a, b + a.sum(), d * 2}; }, std::tuple{x, 0.0, x}))), F({2})),
      P("while_condition_reads", flat(lax::while_loop([](Pair c) { return c.second < c.first.sum(); }, [](Pair c) { return Pair{c.first, c.second + 1}; }, std::pair{x, 0.0})), F({2})),
      P("while_dead", A(std::get<1>(lax::while_loop([](Three c) { return std::get<0>(c) < 3; }, [](Three c) { auto [a, b, d] = c; return Three{a + 1, b * 2, jnp::sin(d)}; }, std::tuple{0, x, x}))), F({2})),
      P("fori_static", A(lax::fori_loop(0, 3, [](Array i, Array v) { return v * 2 + i; }, x)), F({2})),
      P("fori_empty", A(lax::fori_loop(3, 0, [](Array, Array v) { return v * 2; }, x)), F({2})),
      P("fori_dynamic", A(lax::fori_loop(0, y, [](Array i, Array v) { return v * 2 + i; }, x)), F({2}), I()),
      P("fori_unrolled", A(lax::fori_loop(0, 3, [](Array, Array v) { return v * 2; }, x, {.unroll = true})), F({2})),
      P("scan", flat(lax::scan([](Array c, Array t) { return std::pair{c + t, c * t}; }, 0.0, x)), F({4})),
      P("scan_reverse", flat(lax::scan([](Array c, Array t) { return std::pair{c + t, c * t}; }, jnp::float32(0), x, {.reverse = true})), F({4})),
      P("scan_unroll", flat(lax::scan(SIN_STEP, x, y, {.unroll = 2})), F({2}), F({5, 2})),
      P("scan_unroll_reverse", flat(lax::scan(SIN_STEP, x, y, {.reverse = true, .unroll = 2})), F({2}), F({5, 2})),
      P("scan_unroll_even", flat(lax::scan(SIN_STEP, x, y, {.unroll = 3})), F({2}), F({6, 2})),
      P("scan_unroll_all", flat(lax::scan(SIN_STEP, x, y, {.unroll = true})), F({2}), F({3, 2})),
      P("scan_captures", flat(lax::scan([=](Array c, Array t) { return std::pair{jnp::matmul(eye(), c) + t + y, c * t}; }, x, z)), F({2}), F({2}), F({5, 2})),
      P("scan_forwards", flat(lax::scan([](Pair c, Array t) { return std::pair{Pair{c.first, c.second + c.first}, Pair{t, c.second}}; }, std::pair{x, x}, y)), F({2}), F({5, 2})),
      P("scan_length_0", flat(lax::scan([](Array c, Array t) { return std::pair{c + t, c}; }, x, y)), F({2}), F({0, 2})),
      P("scan_length_1", flat(lax::scan([](Array c, Array t) { return std::pair{c + t, c}; }, x, y)), F({2}), F({1, 2})),
      P("scan_no_arrays", A(lax::scan([](Array c, Empty) { return std::pair{jnp::sin(c), Empty{}}; }, x, Empty{}, 7).first), F({2})),
      P("scan_tree", flat(lax::scan([](Pair c, Pair t) { return std::pair{Pair{c.first + 1, c.second + t.first}, Pair{c.first, t.second * c.second}}; }, std::pair{0, 0.0}, std::pair{x, y})), F({3}), F({3})),
      P("scan_dead", A(lax::scan([](Pair c, Pair t) { return std::pair{Pair{c.first + t.first, c.second * t.second}, c.second}; }, std::pair{0.0, 1.0}, std::pair{x, y}).first.first), F({3}), F({3})),
      P("scan_types", flat(lax::scan([](Array c, Pair t) { return std::pair{c ^ (t.first > 2), Pair{t.second + 1, c}}; }, false, std::pair{x, y})), U({3}), H({3})),
      P("scan_seen_twice", seen_twice(x), F({3})),
      P("scan_in_while_in_cond", scan_in_while_in_cond(x, y), B(), F({4, 2})),
      P("map", A(lax::map([](Array v) { return jnp::exp(v) + 1; }, x)), F({3, 2})),
      P("associative_scan", A(lax::associative_scan([](Array a, Array b) { return a * b; }, x)), F({5})),
      P("associative_scan_even", A(lax::associative_scan([](Array a, Array b) { return a + b; }, x, {.axis = 1})), F({2, 8})),
      P("associative_scan_reverse", flat(lax::associative_scan([](Pair a, Pair b) { return Pair{a.first * b.first, a.second | b.second}; }, Pair{x, y}, {.reverse = true})), F({3}), B({3})),
  };
}

}  // namespace tenon::test
