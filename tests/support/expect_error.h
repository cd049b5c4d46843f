// EXPECT_ERROR(ShapeError, expression, "sentence"): the type and the whole message.
// EXPECT_ERROR_HAS: a part of the message.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#define TENON_EXPECT_ERROR(E, statement, matcher)                            \
  do {                                                                       \
    try {                                                                    \
      (void)(statement);                                                     \
      ADD_FAILURE() << "expected " #E " from " #statement;                   \
    } catch (const E& error) {                                               \
      EXPECT_THAT(error.what(), matcher);                                    \
    } catch (const std::exception& error) {                                  \
      ADD_FAILURE() << "expected " #E "; got another: " << error.what();     \
    }                                                                        \
  } while (false)
#define EXPECT_ERROR(E, statement, message) TENON_EXPECT_ERROR(E, statement, ::testing::StrEq(message))
#define EXPECT_ERROR_HAS(E, statement, part) TENON_EXPECT_ERROR(E, statement, ::testing::HasSubstr(part))
