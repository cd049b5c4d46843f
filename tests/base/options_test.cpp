// Options: defaults, update, scopes, environment, errors.
#include "base/options.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <thread>

#include "support/expect_error.h"
#include "tenon/config.h"
#include "tenon/error.h"

namespace tenon {
namespace {

TEST(Options, HaveDefaults) {
  EXPECT_FALSE(options().enable_x64);
  EXPECT_EQ(options().default_backend, "cpu");
  EXPECT_EQ(options().bisect_limit, -1);
}

// docs/options.md has a row for each option, in the order of the list, with its default and its words.
TEST(Options, AreDocumented) {
  std::ifstream page(TENON_TEST_DATA "/../docs/options.md");
  ASSERT_TRUE(page);
  std::vector<std::string> rows;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| `")) rows.push_back(line);
  }
  std::vector<std::string> expected;
  const auto row = [&](std::string_view name, std::string_view value, std::string_view what) {
    std::string line = "| `" + std::string(name) + "` | `" + std::string(value) + "` | " + std::string(what) + " |";
    expected.push_back(line);
  };
#define TENON_OPTION(type, name, value, what) row(#name, #value, what);
#include "base/options.inc"
#undef TENON_OPTION
  EXPECT_EQ(rows, expected);
}

TEST(Config, ScopesMayEndInAnyOrder) {
  auto outer = std::make_unique<config::Scope>(std::initializer_list<config::Setting>{{"bisect_limit", 1}});
  auto inner = std::make_unique<config::Scope>(std::initializer_list<config::Setting>{{"bisect_limit", 2}});
  outer.reset();
  EXPECT_EQ(options().bisect_limit, 2);
  inner.reset();
  EXPECT_EQ(options().bisect_limit, -1);
  auto other = std::make_unique<config::Scope>(std::initializer_list<config::Setting>{{"bisect_limit", 3}});
  std::thread([&] { other.reset(); }).join();  // its values stay in force here until the next scope ends
  { config::Scope next({{"bisect_limit", 4}}); }
  EXPECT_EQ(options().bisect_limit, -1);
}

TEST(Config, UpdateHoldsForTheProcess) {
  config::update("bisect_limit", 7);
  EXPECT_EQ(options().bisect_limit, 7);
  std::thread([] { EXPECT_EQ(options().bisect_limit, 7); }).join();
  config::update("bisect_limit", -1);
  config::update("persistent_cache_min_compile_time_secs", 2);  // an integer is a number
  EXPECT_EQ(options().persistent_cache_min_compile_time_secs, 2.0);
  config::update("persistent_cache_min_compile_time_secs", 0.0);
}

TEST(Config, ScopesHoldForTheThreadAndNest) {
  {
    config::Scope outer({{"disable_passes", "fusion"}, {"enable_x64", true}});
    EXPECT_EQ(options().disable_passes, "fusion");
    {
      config::Scope inner({{"disable_passes", std::string("fold")}});
      EXPECT_EQ(options().disable_passes, "fold");
      EXPECT_TRUE(options().enable_x64);
      std::thread([] { EXPECT_EQ(options().disable_passes, ""); }).join();
    }
    EXPECT_EQ(options().disable_passes, "fusion");
  }
  EXPECT_EQ(options().disable_passes, "");
  EXPECT_FALSE(options().enable_x64);
}

TEST(Config, ABadScopeChangesNothing) {
  EXPECT_THROW(config::Scope({{"enable_x64", true}, {"no_such", 1}}), ValueError);
  EXPECT_FALSE(options().enable_x64);
}

TEST(Config, SaysWhatIsWrong) {
  EXPECT_ERROR_HAS(ValueError, (config::update("enable_x46", true), 0),
                   "config: there is no option called 'enable_x46'; options are: enable_x64 default_backend");
  EXPECT_ERROR(TypeError, (config::update("enable_x64", "yes"), 0), "config: option enable_x64 is a bool; got 'yes'");
  EXPECT_ERROR(TypeError, (config::update("bisect_limit", 1.5), 0), "config: option bisect_limit is an integer; got 1.5");
  EXPECT_ERROR(TypeError, (config::update("bisect_limit", true), 0), "config: option bisect_limit is an integer; got True");
  EXPECT_ERROR(TypeError, (config::update("dump_to", 3), 0), "config: option dump_to is a string; got 3");
  EXPECT_ERROR(ValueError, (config::update("stream_min_bytes", -5), 0), "config: option stream_min_bytes is a size in bytes, 0 or more; got -5");
  EXPECT_THROW(config::Scope({{"enable_x64", true}, {"stream_min_bytes", -1}}), ValueError);
  EXPECT_FALSE(options().enable_x64);
  EXPECT_EQ(options().stream_min_bytes, 1 << 20);
  EXPECT_ERROR(TypeError, (config::update("persistent_cache_min_compile_time_secs", "1"), 0),
               "config: option persistent_cache_min_compile_time_secs is a number; got '1'");
}

// The environment is read when the process first asks; so a new process asks.
TEST(Options, ComeFromTheEnvironment) {
  if (const char* asked = std::getenv("OPTIONS_TEST_CHILD")) {
    bool malformed = std::string_view(asked) == "malformed";
    EXPECT_EQ(options().enable_x64, !malformed);
    EXPECT_EQ(options().bisect_limit, malformed ? -1 : 12);
    EXPECT_EQ(options().persistent_cache_min_compile_time_secs, malformed ? 0 : 0.5);
    EXPECT_EQ(options().dump_to, "/some dir");
    EXPECT_EQ(options().stream_min_bytes, malformed ? 1 << 20 : 0);
    return;
  }
  auto child = [](std::vector<std::string> environment) {
    pid_t pid = ::fork();
    if (pid == 0) {
      environment.push_back("TENON_DUMP_TO=/some dir");
      std::vector<char*> envp;
      for (std::string& e : environment) envp.push_back(e.data());
      envp.push_back(nullptr);
      char name[] = "test_base", filter[] = "--gtest_filter=Options.ComeFromTheEnvironment";
      char* argv[] = {name, filter, nullptr};
      ::execve("/proc/self/exe", argv, envp.data());
      ::_exit(99);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  testing::internal::CaptureStdout();
  int good = child({"OPTIONS_TEST_CHILD=good", "TENON_ENABLE_X64=1", "TENON_BISECT_LIMIT=12", "TENON_STREAM_MIN_BYTES=0", "TENON_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS=0.5"});
  int malformed = child({"OPTIONS_TEST_CHILD=malformed", "TENON_ENABLE_X64=yes", "TENON_BISECT_LIMIT=12x", "TENON_STREAM_MIN_BYTES=-5", "TENON_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS="});
  std::string output = testing::internal::GetCapturedStdout();
  EXPECT_EQ(good, 0) << output;
  EXPECT_EQ(malformed, 0) << output;
}

}  // namespace
}  // namespace tenon
