// Calls of the host: executed eagerly, compiled and by the evaluator; in loops and branches, in order, once; under the
// transformations; their errors; their text.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/expect_error.h"
#include "tenon/tenon.h"

namespace tenon::test {
namespace {

Array twice_on_host(const Array& x, int* calls = nullptr) {
  auto f = [calls](Array v) {
    if (calls) ++*calls;
    return v * 2.0f;
  };
  return lax::host_call(f, x.aval(), x);
}

std::vector<float> floats(const Array& x) { return x.to_vector<float>(); }

std::vector<std::string> g_lines;
void keep_line(std::string_view line) { g_lines.emplace_back(line); }
struct KeepLines {
  debug::Printer before = debug::set_printer(keep_line);
  KeepLines() { g_lines.clear(); }
  ~KeepLines() { debug::set_printer(before); }
};

TEST(HostCall, GivesItsResultEagerAndCompiled) {
  const Array x = jnp::array({1.f, 2.f, 3.f});
  EXPECT_EQ(floats(twice_on_host(x)), (std::vector<float>{2, 4, 6}));
  auto f = jit([](Array v) { return twice_on_host(v + 1.0f) * 3.0f; });
  EXPECT_EQ(floats(f(x)), (std::vector<float>{12, 18, 24}));
  EXPECT_EQ(floats(f(x * 2.0f)), (std::vector<float>{18, 30, 42}));
  config::Scope scope({{"default_backend", "reference"}});
  EXPECT_EQ(floats(jit([](Array v) { return twice_on_host(v + 1.0f) * 3.0f; })(x)), (std::vector<float>{12, 18, 24}));
}

TEST(HostCall, TakesTreesAndGivesSeveralResults) {
  auto f = [](std::pair<Array, std::vector<Array>> tree, Array scalar) {
    return std::vector<Array>{tree.first + scalar, jnp::sum(tree.second[0]) + jnp::sum(tree.second[1])};
  };
  auto call = [f](Array x) {
    return lax::host_call(f, Avals{x.aval(), {{}, jnp::float32}}, std::pair{x, std::vector<Array>{x, x * 2.0f}}, 10.0);
  };
  const Array x = jnp::array({1.f, 2.f});
  for (const Arrays& out : {call(x), jit(call)(x)}) {
    EXPECT_EQ(floats(out[0]), (std::vector<float>{11, 12}));
    EXPECT_EQ(out[1].item(), 9);
  }
  auto none = [](Array v) { return lax::host_call([] { return Array(jnp::int32(7)); }, ShapeDtype({}, jnp::int32)) + v; };
  EXPECT_EQ(jit(none)(jnp::int32(1)).item<int>(), 8);
  auto mask = [](Array v) { return lax::host_call([](Array m) { return jnp::logical_not(m); }, v.aval(), v); };
  EXPECT_EQ(jit(mask)(jnp::array({true, false})).to_vector<bool>(), (std::vector<bool>{false, true}));
}

TEST(HostCall, IsDroppedWhenNobodyNeedsItUnlessItHasEffects) {
  int pure = 0, effects = 0;
  auto count = [&](Array v) {
    ++effects;
    return v;
  };
  auto f = jit([&](Array v) {
    twice_on_host(v, &pure);
    io_callback(count, v.aval(), v);
    return v + 1.0f;
  });
  f(jnp::ones({2})).block_until_ready();
  EXPECT_EQ(pure, 0);
  EXPECT_EQ(effects, 1);
  f(jnp::ones({2})).block_until_ready();
  EXPECT_EQ(effects, 2);
}

TEST(HostCall, RunsInsideLoopsAndBranchesInTheOrderOfTheProgram) {
  std::vector<int> seen;
  const auto note = [&seen](int mark) {
    return [&seen, mark](Array v) {
      seen.push_back(mark * 100 + static_cast<int>(v.item()));
      return v;
    };
  };
  auto f = [&](Array x) {
    const auto io = [&](int mark, const Array& v) { return io_callback(note(mark), v.aval(), {.ordered = true}, v); };
    Array v = io(1, x);
    v = lax::fori_loop(0, 3, [&](Array, Array c) { return io(2, c) + 1.0f; }, v);
    v = lax::while_loop([](Array c) { return c < 6.0f; }, [&](Array c) { return io(3, c + 1.0f); }, v);
    v = lax::cond(v > 3.0f, [&](Array c) { return io(4, c); }, [&](Array c) { return io(5, c); }, v);
    return io(6, v);
  };
  const std::vector<int> want = {101, 201, 202, 203, 305, 306, 406, 606};
  EXPECT_EQ(f(jnp::float32(1)).item(), 6);
  EXPECT_EQ(seen, want);
  seen.clear();
  EXPECT_EQ(jit(f)(jnp::float32(1)).item(), 6);
  EXPECT_EQ(seen, want);
  seen.clear();
  auto scanned = jit([&](Array xs) {
    return lax::scan([&](Array c, Array x) { return std::pair{io_callback(note(7), x.aval(), {.ordered = true}, c + x), x}; }, Array(jnp::float32(0)), xs).first;
  });
  EXPECT_EQ(scanned(jnp::array({1.f, 2.f, 3.f})).item(), 6);
  EXPECT_EQ(seen, (std::vector<int>{701, 703, 706}));
}

TEST(HostCall, HappensOnceUnderDerivatives) {
  int calls = 0;
  auto f = [&](Array x) {
    const Array y = io_callback([&](Array v) { ++calls; return v; }, x.aval(), lax::stop_gradient(x));
    return jnp::sin(x) * y;
  };
  const Array x = jnp::float32(0.5);
  const auto once = [&](auto run) {
    calls = 0;
    run();
    EXPECT_EQ(calls, 1);
  };
  once([&] { grad(f)(x).block_until_ready(); });
  once([&] { jvp(f, std::tuple{x}, std::tuple{x}); });
  once([&] { vjp(f, x); });
  once([&] { grad(grad(f))(x).block_until_ready(); });
  once([&] { grad(jit(f))(x).block_until_ready(); });
  once([&] { jit(grad(f))(x).block_until_ready(); });
  once([&] { jit(grad(grad(f)))(x).block_until_ready(); });
  once([&] { grad([&](Array v) { return lax::cond(v > 0.0f, f, [](Array u) { return u; }, v); })(x).block_until_ready(); });
  auto own = custom_jvp([&](Array v) { return f(v); }, [&](Array v, Array t) { return std::pair{f(v), t}; });
  once([&] { own(x).block_until_ready(); });
  once([&] { grad(own)(x).block_until_ready(); });
  once([&] { jit(own)(x).block_until_ready(); });
  once([&] { jit(grad(own))(x).block_until_ready(); });
  auto reverse = custom_vjp([&](Array v) { return f(v); }, [&](Array v) { return std::pair{f(v), v}; }, [](Array, Array ct) { return std::tuple{ct}; });
  once([&] { grad(reverse)(x).block_until_ready(); });
  once([&] { jit(grad(reverse))(x).block_until_ready(); });
  calls = 0;
  grad([&](Array v) { return lax::scan([&](Array c, Empty) { return std::pair{f(c), Empty{}}; }, v, Empty{}, {.length = 3}).first; })(x).block_until_ready();
  EXPECT_EQ(calls, 3);
}

TEST(HostCall, HasNoDerivativeOfItsOwn) {
  const Array x = jnp::float32(1);
  auto pure = [](Array v) { return twice_on_host(v); };
  auto io = [](Array v) { return io_callback([](Array u) { return u; }, v.aval(), v); };
  EXPECT_THROW(grad(pure)(x), ValueError);
  EXPECT_THROW(jvp(pure, std::tuple{x}, std::tuple{x}), ValueError);
  EXPECT_THROW(jit(grad(pure))(x), ValueError);
  EXPECT_THROW(grad(io)(x), ValueError);
  EXPECT_THROW(grad(checkpoint([&](Array v) { return jnp::sin(v) * io(lax::stop_gradient(v)); }))(x), UnimplementedError);
  // By operands that are not differentiated it has the derivative of what is around it.
  EXPECT_EQ(grad([](Array v) { return v * twice_on_host(lax::stop_gradient(v)); })(x).item(), 2);
}

TEST(HostCall, FollowsVmapAsItIsTold) {
  const Array x = jnp::array({1.f, 2.f, 3.f});
  std::vector<Shape> shapes;
  const auto with = [&](VmapMethod method) {
    return [&, method](Array a, Array b) {
      auto f = [&](Array u, Array v) {
        shapes.push_back(u.shape());
        shapes.push_back(v.shape());
        return u * 10.0f + v;
      };
      return lax::host_call(f, ShapeDtype({}, jnp::float32), {.vmap_method = method}, a, b);
    };
  };
  const std::vector<float> want = {12, 22, 32};
  const Array b = jnp::float32(2);
  const auto run = [&](VmapMethod method) {
    shapes.clear();
    const Array eager = vmap(with(method), {.in_axes = {0, none}})(x, b);
    EXPECT_EQ(floats(eager), want);
    const std::vector<Shape> of_eager = shapes;
    EXPECT_EQ(floats(jit(vmap(with(method), {.in_axes = {0, none}}))(x, b)), want);
    return of_eager;
  };
  EXPECT_EQ(run(VmapMethod::sequential), (std::vector<Shape>(6, Shape{})));
  EXPECT_EQ(run(VmapMethod::sequential_unrolled), (std::vector<Shape>(6, Shape{})));
  EXPECT_EQ(run(VmapMethod::expand_dims), (std::vector<Shape>{{3}, {1}}));
  EXPECT_EQ(run(VmapMethod::broadcast_all), (std::vector<Shape>{{3}, {3}}));
  EXPECT_THROW(vmap(with(VmapMethod::none), {.in_axes = {0, none}})(x, b), UnimplementedError);

  int calls = 0;
  const auto io = [&](bool ordered) {
    return [&, ordered](Array v) { return io_callback([&](Array u) { ++calls; return u; }, v.aval(), {.ordered = ordered}, v); };
  };
  EXPECT_EQ(floats(vmap(io(false))(x)), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(calls, 3);
  EXPECT_THROW(vmap(io(true))(x), ValueError);
  EXPECT_THROW(vmap([&](Array v) { return lax::cond(v > 1.5f, io(false), [](Array u) { return u; }, v); })(x), UnimplementedError);
}

TEST(HostCall, ExceptionsArriveWhereTheResultIsWaitedFor) {
  auto fails = [](Array v) { return lax::host_call([](Array) -> Array { throw std::runtime_error("sensor 7 is gone"); }, v.aval(), v); };
  const Array x = jnp::ones({3});
  std::string eager;
  try {
    fails(x).block_until_ready();
  } catch (const RuntimeError& e) {
    eager = e.what();
    EXPECT_THROW(std::rethrow_if_nested(e), std::runtime_error);
  }
  EXPECT_NE(eager.find("host_call: the function of the host threw: sensor 7 is gone (host_call_test.cpp:"), std::string::npos) << eager;
  auto compiled = jit(fails);
  for (int round = 0; round < 2; ++round) {  // nothing is lost: the next call fails as this one
    const Array bad = compiled(x);
    EXPECT_THROW((bad + 1.0f).block_until_ready(), RuntimeError);
    EXPECT_ERROR_HAS(RuntimeError, bad.block_until_ready(), "sensor 7 is gone");
  }
  EXPECT_EQ(floats(jit([](Array v) { return twice_on_host(v); })(x)), (std::vector<float>{2, 2, 2}));
  auto sometimes = jit([](Array v) {
    return lax::fori_loop(0, 5, [](Array i, Array c) {
      return lax::host_call([](Array k, Array u) { if (k.item<int>() == 3) throw std::invalid_argument("three"); return u; }, c.aval(), i, c);
    }, v);
  });
  EXPECT_ERROR_HAS(RuntimeError, sometimes(x).block_until_ready(), "three");
}

TEST(HostCall, HoldsResultsAgainstWhatWasPromised) {
  const Array x = jnp::ones({3});
  auto with = [&](auto f) { return [f](Array v) { return lax::host_call(f, v.aval(), v); }; };
  EXPECT_ERROR_HAS(ShapeError, with([](Array) { return jnp::ones({2}); })(x), "host_call: result 0 of the function of the host is f32[2]; f32[3] was promised");
  EXPECT_ERROR_HAS(TypeError, with([](Array v) { return jnp::astype(v, jnp::int32); })(x), "is i32[3]; f32[3] was promised");
  EXPECT_ERROR_HAS(TypeError, with([](Array v) { return std::vector<Array>{v, v}; })(x), "gives 2 arrays; 1 were promised");
  EXPECT_THROW(jit(with([](Array) { return jnp::ones({2}); }))(x).block_until_ready(), ShapeError);
  EXPECT_EQ(lax::host_call([](Array) { return 2; }, ShapeDtype({}, jnp::float32), x).dtype(), jnp::float32);
}

TEST(HostCall, MayUseTheLibraryItself) {
  auto inner = jit([](Array v) { return jnp::sum(jnp::sin(v)); });
  auto f = jit([inner](Array v) { return lax::host_call([inner](Array u) { return inner(u); }, ShapeDtype({}, jnp::float32), v) * 2.0f; });
  const Array x = jnp::ones({100});
  EXPECT_NEAR(f(x).item(), 2 * inner(x).item(), 1e-4);
}

TEST(HostCall, PrintsAsJax) {
  auto host = [](Array v) { return v * 2.0f; };
  EXPECT_EQ(make_jaxpr([&](Array p) { return lax::host_call(host, ShapeDtype({}, jnp::float32), HostCallOptions{.name = "host"}, p); })(1.0).str(),
            R"({ lambda ; a:f32[]. let
    b:f32[] = pure_callback[
      callback=_FlatCallback(callback_func=<function host at 0xXXXXXXXXXXXX>, in_tree=PyTreeDef(((*,), {})))
      result_avals=(ShapedArray(float32[]),)
      sharding=None
      vmap_method=None
    ] a
  in (b,) })");
  auto io = [&](Array p) { return io_callback(host, ShapeDtype({}, jnp::float32), {.ordered = true, .name = "host"}, p); };
  const Jaxpr jaxpr = make_jaxpr(io)(1.0);
  EXPECT_EQ(jaxpr.str(), R"({ lambda ; a:f32[]. let
    b:f32[] = io_callback[
      callback=_FlatCallback(callback_func=<function host at 0xXXXXXXXXXXXX>, in_tree=PyTreeDef(((*,), {})))
      ordered=True
      result_avals=(ShapedArray(float32[]),)
      sharding=None
    ] a
  in (b,) })");
  EXPECT_EQ(jaxpr.effects(), Effects::ordered_io);
  const std::string text = jit(io).lower(1.0).as_text();
  EXPECT_NE(text.find("stablehlo.custom_call @tenon_host_call(%arg0) {"), std::string::npos) << text;
  EXPECT_NE(text.find("has_side_effect = true"), std::string::npos) << text;
  EXPECT_NE(jit(io).lower(1.0).compile().as_text().find("custom-call(%arg0.1), custom_call_target=\"tenon_host_call\", custom_call_has_side_effect=true"),
            std::string::npos) << jit(io).lower(1.0).compile().as_text();
  auto looks = [](Array p) {
    debug::callback([](Array) {}, p);
    return p * 2.0f;
  };
  EXPECT_EQ(make_jaxpr(grad(looks))(1.0).str(), R"({ lambda ; a:f32[]. let
    debug_callback[
      callback=<function debug_callback.<locals>._debug_callback.<locals>._flat_callback at 0xXXXXXXXXXXXX>
      effect=Debug
      partitioned=False
    ] a
    _:f32[] = mul a 2.0:f32[]
    b:f32[] = mul 1.0:f32[] 2.0:f32[]
  in (b,) })");
  EXPECT_EQ(make_jaxpr(looks)(1.0).effects(), Effects::debug);
}

