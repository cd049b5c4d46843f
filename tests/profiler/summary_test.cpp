// The five answers of a trace that was made by hand.
#include <gtest/gtest.h>

#include <string>

#include "profiler/xplane.h"
#include "tenon/profiler.h"

namespace tenon::profiler {
namespace {

const int kProgram = 0;

// Two runs of a program of two kernels, the first one half of the time; 20 us between them, in which `prepare` runs.
ProfileData example(std::string name = "prepare") {
  TakenTrace trace;
  trace.begin_ns = 1'000, trace.end_ns = 200'000;
  TakenThread user{10, "user", {}, 0}, dispatch{11, "dispatch", {}, 2};
  user.events.push_back({{EventKind::jit_call, 1'000, 30'000}, "f", 0});
  user.events.push_back({{EventKind::stage, 2'000, 3'000, "trace"}, "f", 0});
  user.events.push_back({{EventKind::stage, 6'000, 20'000, "compile"}, "f", 0});
  user.events.push_back({{EventKind::stage, 7'000, 10'000, "passes"}, "f", 0});
  user.events.push_back({{EventKind::copy, 40'000, 2'000, "copy_from_host", nullptr, 0, 2048}, "", 0});
  user.events.push_back({{EventKind::annotation, 95'000, 30'000}, std::move(name), 0});
  user.events.push_back({{EventKind::jit_call, 128'000, 1'000}, "f", 0});
  for (int64_t begin : {50'000, 120'000}) {
    dispatch.events.push_back({{EventKind::program, begin, 50'000, nullptr, &kProgram, 0}, "", 0});
    dispatch.events.push_back({{EventKind::kernel, begin, 30'000, nullptr, &kProgram, 0}, "", 0});
    dispatch.events.push_back({{EventKind::gemm, begin + 30'000, 20'000, nullptr, &kProgram, 1}, "", 0});
    dispatch.events.push_back({{EventKind::gemm, begin + 31'000, 18'000, "gemm"}, "", 0});
  }
  trace.threads = {user, dispatch};
  Programs programs;
  programs[&kProgram] = {"jit_f", 5, {{"sine_fusion", "fusion", "jit(f)/sin", "f.cpp:12", 3e4, 0, 6e4, "memory", 15e-6}, {"dot.1", "dot", "jit(f)/dot_general", "f.cpp:13", 1e6, 0, 1e4, "compute", 20e-6}}};
  return ProfileData::from_bytes(xspace_bytes(NamedTrace(std::move(trace), std::move(programs)), "host"));
}

TEST(Summary, AnswersTheFiveQuestions) {
  const Summary s = summary(example());
  EXPECT_NEAR(s.seconds, 169e-6, 1e-9);
  EXPECT_NEAR(s.busy_seconds, 100e-6, 1e-9);
  EXPECT_NEAR(s.active_seconds, 120e-6, 1e-9);
  ASSERT_EQ(s.kernels.size(), 2u);
  EXPECT_EQ(s.kernels[0].name, "sine_fusion");
  EXPECT_EQ(s.kernels[0].module, "jit_f");
  EXPECT_EQ(s.kernels[0].source, "f.cpp:12");
  EXPECT_EQ(s.kernels[0].runs, 2);
  EXPECT_NEAR(s.kernels[0].seconds, 60e-6, 1e-9);
  EXPECT_NEAR(s.kernels[0].share, 0.6, 1e-6);
  EXPECT_EQ(s.kernels[0].flops, 6e4);
  EXPECT_NEAR(s.kernels[0].roofline_seconds, 30e-6, 1e-9);
  EXPECT_EQ(s.kernels[1].name, "dot.1");
  ASSERT_EQ(s.operations.size(), 2u);
  EXPECT_EQ(s.operations[1].op_name, "jit(f)/dot_general");
  EXPECT_NEAR(s.seconds_bound_by("memory"), 60e-6, 1e-9);
  EXPECT_NEAR(s.seconds_bound_by("compute"), 40e-6, 1e-9);
  ASSERT_EQ(s.gap_count, 1);
  EXPECT_NEAR(s.gaps[0].seconds, 20e-6, 1e-9);
  EXPECT_NEAR(s.idle_seconds, 20e-6, 1e-9);
  EXPECT_EQ(s.gaps[0].doing, "prepare (user/10)");
  ASSERT_EQ(s.transfers.size(), 1u);
  EXPECT_EQ(s.transfers[0].bytes, 2048);
  ASSERT_EQ(s.calls.size(), 1u);
  EXPECT_EQ(s.calls[0].calls, 2);
  EXPECT_EQ(s.calls[0].misses, 1);
  EXPECT_NEAR(s.calls[0].compile_seconds, 23e-6, 1e-9);
  EXPECT_EQ(s.dropped_events, 2);
}

TEST(Summary, SaysItInSentences) {
  const std::string text = summary(example()).str();
  for (const char* sentence :
       {"Kernels took 100.0 us of 169.0 us (59.2 % of the time some kernel ran). Most of it sine_fusion of jit_f: 60.0 %, 2 times, from f.cpp:12.",
        "Memory bounds most of it: by the roofline 60.0 % of the kernels' time is bound by memory, 40.0 % by arithmetic, 0.0 % by starting kernels.",
        "no kernel ran for 20.0 us (16.7 %) in 1 gap; the longest is 20.0 us, meanwhile: prepare (user/10).",
        "1 copy between host and device: 2.0 KiB in 2.0 us",
        "1 call had to be traced or compiled, in 23.0 us (13.6 % of the time).", "2 events were dropped", "dot.1"})
    EXPECT_NE(text.find(sentence), std::string::npos) << sentence << "\nin\n" << text;
}

TEST(Summary, AnEmptyTraceHasAnswers) {
  const ProfileData data = ProfileData::from_bytes(xspace_bytes(NamedTrace({}, {}), "host"));
  const Summary s = summary(data);
  EXPECT_EQ(s.seconds, 0);
  EXPECT_NE(s.str().find("No kernel ran"), std::string::npos);
  EXPECT_NE(summary_html(data).find("No kernel ran"), std::string::npos);
  EXPECT_THROW(summary(ProfileData()), ValueError);
}

// Time of a loop is what it takes beside the kernels in it.
TEST(Summary, KernelsInsideOfALoopAreNotCountedTwice) {
  TakenTrace trace;
  trace.begin_ns = 0, trace.end_ns = 100'000;
  TakenThread thread{1, "t", {}, 0};
  thread.events.push_back({{EventKind::kernel, 1'000, 50'000, nullptr, &kProgram, 0}, "", 0});
  thread.events.push_back({{EventKind::kernel, 2'000, 20'000, nullptr, &kProgram, 1}, "", 0});
  thread.events.push_back({{EventKind::kernel, 22'000, 20'000, nullptr, &kProgram, 1}, "", 0});
  trace.threads = {thread};
  Programs programs;
  programs[&kProgram] = {"jit_f", 5, {{"while.1", "while", "", "", 0, 0, 0, "", 0}, {"body", "fusion", "", "", 0, 0, 0, "", 0}}};
  const Summary s = summary(ProfileData::from_bytes(xspace_bytes(NamedTrace(std::move(trace), std::move(programs)), "host")));
  EXPECT_NEAR(s.kernel_seconds(), 50e-6, 1e-9);
  EXPECT_EQ(s.kernels[0].name, "body");
  EXPECT_NEAR(s.kernels[1].seconds, 10e-6, 1e-9);
}

TEST(Summary, ThePageIsWholeAndEscaped) {
  const std::string page = summary_html(example("</script><b>\"&"));
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_EQ(page.find("</script><b>"), std::string::npos);
  EXPECT_NE(page.find("&lt;/script&gt;&lt;b&gt;&quot;&amp;"), std::string::npos);  // in a table
  EXPECT_EQ(page.find("http"), std::string::npos);                                // nothing is loaded
  EXPECT_NE(page.find("sine_fusion"), std::string::npos);
}

}  // namespace
}  // namespace tenon::profiler
