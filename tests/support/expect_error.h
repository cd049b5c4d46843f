// EXPECT_ERROR(ShapeError, expression, "sentence"): the type and the whole message but for " (test.cpp:12)".
// EXPECT_ERROR_HAS: a part of the message.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tenon {

/// The message without " (test.cpp:12)" at its end.
inline std::string without_line(const std::string& message) {
  const size_t open = message.rfind(" (");
  const bool is_line = open != message.npos && message.back() == ')' && message.find(".cpp:", open) != message.npos;
  return is_line ? message.substr(0, open) : message;
}

}  // namespace tenon

#define TENON_EXPECT_ERROR(E, statement, matcher)                            \
  do {                                                                       \
    try {                                                                    \
      (void)(statement);                                                     \
      ADD_FAILURE() << "expected " #E " from " #statement;                   \
    } catch (const E& error) {                                               \
      EXPECT_THAT(::tenon::without_line(error.what()), matcher);             \
    } catch (const std::exception& error) {                                  \
      ADD_FAILURE() << "expected " #E "; got another: " << error.what();     \
    }                                                                        \
  } while (false)
#define EXPECT_ERROR(E, statement, message) TENON_EXPECT_ERROR(E, statement, ::testing::StrEq(message))
#define EXPECT_ERROR_HAS(E, statement, part) TENON_EXPECT_ERROR(E, statement, ::testing::HasSubstr(part))