TEST(Debug, LooksAtValuesWhereverTheyAre) {
  std::vector<float> seen;
  auto f = [&](Array x) {
    debug::callback([&](Array v) { seen.push_back(static_cast<float>(v.item())); }, x);
    return x * 2.0f;
  };
  const auto expect = [&](auto run, const std::vector<float>& want) {
    seen.clear();
    run();
    EXPECT_EQ(seen, want);
  };
  const Array x = jnp::float32(3), xs = jnp::array({1.f, 2.f});
  expect([&] { f(x); }, {3});
  expect([&] { jit(f)(x).block_until_ready(); }, {3});
  expect([&] { grad(f)(x).block_until_ready(); }, {3});
  expect([&] { jvp(f, std::tuple{x}, std::tuple{x}); }, {3});
  expect([&] { vmap(f)(xs).block_until_ready(); }, {1, 2});
  expect([&] { jit(vmap(f))(xs).block_until_ready(); }, {1, 2});
  expect([&] { jit([&](Array v) { f(v); return v; })(x).block_until_ready(); }, {3});
}

TEST(Debug, ErrorsNameTheLine) {
  auto bad = [](auto...) { throw std::runtime_error("no"); };
  const Array x = jnp::float32(1);
  int line = 0;
  const auto expect_line = [&](auto f) {
    for (const std::function<Array(Array)>& run : {std::function<Array(Array)>(f), std::function<Array(Array)>(jit(f))}) {
      std::string what;
      try {
        run(x).block_until_ready();
      } catch (const RuntimeError& error) {
        what = error.what();
      }
      const std::string want = "debug::callback: the function of the host threw: no (host_call_test.cpp:" + std::to_string(line) + ")";
      EXPECT_NE(what.find(want), std::string::npos) << what << "\nshould have\n" << want;
    }
  };
  expect_line([&](Array v) { line = __LINE__; debug::callback(bad); return v; });
  expect_line([&](Array v) { line = __LINE__; debug::callback(bad, v); return v; });
  expect_line([&](Array v) { line = __LINE__; debug::callback(bad, v, 1); return v; });
  expect_line([&](Array v) { line = __LINE__; debug::callback(bad, v, 1, v); return v; });
  expect_line([&](Array v) { line = __LINE__; debug::callback(bad, {.ordered = true}, v, v, v, v, v); return v; });
  EXPECT_THROW(effects_barrier(), RuntimeError);  // which has them too
}

