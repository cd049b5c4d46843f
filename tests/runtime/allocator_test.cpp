#include "runtime/allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "runtime/allocation_site.h"
#include "runtime/size_class.h"
#include "tenon/error.h"

namespace tenon::runtime {
namespace {

TEST(SizeClass, IsTheSmallestThatHolds) {
  EXPECT_EQ(size_class_of(0), 0);
  int64_t previous = 0;
  for (int c = 0; c < kSizeClasses; ++c) {
    const int64_t block = block_bytes_of(c);
    EXPECT_GT(block, previous);
    EXPECT_EQ(block % kAlignmentBytes, 0);
    EXPECT_EQ(size_class_of(block), c);
    EXPECT_EQ(size_class_of(previous + 1), c);
    if (previous >= 1024) EXPECT_LE(block, previous + previous / 8);
    previous = block;
  }
  EXPECT_EQ(previous, int64_t{1} << kMaxLog2Bytes);
}

TEST(Allocator, AlignsAndReusesWarmBlocks) {
  Allocator allocator;
  for (int64_t size : {int64_t{1}, int64_t{64}, int64_t{65}, int64_t{1000}, int64_t{100000},
                       kLargeBytes, 3 * kLargeBytes + 5}) {
    void* first = allocator.allocate(size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % kAlignmentBytes, 0u) << size;
    if (size >= kLargeBytes) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % kLargeBytes, 0u) << size;
    }
    std::memset(first, 1, size);
    allocator.deallocate(first, size);
    void* second = allocator.allocate(size);
    EXPECT_EQ(first, second) << size;
    allocator.deallocate(second, size);
  }
  EXPECT_EQ(allocator.stats().live_bytes, 0);
}

TEST(Allocator, NothingHasAnAddress) {
  Allocator allocator;
  void* nothing = allocator.allocate(0);
  EXPECT_NE(nothing, nullptr);
  allocator.deallocate(nothing, 0);
  EXPECT_EQ(allocator.stats().live_bytes, 0);
}

TEST(Allocator, CountsLivePeakAndCached) {
  Allocator allocator;
  AllocationSite site("test");
  void* a = allocator.allocate(int64_t{1} << 20, &site);
  void* b = allocator.allocate(int64_t{1} << 20, &site);
  EXPECT_EQ(allocator.stats().live_bytes, 2 << 20);
  EXPECT_EQ(site.live_bytes.load(), 2 << 20);
  allocator.deallocate(a, int64_t{1} << 20, &site);
  AllocatorStats stats = allocator.stats();
  EXPECT_EQ(stats.live_bytes, 1 << 20);
  EXPECT_EQ(stats.peak_bytes, 2 << 20);
  EXPECT_EQ(stats.cached_bytes, 1 << 20);
  EXPECT_EQ(stats.system_allocations, 2);
  EXPECT_EQ(site.peak_bytes.load(), 2 << 20);
  EXPECT_EQ(site.allocations.load(), 2);
  EXPECT_EQ(allocator.release_cached(), 1 << 20);
  EXPECT_EQ(allocator.stats().cached_bytes, 0);
  allocator.deallocate(b, int64_t{1} << 20, &site);
  allocator.reset_peak();
  EXPECT_EQ(allocator.stats().peak_bytes, 0);
}

TEST(Allocator, CachedBytesAreBounded) {
  Allocator allocator({.max_cached_bytes = 10 << 20});
  std::vector<void*> blocks;
  for (int i = 0; i < 20; ++i) blocks.push_back(allocator.allocate(int64_t{1} << 20));
  for (void* block : blocks) allocator.deallocate(block, int64_t{1} << 20);
  EXPECT_LE(allocator.stats().cached_bytes, 10 << 20);
  EXPECT_GE(allocator.stats().cached_bytes, 9 << 20);
  // A block larger than all that may be cached goes straight back.
  allocator.deallocate(allocator.allocate(int64_t{100} << 20), int64_t{100} << 20);
  EXPECT_LE(allocator.stats().cached_bytes, 10 << 20);
  // Small blocks are bounded by their class.
  blocks.clear();
  for (int i = 0; i < 100000; ++i) blocks.push_back(allocator.allocate(64));
  for (void* block : blocks) allocator.deallocate(block, 64);
  EXPECT_LE(allocator.stats().cached_bytes, (10 << 20) + (1 << 20));
  allocator.set_max_cached_bytes(1 << 20);
  EXPECT_LE(allocator.stats().cached_bytes, 2 << 20);
}

