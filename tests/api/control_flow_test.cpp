// Branches and loops: values against loops of C++, the same bits eagerly, compiled and by the evaluator; errors.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "support/expect_error.h"
#include "tenon/tenon.h"
#include "tenon/testkit.h"

namespace tenon::test {
namespace {

using Pair = std::pair<Array, Array>;

std::string bytes_of(const Array& x) {
  x.block_until_ready();
  if (x.dtype().is_prng_key()) return bytes_of(random::key_data(x));
  return std::string(static_cast<const char*>(x.unsafe_buffer_pointer()), static_cast<size_t>(x.nbytes()));
}

// The leaves of f's result, which are the same three ways.
template <class F, class... A>
Arrays three_ways(F f, const A&... args) {
  auto leaves = [f](const A&... a) { return tree::leaves(f(a...)); };
  auto flat = [f](A... a) { return tree::leaves(f(a...)); };
  const Arrays eager = leaves(args...), compiled = jit(flat)(args...), reference = jit(flat, {.backend = "reference"})(args...);
  EXPECT_EQ(eager.size(), compiled.size());
  for (size_t i = 0; i < eager.size(); ++i) {
    EXPECT_EQ(eager[i].aval(), compiled[i].aval()) << i;
    EXPECT_EQ(bytes_of(eager[i]), bytes_of(compiled[i])) << i << ": " << eager[i].str() << " " << compiled[i].str();
    EXPECT_EQ(bytes_of(reference[i]), bytes_of(compiled[i])) << i << ": " << reference[i].str() << " " << compiled[i].str();
  }
  return compiled;
}

std::vector<double> numbers(const Array& x) { return x.to_vector<double>(); }

TEST(Cond, TakesOneBranch) {
  auto f = [](Array k, Array x) {
    return lax::cond(k, [](Array v) { return Pair{jnp::sin(v), v + 1}; }, [](Array v) { return Pair{jnp::cos(v), v}; }, x);
  };
  const Array x = jnp::arange(5.0);
  for (const bool k : {true, false}) {
    const Arrays got = three_ways(f, jnp::array(k), x);
    EXPECT_EQ(bytes_of(got[0]), bytes_of(k ? jnp::sin(x) : jnp::cos(x)));
    EXPECT_EQ(numbers(got[1])[1], k ? 2 : 1);
  }
}

TEST(Cond, CapturesAndNests) {
  const Array w = jnp::arange(3.0);
  auto f = [w](Array n, Array x) {
    auto positive = [=](Array v) { return lax::cond(n > 10, [=](Array u) { return u * w; }, [=](Array u) { return u + w; }, v); };
    return lax::cond(n > 0, positive, [](Array v) { return -v; }, x);
  };
  const Array x = jnp::ones({3});
  EXPECT_EQ(numbers(three_ways(f, jnp::array(20), x)[0]), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(numbers(three_ways(f, jnp::array(5), x)[0]), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(numbers(three_ways(f, jnp::array(-5), x)[0]), (std::vector<double>{-1, -1, -1}));
}

TEST(Switch, MovesTheIndexInside) {
  auto f = [](Array i, Array x) {
    return lax::switch_(i, std::tuple{[](Array v) { return v; }, [](Array v) { return v * 10; }, [](Array v) { return v * 100; }}, x);
  };
  for (auto [index, factor] : {std::pair{-7, 1}, {0, 1}, {1, 10}, {2, 100}, {99, 100}})
    EXPECT_EQ(numbers(three_ways(f, jnp::array(index), jnp::ones({2}))[0]), std::vector<double>(2, factor)) << index;
  using Function = Array (*)(const Operand&);
  auto of_one_type = [](Array i, Array x) { return lax::switch_(i, std::vector<Function>{lax::sin, lax::cos}, x); };
  EXPECT_EQ(bytes_of(three_ways(of_one_type, jnp::array(1), jnp::ones({2}))[0]), bytes_of(lax::cos(jnp::ones({2}))));
}

TEST(WhileLoop, Newton) {  // wholly inside of a kernel
  auto f = [](Array a) {
    return lax::while_loop([](Pair c) { return c.first < 1000; },
                           [a](Pair c) { return Pair{c.first + 1, c.second - (c.second * c.second - a) / (2 * c.second)}; },
                           std::pair{0, jnp::float32(1)}).second;
  };
  float x = 1;
  for (int i = 0; i < 1000; ++i) x = x - (x * x - 2.0f) / (2 * x);
  EXPECT_EQ(three_ways(f, jnp::float32(2))[0].item<float>(), x);
}

TEST(WhileLoop, ConditionOnAReduction) {
  const Array w = jnp::array({{0.5, 0.25}, {0.125, 0.5}});
  auto f = [w](Array x, Array limit) {
    return lax::while_loop([=](Array s) { return s.sum() > limit; }, [w](Array s) { return jnp::sum(w * s, {.axis = 1}); }, x);
  };
  std::vector<float> s{8, 16};
  while (s[0] + s[1] > 1) s = {0.5f * s[0] + 0.25f * s[1], 0.125f * s[0] + 0.5f * s[1]};
  const std::vector<float> got = three_ways(f, jnp::array({8.0, 16.0}), jnp::float32(1))[0].to_vector<float>();
  EXPECT_EQ(got, s);
}

TEST(WhileLoop, NoRoundGivesTheBeginning) {
  auto f = [](Array x) { return lax::while_loop([](Array s) { return s.sum() < 0; }, [](Array s) { return jnp::cumsum(s); }, x); };
  EXPECT_EQ(numbers(three_ways(f, jnp::arange(4.0))[0]), (std::vector<double>{0, 1, 2, 3}));
}

TEST(WhileLoop, CarriesThatChangePlaces) {
  auto f = [](Array n, Array x, Array y) {
    return lax::while_loop([n](std::tuple<Array, Array, Array> c) { return std::get<0>(c) < n; },
                           [](std::tuple<Array, Array, Array> c) {
                             auto [i, a, b] = c;
                             return std::tuple{i + 1, b, jnp::cumsum(a)};
                           },
                           std::tuple{0, x, y});
  };
  std::vector<double> a{1, 2, 3}, b{10, 20, 30};
  for (int i = 0; i < 5; ++i) {
    std::vector<double> sums(3);
    for (int k = 0, s = 0; k < 3; ++k) sums[k] = s += static_cast<int>(a[k]);
    a = std::exchange(b, sums);
  }
  const Arrays got = three_ways(f, jnp::array(5), jnp::array({1.0, 2.0, 3.0}), jnp::array({10.0, 20.0, 30.0}));
  EXPECT_EQ(numbers(got[1]), a);
  EXPECT_EQ(numbers(got[2]), b);
}

TEST(WhileLoop, TheSameValueTwiceAndConstants) {
  auto f = [](Array x) {
    return lax::while_loop([](std::tuple<Array, Array, Array> c) { return std::get<0>(c).sum() < 100; },
                           [](std::tuple<Array, Array, Array> c) {
                             const Array next = jnp::cumsum(std::get<0>(c));
                             return std::tuple{next, next, jnp::ones({4})};
                           },
                           std::tuple{x, x, x});
  };
  const Arrays got = three_ways(f, jnp::arange(4.0));
  EXPECT_EQ(bytes_of(got[0]), bytes_of(got[1]));
  EXPECT_EQ(numbers(got[2]), std::vector<double>(4, 1));
}

TEST(WhileLoop, WeakCarriesPromote) {
  auto f = [](Array x) { return lax::while_loop([](Array c) { return c < 100; }, [](Array c) { return c * jnp::float16(2); }, x); };
  const Array got = three_ways(f, Array(3))[0];
  EXPECT_EQ(got.dtype(), jnp::float16);
  EXPECT_EQ(got.item(), 192);
}

TEST(FoRiLoop, KnownAndUnknownBounds) {
  auto sum = [](Array lower, Array upper) { return lax::fori_loop(lower, upper, [](Array i, Array s) { return s + i * i; }, 0); };
  EXPECT_EQ(three_ways(sum, jnp::array(3), jnp::array(7))[0].item(), 9 + 16 + 25 + 36);
  EXPECT_EQ(three_ways(sum, jnp::array(7), jnp::array(3))[0].item(), 0);
  auto known = [](Array x) { return lax::fori_loop(2, 40, [x](Array i, Array s) { return s * x + i; }, jnp::zeros({3})); };
  std::vector<float> want(3);
  for (int i = 2; i < 40; ++i)
    for (float& s : want) s = s * 0.5f + static_cast<float>(i);
  EXPECT_EQ(three_ways(known, jnp::float32(0.5))[0].to_vector<float>(), want);
}

TEST(Scan, SumsForwardAndBackward) {
  for (const bool reverse : {false, true})
    for (const int unroll : {1, 3, 7}) {
      auto f = [=](Array x) {
        return lax::scan([](Array c, Array t) { return std::pair{c + t, c * 2}; }, 0.0, x, {.reverse = reverse, .unroll = unroll});
      };
      for (const int n : {0, 1, 7}) {
        std::vector<double> ys(static_cast<size_t>(n));
        double c = 0;
        for (int k = 0; k < n; ++k) {
          const int i = reverse ? n - 1 - k : k;
          ys[static_cast<size_t>(i)] = c * 2;
          c += i;
        }
        const Arrays got = three_ways(f, jnp::arange(n, jnp::float32));
        EXPECT_EQ(got[0].item(), c) << n << " " << unroll << " " << reverse;
        EXPECT_EQ(numbers(got[1]), ys) << n << " " << unroll << " " << reverse;
      }
    }
}

TEST(Scan, RowsThroughAProduct) {
  const Array w = jnp::arange(9.0).reshape({3, 3}) / 16;
  auto f = [w](Array h, Array xs) {
    return lax::scan([w](Array c, Array t) {
      const Array next = jnp::tanh(jnp::matmul(c, w) + t);
      return std::pair{next, next};
    }, h, xs);
  };
  const Array xs = jnp::linspace(-1.0, 1.0, 60).reshape({20, 1, 3}), h = jnp::zeros({1, 3});
  const Arrays got = jit([f](Array a, Array b) { return tree::leaves(f(a, b)); })(h, xs);
  Array c = h;
  for (int i = 0; i < 20; ++i) {
    c = jnp::tanh(jnp::matmul(c, w) + xs(i));
    EXPECT_EQ(bytes_of(Array(got[1])(i)), bytes_of(c)) << i;
  }
  EXPECT_EQ(bytes_of(got[0]), bytes_of(c));
}

TEST(Scan, OfEachDtype) {
  for (const DType dtype : {DType(jnp::bool_), DType(jnp::int8), DType(jnp::uint32), DType(jnp::float16), DType(jnp::bfloat16), DType(jnp::float32), DType(jnp::complex64)}) {
    auto f = [](Array x) { return lax::scan([](Array c, Array t) { return std::pair{jnp::where(t == c, t, c), t + c}; }, x(0), x); };
    const Array x = jnp::array({1, 1, 0, 1, 0}).astype(dtype);
    const Arrays got = three_ways(f, x);
    EXPECT_EQ(bytes_of(got[1]), bytes_of(x + x(0))) << dtype.str();
  }
}

TEST(Scan, Keys) {
  auto f = [](Array x) {
    return lax::scan([](Array c, Array t) { return std::pair{random::split(c)(0), random::fold_in(c, t)}; }, random::key(7), x);
  };
  const Arrays got = three_ways(f, jnp::arange(3).astype(jnp::uint32));
  Array key = random::key(7);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(bytes_of(Array(got[1])(i)), bytes_of(random::fold_in(key, i)));
    key = random::split(key)(0);
  }
  EXPECT_EQ(bytes_of(got[0]), bytes_of(key));
}

struct State {
  Array position, velocity;
  double mass;  // structure
};
TEST(Scan, StructsAndUnusedParts) {
  auto f = [](Array x, Array v) {
    auto step = [](State s, Array dt) {
      return std::pair{State{s.position + dt * s.velocity, s.velocity - dt * s.position / s.mass, s.mass}, Pair{s.position, dt}};
    };
    auto [last, track] = lax::scan(step, State{x, v, 2.0}, jnp::full({50}, 0.125));
    return Arrays{last.position, track.first};
  };
  const Arrays got = three_ways(f, jnp::float32(1), jnp::float32(0));
  EXPECT_EQ(got[1].shape(), Shape({50}));
}

TEST(Scan, InWhileInCond) {
  auto f = [](Array k, Array x) {
    auto loop = [](Array v) {
      return lax::while_loop([](Array s) { return jnp::max(s) < 1000; },
                             [](Array s) { return lax::scan([](Array c, Array t) { return std::pair{c + t, c + t}; }, 1.0, s).second; }, v);
    };
    return lax::cond(k, loop, [](Array v) { return v; }, x);
  };
  std::vector<double> s{0, 1, 2, 3};
  while (s[3] < 1000) {
    double c = 1;
    for (double& v : s) v = c += v;
  }
  EXPECT_EQ(numbers(three_ways(f, jnp::array(true), jnp::arange(4.0))[0]), s);
  EXPECT_EQ(numbers(three_ways(f, jnp::array(false), jnp::arange(4.0))[0]), (std::vector<double>{0, 1, 2, 3}));
}

TEST(Scan, ManyRoundsOverALargeArray) {  // a host loop; what is updated is updated in place
  auto f = [](Array x) {
    return lax::fori_loop(0, 300, [](Array i, Array v) { return v.at(i).set(v(i) + i); }, x);
  };
  const std::vector<double> got = numbers(jit(f)(jnp::zeros({300})));
  for (int i = 0; i < 300; ++i) EXPECT_EQ(got[static_cast<size_t>(i)], i);
}

TEST(Loops, Mandelbrot) {  // a loop for each element, inside of the tile
  auto f = [](Array cr, Array ci) {
    using Carry = std::tuple<Array, Array, Array>;
    const Array zero = jnp::zeros_like(cr);
    auto step = [=](Array, Carry c) {
      auto [zr, zi, n] = c;
      const Array inside = zr * zr + zi * zi <= 4;
      return Carry{jnp::where(inside, zr * zr - zi * zi + cr, zr), jnp::where(inside, 2 * zr * zi + ci, zi), n + inside};
    };
    return std::get<2>(lax::fori_loop(0, 100, step, Carry{zero, zero, jnp::zeros({37, 5}, jnp::int32)}));
  };
  const Array cr = jnp::linspace(-2.0, 0.5, 185).reshape({37, 5}), ci = jnp::linspace(-1.25, 1.25, 185).reshape({37, 5});
  const std::vector<int> got = three_ways(f, cr, ci)[0].to_vector<int>();
  const auto re = cr.to_vector<float>(), im = ci.to_vector<float>();
  for (size_t k = 0; k < re.size(); ++k) {
    float zr = 0, zi = 0;
    int n = 0;
    for (int i = 0; i < 100; ++i) {
      const bool inside = zr * zr + zi * zi <= 4;
      const float r = inside ? zr * zr - zi * zi + re[k] : zr, j = inside ? 2 * zr * zi + im[k] : zi;
      zr = r, zi = j, n += inside;
    }
    EXPECT_EQ(got[k], n) << k;
  }
}

TEST(Map, IsOneAfterTheOther) {
  auto f = [](Array x) { return lax::map([](Array row) { return Pair{jnp::cumsum(row), row.sum()}; }, x); };
  const Array x = jnp::arange(12.0).reshape({3, 4});
  const Arrays got = three_ways(f, x);
  EXPECT_EQ(bytes_of(got[0]), bytes_of(jnp::cumsum(x, {.axis = 1})));
  EXPECT_EQ(bytes_of(got[1]), bytes_of(x.sum({.axis = 1})));
}

TEST(AssociativeScan, OfEachSize) {
  for (const int n : {0, 1, 5, 8}) {
    auto sums = [](Array x) { return lax::associative_scan([](Array a, Array b) { return a + b; }, x); };
    const Array x = jnp::arange(n);
    EXPECT_EQ(numbers(three_ways(sums, x)[0]), numbers(jnp::cumsum(x))) << n;
    auto last = [](Array y) { return lax::associative_scan([](Array a, Array b) { return a + b; }, y, {.reverse = true}); };
    EXPECT_EQ(numbers(three_ways(last, x)[0]), numbers(lax::cumsum(x, 0, true))) << n;
  }
}

TEST(ControlFlow, SaysWhatDoesNotFit) {
  const Array x = jnp::ones({3});
  EXPECT_ERROR(TypeError, lax::scan([](Pair c, Array t) { return std::pair{Pair{c.first, c.second > 0}, t}; }, Pair{x, x}, x),
               "scan: the body must give a carry of the types that it takes: carry[1] comes in as f32[3] and goes out as bool[3] (the dtypes differ); "
               "revise the body, or the initial value, so that all output types match the input types");
  EXPECT_ERROR(TypeError, lax::while_loop([](Array c) { return c; }, [](Array c) { return c; }, x),
               "while_loop: the condition must give a bool scalar; got f32[3]");
  EXPECT_ERROR(TypeError, lax::cond(x, [] { return 1; }, [] { return 2; }),
               "cond: the predicate must be a scalar; got f32[3]; reduce it with jnp::all or jnp::any, or choose elements with jnp::where");
  EXPECT_ERROR(TypeError, lax::cond(true, [] { return 1; }, [=] { return x; }),
               "cond: the branches must give results of the same types: result is i32[] from on_true and f32[3] from on_false (the dtypes and the shapes differ); "
               "revise on_true or on_false so that all output types match");
  EXPECT_ERROR(TypeError, lax::switch_(1.5, std::tuple{[] { return 1; }, [] { return 2; }}), "switch_: the index must be an integer; got f32[]");
  EXPECT_ERROR(ValueError, lax::scan([](Array c, Pair t) { return std::pair{c, t.first}; }, 0.0, Pair{x, jnp::ones({2})}),
               "scan: the leading axes must have equal sizes; got 3 and 2");
  EXPECT_ERROR(ValueError, lax::scan([](Array c, Empty) { return std::pair{c, c}; }, 0.0, Empty{}), "scan: there are no arrays to go along; say the length");
  EXPECT_ERROR(TypeError, lax::fori_loop(jnp::int32(0), jnp::uint8(3), [](Array, Array c) { return c; }, x),
               "fori_loop: the bounds must have equal dtypes; got i32[] and u8[]");
}

TEST(ControlFlow, EagerProgramsAreFoundAgain) {
  auto f = [](Array x, double k) { return lax::while_loop([](Array s) { return s.sum() < 100; }, [k](Array s) { return s * k; }, x); };
  f(jnp::ones({3}), 2.0);
  NoCompileScope none;
  EXPECT_EQ(f(jnp::ones({3}), 2.0).to_vector<float>()[0], 64);
}

}  // namespace
}  // namespace tenon::test