TEST(EffectsBarrier, WaitsForProgramsWhoseResultsNobodyHas) {
  std::atomic<bool> go{false}, done{false};
  auto f = jit([&](Array x) {  // large enough to run beside this thread
    debug::callback([&](Array) {
      for (int i = 0; i < 5000 && !go; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      done = true;
    }, jnp::sum(jnp::sin(x)));
    return jnp::sin(x);
  });
  f(jnp::ones({1 << 21}));
  EXPECT_FALSE(done);
  go = true;
  effects_barrier();
  EXPECT_TRUE(done);
}

TEST(EffectsBarrier, ThrowsTheFirstErrorOnce) {
  int calls = 0;
  auto f = jit([&](Array x) {
    io_callback([&](Array v) {
      ++calls;
      if (v.item() > 0) throw std::invalid_argument("positive: " + std::to_string(static_cast<int>(v.item())));
      return v;
    }, x.aval(), x);
    return x * 2.0f;
  });
  for (float x : {-1.0f, 1.0f, 2.0f, -2.0f}) f(jnp::float32(x));
  EXPECT_ERROR_HAS(RuntimeError, effects_barrier(), "positive: 1");
  EXPECT_EQ(calls, 4);
  EXPECT_NO_THROW(effects_barrier());
}

TEST(EffectsBarrier, InsideOfAFunctionOfTheHostDoesNothing) {
  auto f = jit([](Array x) {
    debug::callback([](Array) { effects_barrier(); }, jnp::sum(x));
    return jnp::sin(x);
  });
  f(jnp::ones({1 << 21})).block_until_ready();
  f(jnp::ones({1 << 21})).block_until_ready();
}

TEST(Debug, PrintsLines) {
  KeepLines lines;
  auto f = [](Array x, Array y) {
    debug::print("x = {}, y = {} and {0} {{again}}", x, y);
    return x + 1.0f;
  };
  f(jnp::float32(1.5), jnp::array({1, 2}));
  jit(f)(jnp::float32(1.5), jnp::array({1, 2})).block_until_ready();
  EXPECT_EQ(g_lines, std::vector<std::string>(2, "x = 1.5, y = [1 2] and 1.5 {again}"));
  EXPECT_ERROR_HAS(ValueError, debug::print("{} {}", jnp::float32(1)), "debug::print: the format wants operand 1 of 1; got '{} {}'");
  EXPECT_ERROR_HAS(ValueError, debug::print("{x}", jnp::float32(1)), "braces hold nothing, or the number of an operand");
}

}  // namespace
}  // namespace tenon::test