TEST(Allocator, LimitIsATypedErrorThatNamesTheFigures) {
  Allocator allocator({.limit_bytes = 1 << 20});
  Allocation held(512 << 10, nullptr, allocator);
  try {
    Allocation more(600 << 10, nullptr, allocator);
    FAIL();
  } catch (const OutOfMemoryError& error) {
    EXPECT_STREQ(error.what(),
                 "allocate: out of memory; got a request for 614400 bytes with 524288 bytes of "
                 "1048576 bytes in use; free arrays, or raise the limit");
  }
  Allocation fits(400 << 10, nullptr, allocator);
  EXPECT_LE(allocator.stats().live_bytes, 1 << 20);
}

TEST(Allocator, CachedBlocksMakeRoomBelowTheLimit) {
  Allocator allocator({.limit_bytes = 10 << 20, .max_cached_bytes = 10 << 20});
  allocator.deallocate(allocator.allocate(8 << 20), 8 << 20);
  Allocation other(7 << 20, nullptr, allocator);  // a different class
  EXPECT_EQ(allocator.stats().cached_bytes, 0);
}

TEST(Allocator, AbsurdSizesAreErrors) {
  Allocator& allocator = Allocator::get();
  for (int64_t size : {int64_t{-1}, int64_t{1} << 40, int64_t{1} << 46, int64_t{1} << 62,
                       std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}) {
    EXPECT_THROW(allocator.allocate(size), OutOfMemoryError) << size;
  }
}

TEST(Allocator, InjectedFailures) {
  Allocator allocator;
  for (int n = 1; n <= 3; ++n) {
    allocator.fail_nth(n);
    for (int i = 1; i <= 5; ++i) {
      if (i == n) {
        EXPECT_THROW(allocator.allocate(64), OutOfMemoryError);
      } else {
        allocator.deallocate(allocator.allocate(64), 64);
      }
    }
  }
  allocator.fail_nth(2, true);
  allocator.deallocate(allocator.allocate(64), 64);
  for (int i = 0; i < 3; ++i) EXPECT_THROW(allocator.allocate(64), OutOfMemoryError);
  allocator.fail_nth(0);
  allocator.deallocate(allocator.allocate(64), 64);
  EXPECT_EQ(allocator.stats().live_bytes, 0);
}

TEST(Allocator, ManyThreads) {
  Allocator allocator({.max_cached_bytes = 4 << 20});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      std::vector<std::pair<unsigned char*, int64_t>> held;
      for (int i = 0; i < 5000; ++i) {
        if (held.size() < 20 && random() % 2 == 0) {
          const int64_t size = 1 + (int64_t{1} << (random() % 22)) * (random() % 4) / 3;
          auto* block = static_cast<unsigned char*>(allocator.allocate(size));
          block[0] = block[size - 1] = static_cast<unsigned char>(t);
          held.push_back({block, size});
        } else if (!held.empty()) {
          std::swap(held[random() % held.size()], held.back());
          auto [block, size] = held.back();
          held.pop_back();
          EXPECT_EQ(block[0], t);
          EXPECT_EQ(block[size - 1], t);
          allocator.deallocate(block, size);
        }
      }
      for (auto [block, size] : held) allocator.deallocate(block, size);
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(allocator.stats().live_bytes, 0);
  EXPECT_LE(allocator.stats().cached_bytes, int64_t{64} << 20);
}

TEST(Allocator, MovesOwnership) {
  Allocator allocator;
  Allocation a(100, nullptr, allocator);
  void* data = a.data();
  Allocation b = std::move(a);
  EXPECT_EQ(b.data(), data);
  EXPECT_EQ(a.data(), nullptr);
  b = Allocation(200, nullptr, allocator);
  b.reset();
  EXPECT_EQ(allocator.stats().live_bytes, 0);
}

}  // namespace
}  // namespace tenon::runtime
