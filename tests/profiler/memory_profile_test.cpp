#include "profiler/memory_profile.h"

#include <gtest/gtest.h>

#include "profiler/pprof.pb.h"
#include "profiler/unzip.h"

namespace tenon::profiler {
namespace {

TEST(MemoryProfile, IsAPprofProfileWithStacks) {
  const Frame main{"main", "main.cpp", 3}, f{"f", "f.cpp", 12};
  pprof::Profile profile;
  ASSERT_TRUE(profile.ParseFromString(unzip(memory_profile_gz({{{f, main}, "buffer", "cpu:0", 2, 100, 300}, {{main}, "executable", "", 1, 50, 50}}))));
  const auto text = [&](int64_t i) { return profile.string_table(static_cast<int>(i)); };
  EXPECT_EQ(text(0), "");
  ASSERT_EQ(profile.sample_type_size(), 3);
  EXPECT_EQ(text(profile.sample_type(1).type()), "space");
  EXPECT_EQ(text(profile.sample_type(1).unit()), "bytes");
  EXPECT_EQ(text(profile.sample_type(2).type()), "peak_space");
  ASSERT_EQ(profile.sample_size(), 2);
  const pprof::Sample& sample = profile.sample(0);
  EXPECT_EQ(sample.value(0), 2);
  EXPECT_EQ(sample.value(1), 100);
  EXPECT_EQ(sample.value(2), 300);
  ASSERT_EQ(sample.location_id_size(), 2);
  EXPECT_EQ(sample.location_id(1), profile.sample(1).location_id(0));  // a place is there once
  const pprof::Location& place = profile.location(static_cast<int>(sample.location_id(0)) - 1);
  EXPECT_EQ(place.id(), sample.location_id(0));
  EXPECT_EQ(place.line(0).line(), 12);
  const pprof::Function& function = profile.function(static_cast<int>(place.line(0).function_id()) - 1);
  EXPECT_EQ(text(function.name()), "f");
  EXPECT_EQ(text(function.filename()), "f.cpp");
  EXPECT_EQ(text(sample.label(0).key()), "kind");
  EXPECT_EQ(text(sample.label(0).str()), "buffer");
}

}  // namespace
}  // namespace tenon::profiler
