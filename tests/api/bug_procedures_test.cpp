// The cases of ../shared/bugs in the categories cache and async that are procedures. clcache-263-killed-while-writing is package.cache_kills.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>

#include "tenon/tenon.h"

namespace tenon {
namespace {

namespace fs = std::filesystem;

// Run one computation, then set the cache directory, then compile another: the directory has an entry.
TEST(BugProcedures, Jax25768CacheAfterFirstUse) {
  const fs::path directory = fs::temp_directory_path() / ("tenon_25768_" + std::to_string(::getpid()));
  jnp::zeros({4}).block_until_ready();
  config::update("compilation_cache_dir", directory.string());
  jit([](Array x) { return jnp::sin(x) + 1.0; })(jnp::zeros({2, 2})).block_until_ready();
  config::update("compilation_cache_dir", "");
  size_t files = 0;
  for (const auto& file : fs::directory_iterator(directory)) files += file.path().native().ends_with("-cache");
  EXPECT_GT(files, 0u);
  fs::remove_all(directory);
}

// 50 runs of a compiled loop of 100 steps, each of which calls back with a small array that the callback reads: all 5000 calls arrive, in order per run.
TEST(BugProcedures, Jax25861CallbackUnderAsync) {
  std::mutex mutex;
  std::vector<std::pair<int, float>> seen;
  const auto f = jit([&](Array x) {
    return lax::while_loop([](std::pair<Array, Array> c) { return c.first < 100; },
                           [&](std::pair<Array, Array> c) {
                             debug::callback([&](Array i, Array v) {
                               std::lock_guard lock(mutex);
                               seen.emplace_back(i.item<int>(), jnp::sum(v).item<float>());
                             }, c.first, c.second);
                             return std::pair{c.first + 1, c.second + 1.0};
                           }, std::pair{jnp::int32(0), x});
  });
  std::pair<Array, Array> result;
  for (int run = 0; run < 50; ++run) result = f(jnp::zeros({64}));
  block_until_ready(result);
  effects_barrier();
  ASSERT_EQ(seen.size(), 5000u);
  for (size_t k = 0; k < seen.size(); ++k) {
    ASSERT_EQ(seen[k].first, static_cast<int>(k % 100)) << k;
    ASSERT_EQ(seen[k].second, 64.0f * static_cast<float>(k % 100)) << k;
  }
}

}  // namespace
}  // namespace tenon
