#include "runtime/host_buffer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tenon/error.h"

namespace tenon::runtime {
namespace {

TEST(HostBuffer, CopiesInAndOut) {
  const std::vector<float> source = {1, 2, 3, 4, 5};
  auto buffer = HostBuffer::copy(Device(), source.data(), 20);
  EXPECT_TRUE(buffer->is_ready());
  EXPECT_EQ(buffer->size_bytes(), 20);
  EXPECT_EQ(buffer->host_data(), buffer->unsafe_pointer());
  std::vector<float> back(5);
  buffer->copy_to_host(back.data());
  EXPECT_EQ(back, source);
}

TEST(HostBuffer, OfNoBytes) {
  auto buffer = HostBuffer::copy(Device(), nullptr, 0);
  EXPECT_NE(buffer->host_data(), nullptr);
  buffer->copy_to_host(nullptr);
  EXPECT_EQ(HostBuffer::slice(*buffer, 0, 0)->size_bytes(), 0);
}

TEST(HostBuffer, AdoptedMemoryIsReleasedOnce) {
  static std::atomic<int> released{0};
  static char storage[64];
  released = 0;
  auto buffer = HostBuffer::adopt(Device(), storage, 64, {nullptr, [](void*) { ++released; }});
  EXPECT_EQ(buffer->host_data(), storage);
  auto part = HostBuffer::slice(*buffer, 16, 8);
  EXPECT_EQ(part->host_data(), storage + 16);
  EXPECT_EQ(buffer->donate().get(), nullptr);  // not ours to overwrite
  buffer = {};
  EXPECT_EQ(released, 0);
  part = {};
  EXPECT_EQ(released, 1);
}

TEST(HostBuffer, SlicesLieInside) {
  auto buffer = HostBuffer::allocate(Device(), 64);
  auto inner = HostBuffer::slice(*HostBuffer::slice(*buffer, 16, 32), 8, 8);
  EXPECT_EQ(static_cast<const char*>(inner->host_data()),
            static_cast<const char*>(buffer->host_data()) + 24);
  EXPECT_THROW(HostBuffer::slice(*buffer, 60, 5), InternalError);
  EXPECT_THROW(HostBuffer::slice(*buffer, -1, 5), InternalError);
  EXPECT_THROW(HostBuffer::slice(*buffer, INT64_MAX, INT64_MAX), InternalError);
}

TEST(HostBuffer, DeletedMeansAnErrorAndFreedMemory) {
  const int64_t live = Allocator::get().stats().live_bytes;
  auto buffer = HostBuffer::allocate(Device(), 1 << 20);
  Ref<HostMemory> in_flight = buffer->memory();
  buffer->mark_deleted();
  EXPECT_TRUE(buffer->is_deleted());
  EXPECT_EQ(buffer->unsafe_pointer(), nullptr);
  EXPECT_THROW(buffer->host_data(), RuntimeError);
  EXPECT_THROW(buffer->copy_to_host(nullptr), RuntimeError);
  EXPECT_THROW(buffer->donate(), RuntimeError);
  EXPECT_THROW(HostBuffer::slice(*buffer, 0, 1), RuntimeError);
  EXPECT_GT(Allocator::get().stats().live_bytes, live);  // a program still reads it
  in_flight = {};
  EXPECT_EQ(Allocator::get().stats().live_bytes, live);
  buffer->mark_deleted();
}

TEST(HostBuffer, DonationMovesTheMemory) {
  auto buffer = HostBuffer::allocate(Device(), 64);
  const void* address = buffer->host_data();
  auto view = HostBuffer::slice(*buffer, 0, 8);
  EXPECT_FALSE(buffer->donate());  // the view would see the new contents
  EXPECT_FALSE(buffer->is_deleted());
  view = {};
  Ref<HostMemory> memory = buffer->donate();
  ASSERT_TRUE(memory);
  EXPECT_TRUE(buffer->is_deleted());
  auto result = make_ref<HostBuffer>(Device(), memory);
  EXPECT_EQ(result->host_data(), address);
  EXPECT_THROW(buffer->donate(), RuntimeError);
}

TEST(HostBuffer, WaitsForItsCompletion) {
  auto completion = make_ref<Completion>();
  auto buffer = make_ref<HostBuffer>(Device(), make_ref<HostMemory>(8), completion);
  auto part = HostBuffer::slice(*buffer, 4, 4);
  EXPECT_FALSE(buffer->is_ready());
  std::thread producer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    static_cast<char*>(buffer->memory()->data())[4] = 42;
    completion->set_ready();
  });
  EXPECT_EQ(*static_cast<const char*>(part->host_data()), 42);
  EXPECT_TRUE(buffer->is_ready());
  producer.join();
}

TEST(HostBuffer, FailureIsThrownByEveryWait) {
  auto completion = make_ref<Completion>();
  auto buffer = make_ref<HostBuffer>(Device(), make_ref<HostMemory>(8), completion);
  completion->set_failed(std::make_exception_ptr(RuntimeError("sensor 7 is gone")));
  EXPECT_TRUE(buffer->is_ready());
  for (int i = 0; i < 3; ++i) {
    try {
      buffer->wait();
      FAIL();
    } catch (const RuntimeError& error) {
      EXPECT_STREQ(error.what(), "sensor 7 is gone");
    }
    EXPECT_THROW(buffer->host_data(), RuntimeError);
  }
}

std::atomic<int> g_unobserved{0};

TEST(Failure, UnobservedOnesReachTheHookOnce) {
  UnobservedErrorHook before =
      set_unobserved_error_hook([](const std::exception_ptr&) noexcept { ++g_unobserved; });
  {
    auto failure = make_ref<Failure>(std::make_exception_ptr(1));
    Completion first(failure), second(failure);
    failure = {};
  }
  EXPECT_EQ(g_unobserved, 1);
  {
    Completion seen(make_ref<Failure>(std::make_exception_ptr(1)));
    EXPECT_THROW(seen.wait(), int);
  }
  EXPECT_EQ(g_unobserved, 1);
  set_unobserved_error_hook(before);
}

}  // namespace
}  // namespace tenon::runtime
