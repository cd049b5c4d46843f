// Compiles small programs, one after the other, and tells what stays.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/allocator.h"
#include "runtime/dispatcher.h"
#include "support/code_memory.h"
#include "tenon/tenon.h"

namespace tenon::test {

inline void compile_small_programs(int count, int first) {
  for (int i = first; i < first + count; ++i) {
    const double k = i;
    auto f = jit([k](Array x) { return jnp::sin(x) * k + jnp::sum(x); });
    const std::vector<float> y = f(jnp::ones({8})).to_vector<float>();
    ASSERT_FLOAT_EQ(y[0], static_cast<float>(std::sin(1.0f) * k + 8.0)) << i;
  }
}

/// Code memory and live bytes return to where they were after a first part of these compiles; the heap does but for `heap_slack_bytes`.
inline void expect_nothing_stays(int count, int64_t heap_slack_bytes) {
  const auto settle = [] {
    runtime::Dispatcher::get().wait_idle();
    clear_caches();
    malloc_trim(0);
  };
  compile_small_programs(20, 0);  // tables that are made once
  settle();
  const int64_t code = code_memory_bytes(), live = runtime::Allocator::get().stats().live_bytes, heap = heap_bytes();
  compile_small_programs(count, 20);
  settle();
  EXPECT_EQ(code_memory_bytes(), code);
  EXPECT_EQ(runtime::Allocator::get().stats().live_bytes, live);
  EXPECT_LT(heap_bytes() - heap, heap_slack_bytes) << "of " << count << " compiles";
}

}  // namespace tenon::test
