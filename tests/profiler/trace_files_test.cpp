// One trace, made by hand, through both writers and our reader.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "profiler/annotation.h"
#include "profiler/chrome_trace.h"
#include "profiler/unzip.h"
#include "profiler/xplane.h"
#include "tenon/profiler.h"

namespace tenon::profiler {
namespace {

const int kProgram = 0, kOther = 0;

std::string annotation(std::string name, std::initializer_list<Metadata> metadata) {
  for (const auto& [key, value] : metadata) append_metadata(name, key, value);
  return name;
}

// A step calls a program that runs on another thread and has a kernel with a chunk on a third.
NamedTrace example() {
  TakenTrace trace;
  trace.begin_ns = 1'000, trace.end_ns = 90'000, trace.epoch_ns = 1'700'000'000'000'000'000;
  TakenThread user{10, "user", {}, 0}, dispatch{11, "dispatch", {}, 3}, worker{12, "worker", {}, 0};
  user.events.push_back({{EventKind::step, 2'000, 50'000, nullptr, nullptr, 7}, annotation("train", {{"step_num", 7}}), 0});
  user.events.push_back({{EventKind::annotation, 2'100, 40'000, nullptr, nullptr, 0}, annotation("a\xff\"b", {{"size", 3}, {"rate", 0.5}, {"what", "x"}}), 0});
  user.events.push_back({{EventKind::jit_call, 3'000, 20'000}, "f", 0});
  user.events.push_back({{EventKind::stage, 4'000, 5'000, "compile"}, "f", 0});
  user.events.push_back({{EventKind::launch, 10'000, 2'000, nullptr, &kProgram, 21}, "", 0});
  user.events.push_back({{EventKind::jit_call, 30'000, 1'000}, "f", 0});
  user.events.push_back({{EventKind::wait, 60'000, 1'000, "wait"}, "", 0});
  dispatch.events.push_back({{EventKind::program, 11'000, 9'000, nullptr, &kProgram, 21}, "", 0});
  dispatch.events.push_back({{EventKind::kernel, 11'500, 8'000, nullptr, &kProgram, 1, 64}, "", 0});
  dispatch.events.push_back({{EventKind::allocation, 12'000, 10, "somewhere", nullptr, 0, 128}, "", 0});
  dispatch.events.push_back({{EventKind::kernel, 70'000, 10, nullptr, &kOther, 0}, "", 0});
  worker.events.push_back({{EventKind::chunk, 12'000, 4'000, nullptr, &kProgram, 1}, "", 0});
  trace.threads = {user, dispatch, worker};
  Programs programs;
  programs[&kProgram] = {"jit_f", 5, {{}, {"sine_fusion", "fusion", "jit(f)/sin", "f.cpp:12", 100, 50, 4096, "memory", 2e-6}}};
  return NamedTrace(std::move(trace), std::move(programs));
}

const ProfileEvent& find(const ProfileData& data, std::string_view name, size_t line) {
  for (const ProfileEvent& event : data.planes().at(0).lines().at(line).events())
    if (event.name() == name) return event;
  throw std::runtime_error("no event " + std::string(name));
}

TEST(XPlane, ReadsBackAsItWasRecorded) {
  const ProfileData data = ProfileData::from_bytes(xspace_bytes(example(), "host"));
  const ProfilePlane* host = data.find_plane("/host:CPU");
  ASSERT_NE(host, nullptr);
  ASSERT_EQ(host->lines().size(), 3u);
  EXPECT_EQ(host->lines()[0].name(), "user/10");
  EXPECT_EQ(host->lines()[0].events().size(), 7u);
  EXPECT_EQ(data.find_plane("/nothing"), nullptr);

  const ProfileEvent& call = find(data, "PjitFunction(f)", 0);
  EXPECT_EQ(call.start_ns(), 1'700'000'000'000'003'000);
  EXPECT_EQ(call.duration_ns(), 20'000);
  EXPECT_EQ(call.stats().text("cache"), "miss");
  EXPECT_EQ(host->lines()[0].events()[5].stats().text("cache"), "hit");

  const ProfileEvent& kernel = find(data, "sine_fusion", 1);
  EXPECT_EQ(kernel.stats().text("hlo_op"), "sine_fusion");
  EXPECT_EQ(kernel.stats().text("hlo_module"), "jit_f");
  EXPECT_EQ(kernel.stats().number("flops"), 100);
  EXPECT_EQ(kernel.stats().number("bytes_accessed"), 4096);
  EXPECT_EQ(kernel.stats().text("source"), "f.cpp:12");
  EXPECT_EQ(kernel.stats().text("tf_op"), "jit(f)/sin");
  EXPECT_EQ(kernel.stats().text("bound_by"), "memory");
  EXPECT_EQ(kernel.stats().find("bytes"), nullptr);
  EXPECT_EQ(find(data, "allocate", 1).stats().number("bytes"), 128);
  EXPECT_EQ(find(data, "allocate", 1).stats().text("site"), "somewhere");
  EXPECT_EQ(find(data, "kernel", 1).stats().text("hlo_op", "nothing"), "nothing");  // of a program that nobody knows

  const ProfileEvent& annotated = find(data, "a\xff\"b", 0);
  EXPECT_EQ(annotated.stats().number("size"), 3);
  EXPECT_EQ(annotated.stats().number("rate"), 0.5);
  EXPECT_EQ(annotated.stats().text("what"), "x");
  EXPECT_EQ(data.find_plane("Task Environment")->stats().number("dropped_events"), 3);
}

TEST(XPlane, GroupsByStepsAcrossThreads) {
  const ProfileData data = ProfileData::from_bytes(xspace_bytes(example(), "host"));
  const ProfileEvent& step = find(data, "train", 0);
  EXPECT_EQ(step.stats().number("step_num"), 7);
  EXPECT_EQ(step.stats().number("_r"), 1);
  EXPECT_EQ(step.stats().text("step_name"), "train 7");
  for (auto [name, line] : {std::pair{"train", 0}, {"PjitFunction(f)", 0}, {"launch jit_f", 0}, {"jit_f", 1}, {"sine_fusion", 1}, {"allocate", 1}, {"sine_fusion", 2}})
    EXPECT_EQ(find(data, name, static_cast<size_t>(line)).stats().number("group_id", -1), 0) << name;
  EXPECT_EQ(find(data, "wait", 0).stats().number("group_id", -1), -1);
  EXPECT_EQ(find(data, "launch jit_f", 0).stats().number("_p"), find(data, "jit_f", 1).stats().number("_c"));
}

TEST(XPlane, TornAndHostileBytesAreErrors) {
  const std::string good = xspace_bytes(example(), "host");
  size_t failed = 0;
  for (size_t size = 0; size < good.size(); ++size) {
    try {
      ProfileData::from_bytes(std::string_view(good).substr(0, size));
    } catch (const ParseError& error) {
      ++failed;
      if (size == 100) EXPECT_STREQ(error.what(), "ProfileData: the text is no XSpace: the 100 bytes are torn or of another format; give a .xplane.pb as stop_trace writes it");
    }
  }
  EXPECT_GT(failed, good.size() / 2);
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    std::string bad = good;
    for (int k = 0; k < 1 + i % 8; ++k) bad[random() % bad.size()] = static_cast<char>(random());
    try {
      for (const ProfilePlane& plane : ProfileData::from_bytes(bad).planes())
        for (const ProfileLine& line : plane.lines())
          for (const ProfileEvent& event : line.events()) ASSERT_GE(event.stats().size() + event.name().size() + 1, 1u);
    } catch (const ParseError&) {
    }
  }
  EXPECT_THROW(ProfileData::from_bytes("{\"traceEvents\": []}"), ParseError);
  EXPECT_THROW(ProfileData::from_file("/no/such/file.xplane.pb"), RuntimeError);
  EXPECT_THROW(ProfileData::from_file("/"), RuntimeError);
}

TEST(ChromeTrace, ConformsToTheFormat) {
  const auto json = nlohmann::json::parse(unzip(chrome_trace_gz(example(), "host")));
  ASSERT_TRUE(json.at("traceEvents").is_array());
  std::map<std::pair<int, int>, std::string> threads;
  int complete = 0, starts = 0, ends = 0;
  for (const auto& event : json.at("traceEvents")) {
    ASSERT_TRUE(event.is_object() && !event.empty());
    const std::string phase = event.at("ph");
    EXPECT_TRUE(event.at("pid").is_number_integer() && event.at("name").is_string());
    if (phase == "M" && event.at("name") == "thread_name") threads[{event.at("pid"), event.at("tid")}] = event.at("args").at("name");
    starts += phase == "s", ends += phase == "f";
    if (phase != "X") continue;
    ++complete;
    EXPECT_GE(event.at("ts").get<double>(), 0);
    EXPECT_GE(event.at("dur").get<double>(), 0);
    EXPECT_TRUE(threads.contains({event.at("pid"), event.at("tid")}));
  }
  EXPECT_EQ(complete, 12);
  EXPECT_EQ(starts, 1);
  EXPECT_EQ(ends, 1);
  EXPECT_EQ((threads[{701, 11}]), "dispatch/11");
  EXPECT_EQ(json.at("metadata").at("dropped_events"), 3);
}

TEST(Annotation, MetadataReadsBack) {
  const std::string text = annotation("name", {{"i", -5}, {"d", 1e-300}, {"s", "a=b,c"}, {"e", ""}, {"z", std::string("x\0y", 3)}});
  const AnnotationText read = read_annotation(text);
  EXPECT_EQ(read.name, "name");
  ASSERT_EQ(read.metadata.size(), 5u);
  EXPECT_EQ(read.metadata[0].second.integer(), -5);
  EXPECT_EQ(read.metadata[1].second.number(), 1e-300);
  EXPECT_EQ(read.metadata[2].second.string(), "a=b,c");
  EXPECT_EQ(read.metadata[3].second.string(), "");
  EXPECT_EQ(read.metadata[4].second.string(), "x");
  EXPECT_EQ(read_annotation("").name, "");
}

}  // namespace
}  // namespace tenon::profiler
