// A small entry of the persistent cache, cut off at every byte and with every bit flipped: never a wrong answer.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tenon/tenon.h"

namespace tenon {
namespace {

namespace fs = std::filesystem;

TEST(PersistentCacheNightly, EveryCutAndEveryFlip) {
  const fs::path directory = fs::temp_directory_path() / ("tenon_cache_nightly_" + std::to_string(::getpid()));
  fs::remove_all(directory);
  const config::Scope scope({{"compilation_cache_dir", directory.string()}});
  const auto run = [] {
    double one = 1;
    return jit([one](Array a) { return a + one; }, {.name = "f"})(jnp::arange(5.0)).to_vector<float>();
  };
  const std::vector<float> want{1, 2, 3, 4, 5};
  ASSERT_EQ(run(), want);
  fs::path path;
  for (const auto& file : fs::directory_iterator(directory))
    if (file.path().native().find("jit_f-") != std::string::npos) path = file.path();
  std::ifstream in(path, std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  ASSERT_GT(good.size(), 500u);
  int64_t warnings = 0;
  const auto try_bytes = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    const logging::Capture log("tenon.compiler", logging::Level::warning);
    ASSERT_EQ(run(), want);
    warnings += static_cast<int64_t>(log.messages().size());
  };
  for (size_t size = 0; size < good.size(); ++size) ASSERT_NO_FATAL_FAILURE(try_bytes(good.substr(0, size))) << size;
  for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string flipped = good;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    ASSERT_NO_FATAL_FAILURE(try_bytes(flipped)) << bit;
  }
  EXPECT_EQ(warnings, static_cast<int64_t>(9 * good.size()));
  fs::remove_all(directory);
}

}  // namespace
}  // namespace tenon
