// Compiled programs on disk: what hits, what misses, and what becomes of bad files.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "support/random_array.h"
#include "tenon/testkit.h"

namespace tenon {
namespace {

namespace fs = std::filesystem;
using test::normal;

class PersistentCache : public testing::Test {
 protected:
  PersistentCache() : directory_(fs::temp_directory_path() / ("tenon_cache_test_" + std::to_string(::getpid()))) { fs::remove_all(directory_); }
  ~PersistentCache() override { fs::remove_all(directory_); }

  std::vector<fs::path> entries() const {
    std::vector<fs::path> files;
    if (fs::exists(directory_))
      for (const auto& file : fs::directory_iterator(directory_))
        if (file.path().native().ends_with("-cache")) files.push_back(file.path());
    return files;
  }

  /// f(args...) of a new jitted function, with the cache; how it came to be: "hit", "miss", with "+warning".
  template <class F, class... A>
  auto run(std::string& how, F f, const JitOptions& options, const A&... args) {
    const config::Scope scope({{"compilation_cache_dir", directory_.string()}});
    const logging::Capture log("tenon.compiler", logging::Level::debug);
    auto result = jit([f](A... xs) { return f(xs...); }, options)(args...);
    for (const Array& x : tree::leaves(result)) x.block_until_ready();
    how.clear();
    for (const std::string& message : log.messages()) {
      if (message.find("PERSISTENT COMPILATION CACHE MISS for 'jit_") != std::string::npos) how += "miss";
      if (message.find("Persistent compilation cache hit for 'jit_") != std::string::npos) how += "hit";
      if (message.starts_with("Error ")) how += "warning ";
    }
    return result;
  }

  template <class F, class... A>
  void expect_saved(const char* name, F f, const A&... args) {
    SCOPED_TRACE(name);
    std::string how;
    const auto expected = tree::leaves(run(how, f, {.name = name}, args...));
    EXPECT_EQ(how, "miss");
    const auto got = tree::leaves(run(how, f, {.name = name}, args...));
    EXPECT_EQ(how, "hit");
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(got[i].aval(), expected[i].aval());
      const Array both_nan = jnp::logical_and(got[i] != got[i], expected[i] != expected[i]);
      EXPECT_TRUE(jnp::all(jnp::logical_or(got[i] == expected[i], both_nan)).template item<bool>());
    }
  }

