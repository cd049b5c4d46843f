// Messages go to captures and to the host's sink, and nowhere else.
#include "tenon/logging.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/log.h"

namespace tenon {
namespace {

using logging::Capture;
using logging::Level;
using Messages = std::vector<std::string>;

TEST(Capture, HearsItsLoggerAndItsChildren) {
  Capture capture("tenon.compiler", Level::info);
  detail::log("tenon.compiler", Level::info, "a ", 1);
  detail::log("tenon.compiler.cache", Level::error, "b");
  detail::log("tenon.compilers", Level::error, "not a child");
  detail::log("tenon", Level::error, "the parent");
  detail::log("tenon.compiler", Level::debug, "too quiet");
  EXPECT_EQ(capture.messages(), (Messages{"a 1", "b"}));
}

TEST(Capture, HearsAllThreads) {
  Capture capture("tenon", Level::debug);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 100; ++i) detail::log("tenon.x", Level::debug, i);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(capture.messages().size(), 400u);
}

TEST(Capture, CapturesAreIndependent) {
  Capture outer("tenon", Level::warning);
  {
    Capture inner("tenon", Level::debug);
    detail::log("tenon", Level::info, "x");
    EXPECT_EQ(inner.messages(), Messages{"x"});
  }
  detail::log("tenon", Level::warning, "y");
  EXPECT_EQ(outer.messages(), Messages{"y"});
}

TEST(Log, DoesNotMakeTheMessageWhenNobodyListens) {
  EXPECT_FALSE(detail::log_enabled("tenon", Level::error));
  Capture capture("other", Level::debug);
  EXPECT_FALSE(detail::log_enabled("tenon", Level::error));
  EXPECT_TRUE(detail::log_enabled("other", Level::debug));
}

TEST(Sink, ReceivesFromItsLevelOn) {
  Messages heard;
  logging::set_sink(
      [](void* context, Level level, std::string_view logger, std::string_view message) {
        static_cast<Messages*>(context)->push_back(std::string(logger) + "|" + std::string(message) + "|" + std::to_string(int(level)));
      },
      &heard, Level::warning);
  detail::log("tenon.a", Level::info, "no");
  detail::log("tenon.a", Level::warning, "yes");
  logging::set_sink(nullptr, nullptr);
  detail::log("tenon.a", Level::error, "gone");
  EXPECT_EQ(heard, Messages{"tenon.a|yes|2"});
  EXPECT_FALSE(detail::log_enabled("tenon", Level::error));
}

TEST(Sink, MayLogAndReplaceItself) {
  int calls = 0;
  logging::set_sink(
      [](void* context, Level, std::string_view, std::string_view) {
        ++*static_cast<int*>(context);
        detail::log("tenon", Level::error, "from the sink");
        logging::set_sink(nullptr, nullptr);
      },
      &calls);
  Capture capture("tenon", Level::info);
  detail::log("tenon", Level::error, "x");
  detail::log("tenon", Level::error, "y");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(capture.messages(), (Messages{"x", "from the sink", "y"}));
}

}  // namespace
}  // namespace tenon
