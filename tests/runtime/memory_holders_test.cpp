// Holders of arrays: by the user's line, and for large ones by the stack.
#include "runtime/memory_holders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "base/site.h"
#include "runtime/host_memory.h"

namespace tenon::runtime {
namespace {

struct AtLine {
  explicit AtLine(std::source_location where) : where(where) { tenon::detail::t_site = &this->where; }
  ~AtLine() { tenon::detail::t_site = nullptr; }
  std::source_location where;
};

MemoryHolderState state_at(uint32_t line, bool with_stack = false) {
  MemoryHolderState sum{nullptr, {}, {}, 0, 0, 0};
  for (const MemoryHolderState& state : memory_holders()) {
    if (state.where.line() != line || std::string_view(state.where.file_name()) != __FILE__ || state.stack.empty() == with_stack) continue;
    sum.live_bytes += state.live_bytes, sum.live_count += state.live_count, sum.peak_bytes += state.peak_bytes;
    sum.stack = state.stack;
  }
  return sum;
}

[[gnu::noinline]] std::unique_ptr<HostMemory> make(int64_t bytes) { return std::make_unique<HostMemory>(bytes); }

TEST(MemoryHolders, CountWhatALineHolds) {
  const auto here = std::source_location::current();
  const AtLine line(here);
  auto a = make(1000), b = make(5000);
  EXPECT_EQ(state_at(here.line()).live_count, 2);
  EXPECT_GE(state_at(here.line()).live_bytes, 6000);
  b.reset();
  EXPECT_EQ(state_at(here.line()).live_count, 1);
  EXPECT_LT(state_at(here.line()).live_bytes, 5000);
  EXPECT_EQ(&memory_holder(10), &memory_holder(20));
}

TEST(MemoryHolders, LargeOnesAreToldApartByTheirStacks) {
  const auto here = std::source_location::current();
  const AtLine line(here);
  auto a = make(int64_t{4} << 20);
  EXPECT_EQ(state_at(here.line()).live_count, 0);
  const MemoryHolderState state = state_at(here.line(), true);
  EXPECT_EQ(state.live_count, 1);
  EXPECT_GE(state.stack.size(), 3u);
  const int64_t before = set_memory_stack_min_bytes(0);
  auto b = make(16);
  set_memory_stack_min_bytes(before);
  auto c = make(16);
  EXPECT_EQ(state_at(here.line(), true).live_count, 2);
  EXPECT_EQ(state_at(here.line()).live_count, 1);
}

TEST(MemoryHolders, RememberWhatWasHeldAtThePeak) {
  const auto first = std::source_location::current();
  std::unique_ptr<HostMemory> a, b;
  {
    const AtLine line(first);
    a = make(int64_t{64} << 20);
  }
  const auto second = std::source_location::current();
  {
    const AtLine line(second);
    b = make(int64_t{32} << 20);
  }
  a.reset(), b.reset();
  {
    const AtLine line(second);
    b = make(int64_t{48} << 20);  // less than both were
  }
  EXPECT_GE(state_at(first.line(), true).peak_bytes, int64_t{64} << 20);
  EXPECT_EQ(state_at(first.line(), true).live_bytes, 0);
  EXPECT_GE(state_at(second.line(), true).peak_bytes, int64_t{32} << 20);
  EXPECT_LT(state_at(second.line(), true).peak_bytes, int64_t{40} << 20);
  EXPECT_GE(state_at(second.line(), true).live_bytes, int64_t{48} << 20);
}

TEST(MemoryHolders, NamedOnesAreOne) {
  EXPECT_EQ(&named_memory_holder("of a test"), &named_memory_holder("of a test"));
  EXPECT_NE(&named_memory_holder("of a test"), &memory_holder(1));
}

}  // namespace
}  // namespace tenon::runtime