  const fs::path directory_;
};

TEST_F(PersistentCache, HoldsProgramsOfAllKinds) {
  const Array x = normal(1, {40, 50}), y = normal(2, {50, 40});
  expect_saved("elements", [](Array a) { return jnp::sin(a) * 2.0f + 1.0f; }, x);
  expect_saved("products", [](Array a, Array b) { return nn::softmax(jnp::matmul(a, b)); }, x, y);
  expect_saved("sums", [](Array a) { return std::pair{jnp::sum(a, {.axis = 0}), jnp::argmax(a, {.axis = 1})}; }, x);
  expect_saved("sorted", [](Array a) { return std::pair{jnp::sort(a), jnp::cumsum(a, {.axis = 1})}; }, x);
  expect_saved("scattered", [](Array a) { return a.at(jnp::array({3, 1, 3})).add(1.0f); }, x);
  expect_saved("loops", [](Array a) { return lax::fori_loop(0, 10, [](Array i, Array t) { return jnp::sin(t) + i.astype(jnp::float32); }, a); }, x);
  expect_saved("branches", [](Array a) { return lax::cond(jnp::sum(a) > 0.0f, [](Array t) { return t + 1.0f; }, [](Array t) { return t * 2.0f; }, a); }, x);
  expect_saved("transformed", [](Array a) { return jnp::fft::fft(a); }, x);
  expect_saved("random", [](Array a) { return a + random::normal(random::key(7), {40, 50}); }, x);
  expect_saved("constants", [](Array a) { return jnp::where(a > 0.0f, std::numeric_limits<float>::quiet_NaN(), jnp::arange(50, jnp::float32) * 0.1f); }, x);
  expect_saved("nothing", [](Array a) { return a; }, x);
  expect_saved("empty", [](Array a) { return a * 2.0f; }, jnp::ones({0, 3}));
  expect_saved("called", [](Array a) {
    return lax::host_call([](Array t) -> Array { return t * 3.0f; }, a.aval(), a) + 1.0f;
  }, x);
  const Array q = normal(3, {6, 256, 64}), k = normal(4, {6, 256, 64}), v = normal(5, {6, 256, 64});
  expect_saved("streams", [](Array a, Array b, Array c) {
    return lax::dot_general(nn::softmax(lax::dot_general(a, b, {{2}, {2}, {0}, {0}})), c, {{2}, {1}, {0}, {0}});
  }, q, k, v);
}

// Large captured arrays are not in the file; what they hold is in the key.
TEST_F(PersistentCache, OfProgramsThatCapture) {
  const Array x = normal(1, {512, 512}), ones = jnp::ones({512, 512});
  const auto with = [&](const Array& captured) { return [=](Array a) { return jnp::matmul(a, captured) + captured(3, 4); }; };
  std::string how;
  const Array expected = run(how, with(x), {.name = "f"}, ones);
  EXPECT_EQ(how, "miss");
  EXPECT_LT(fs::file_size(entries()[0]), static_cast<uintmax_t>(64 << 10));
  EXPECT_TRUE(jnp::array_equal(run(how, with(x + 0.0f), {.name = "f"}, ones), expected).item<bool>());
  EXPECT_EQ(how, "hit");
  const Array other = run(how, with(x + 1.0f), {.name = "f"}, ones);
  EXPECT_EQ(how, "miss");
  EXPECT_TRUE(jnp::allclose(other, expected + 513.0f, 1e-4, 1e-2).item<bool>());
  const Array turns = x.astype(jnp::complex64), mask = x > 0.0f;
  expect_saved("complex", [=](Array a) { return std::pair{a, turns + turns}; }, ones);
  expect_saved("bools", [=](Array a) { return jnp::where(mask, a, 0.0f); }, ones);
}

TEST_F(PersistentCache, EachPartOfTheKeyCounts) {
  const Array x = normal(1, {64, 64});
  const auto f = [](Array a) { return jnp::sin(a) + 1.0f; };
  std::string how;
  const auto is_new = [&](const char* what, const JitOptions& options, const Array& argument) {
    SCOPED_TRACE(what);
    run(how, f, options, argument);
    EXPECT_EQ(how, "miss");
    run(how, f, options, argument);
    EXPECT_EQ(how, "hit");
  };
  is_new("plain", {.name = "f"}, x);
  is_new("shape", {.name = "f"}, normal(1, {64, 65}));
  is_new("dtype", {.name = "f"}, x.astype(jnp::float16));
  is_new("option", {.name = "f", .compile_options = {.config = {{"disable_passes", "fusion"}}}}, x);
  is_new("instruction set", {.name = "f", .compile_options = {.config = {{"cpu_target", "baseline"}}}}, x);
  is_new("limit", {.name = "f", .compile_options = {.max_bytes = 1 << 20}}, x);
  is_new("layout", {.name = "f", .in_formats = {Format{Layout{{1, 0}}}}}, x);
  is_new("layout of the result", {.name = "f", .out_formats = {Format{Layout{{1, 0}}}}}, x);
  is_new("another option", {.name = "f", .compile_options = {.config = {{"stream_min_bytes", 0}}}}, x);
  {  // scratch grows with the threads
    const config::Scope more({{"num_threads", 7}});
    run(how, f, {.name = "f", .compile_options = {.max_bytes = 1 << 20}}, x);
    EXPECT_EQ(how, "miss");
  }
  run(how, f, {.name = "f", .donate_argnums = {0}}, x + 0.0f);
  EXPECT_EQ(how, "miss");
  run(how, [](Array a) { return jnp::cos(a) + 1.0f; }, {.name = "f"}, x);
  EXPECT_EQ(how, "miss");
  run(how, [](Array a) { return jnp::sin(a) + 1.0f; }, {.name = "another"}, x);  // another name and line
  EXPECT_EQ(how, "hit");
}

TEST_F(PersistentCache, BadFilesAreCompiledAnew) {
  const Array x = normal(1, {5});
  const auto f = [](Array a) { return a + 1.0f; };
  std::string how;
  const Array expected = run(how, f, {.name = "f"}, x);
  const fs::path path = entries().at(0);
  std::ifstream in(path, std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  const auto expect_recovery = [&](const std::string& bytes, const std::string& expected_how) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    EXPECT_TRUE(jnp::array_equal(run(how, f, {.name = "f"}, x), expected).item<bool>());
    EXPECT_EQ(how, expected_how);
    std::ifstream again(path, std::ios::binary);
    EXPECT_TRUE(std::string((std::istreambuf_iterator<char>(again)), {}) == good || fs::file_size(path) > 100);  // written anew
  };
  expect_recovery(good, "hit");
  for (size_t size = 0; size < good.size(); size += 1 + good.size() / 60) expect_recovery(good.substr(0, size), "warning miss");
  for (size_t at = 0; at < good.size(); at += 1 + good.size() / 60) {
    std::string flipped = good;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    expect_recovery(flipped, "warning miss");
  }
  expect_recovery(good + "x", "warning miss");
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_TRUE(jnp::array_equal(run(how, f, {.name = "f"}, x), expected).item<bool>());
  EXPECT_EQ(how, "warning misswarning ");  // neither read nor replaced
}

TEST_F(PersistentCache, DirectoriesThatCannotBe) {
  std::ofstream(directory_) << "a file";
  std::string how;
  const Array x = normal(1, {5});
  EXPECT_TRUE(jnp::array_equal(run(how, [](Array a) { return a + 1.0f; }, {.name = "f"}, x), x + 1.0f).item<bool>());
  EXPECT_EQ(how, "misswarning ");
}

TEST_F(PersistentCache, WritesWhatIsWorthIt) {
  const Array x = normal(1, {5});
  std::string how;
  {
    const config::Scope scope({{"persistent_cache_min_compile_time_secs", 1000.0}});
    run(how, [](Array a) { return a + 1.0f; }, {.name = "f"}, x);
    EXPECT_EQ(entries().size(), 0U);
  }
  {
    const config::Scope scope({{"persistent_cache_min_entry_size_bytes", 100 << 20}});
    run(how, [](Array a) { return a + 2.0f; }, {.name = "f"}, x);
    EXPECT_EQ(entries().size(), 0U);
  }
  run(how, [](Array a) { return a + 3.0f; }, {.name = "f"}, x);
  ASSERT_EQ(entries().size(), 1U);
  const config::Scope scope({{"compilation_cache_max_size", static_cast<int64_t>(fs::file_size(entries()[0])) * 5 / 2}});
  for (int i = 0; i < 6; ++i) {
    run(how, [i](Array a) { return a * static_cast<float>(i + 2); }, {.name = "g"}, x);
    EXPECT_LE(entries().size(), 2U);
  }
  run(how, [](Array a) { return a * 7.0f; }, {.name = "g"}, x);  // the youngest is there
  EXPECT_EQ(how, "hit");
}

TEST_F(PersistentCache, IsReadFasterThanCompiled) {
  const Array x = normal(1, {64, 64});
  const auto f = [](Array a) {
    for (int i = 0; i < 10; ++i) a = jnp::tanh(jnp::matmul(a, a)) + 0.1f;
    return a;
  };
  const auto seconds = [&] {
    const auto lowered = jit([f](Array a) { return f(a); }, {.name = "f"}).lower(x);
    const auto start = std::chrono::steady_clock::now();
    lowered.compile();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  double compiled = 1e9, loaded = 1e9;
  for (int i = 0; i < 5; ++i) compiled = std::min(compiled, seconds());
  const config::Scope scope({{"compilation_cache_dir", directory_.string()}});
  seconds();
  for (int i = 0; i < 5; ++i) loaded = std::min(loaded, seconds());
  EXPECT_LT(loaded, compiled / 2) << loaded << " and " << compiled;
  RecordProperty("compiled_over_loaded", std::to_string(compiled / loaded));
}

}  // namespace
}  // namespace tenon
