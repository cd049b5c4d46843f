// Traces and memory profiles of whole programs, read back.
#include "tenon/profiler.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "profiler/files.h"
#include "profiler/pprof.pb.h"
#include "profiler/unzip.h"
#include "support/expect_error.h"
#include "tenon/testkit.h"

namespace tenon {
namespace {

namespace fs = std::filesystem;
using profiler::ProfileData;
using profiler::ProfileEvent;

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "tenon-trace-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  std::string path;
};

std::string file_with(const std::string& folder, const std::string& suffix) {
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().string().ends_with(suffix)) return entry.path().string();
  return {};
}

using Events = std::vector<ProfileEvent>;

template <class F>
ProfileData trace_of(F body) {
  const Folder folder;
  profiler::start_trace(folder.path);
  body();
  return ProfileData::from_file(file_with(profiler::stop_trace(), ".xplane.pb"));
}

/// All events whose stat is this, of all threads.
Events with(const ProfileData& data, std::string_view stat, std::string_view value) {
  Events found;
  for (const auto& line : data.find_plane("/host:CPU")->lines())
    for (const ProfileEvent& event : line.events())
      if (event.stats().text(stat) == value) found.push_back(event);
  return found;
}
Events of(const ProfileData& data, std::string_view category) { return with(data, "category", category); }
std::vector<std::string> names(const Events& events) {
  std::vector<std::string> all;
  for (const ProfileEvent& event : events) all.push_back(event.name());
  return all;
}

Array wave(Array x) { return jnp::sin(x) * 2 + 1; }
Array product(Array a, Array b) { return jnp::sum(jnp::exp(jnp::matmul(a, b)), {.axis = 1}); }

TEST(Profiler, ShowsACompilationStageByStageAndThenHits) {
  const Array x = jnp::ones({100});
  const ProfileData data = trace_of([&] {
    const auto f = jit([](Array y) { return jnp::cos(y) - 1; }, {.name = "fresh"});
    f(x).block_until_ready();
    f(x).block_until_ready();
  });
  const Events calls = of(data, "call");
  ASSERT_EQ(names(calls), (std::vector<std::string>{"PjitFunction(fresh)", "PjitFunction(fresh)"}));
  EXPECT_EQ(calls[0].stats().text("cache"), "miss");
  EXPECT_EQ(calls[1].stats().text("cache"), "hit");
  EXPECT_EQ(names(with(data, "function", "fresh")), (std::vector<std::string>{"trace", "lower", "compile", "passes", "backend"}));
  const auto passes = names(of(data, "pass"));
  EXPECT_NE(std::ranges::find(passes, "fold-constants"), passes.end()) << testing::PrintToString(passes);
  EXPECT_EQ(names(of(data, "program")), (std::vector<std::string>{"jit_fresh", "jit_fresh"}));
  EXPECT_EQ(of(data, "kernel").size(), 2u);
}

TEST(Profiler, KernelsAreCalledAsInTheTextWithTheirCosts) {
  const Array a = jnp::ones({300, 200}), b = jnp::ones({200, 400});
  const auto f = jit<product>();
  const auto compiled = f.lower(a, b).compile();
  const ProfileData data = trace_of([&] { compiled(a, b).block_until_ready(); });
  const RooflineReport kernels = compiled.roofline();
  Events events = of(data, "kernel");
  for (const ProfileEvent& event : of(data, "gemm"))
    if (event.name() != "gemm") events.push_back(event);
  ASSERT_EQ(events.size(), kernels.size());
  double flops = 0, bytes = 0;
  for (const ProfileEvent& event : events) {
    EXPECT_NE(compiled.as_text().find("%" + event.name() + " "), std::string::npos) << event.name();
    EXPECT_EQ(event.stats().text("hlo_module"), "jit_product");
    EXPECT_NE(event.stats().text("source").find("profiler_test.cpp:"), std::string::npos);
    EXPECT_NE(event.stats().text("tf_op").find("jit(product)/"), std::string::npos);
    const std::string bound = event.stats().text("bound_by");
    EXPECT_TRUE(bound == "compute" || bound == "memory" || bound == "overhead") << bound;
    EXPECT_GT(event.stats().number("roofline_ns"), 0);
    flops += event.stats().number("flops"), bytes += event.stats().number("bytes_accessed");
  }
  EXPECT_EQ(flops, compiled.cost_analysis()["flops"]);
  EXPECT_EQ(bytes, compiled.cost_analysis()["bytes accessed"]);
}

TEST(Profiler, ThreadsOfThePoolShowTheirChunks) {
  const config::Scope threads({{"num_threads", 3}});
  const Array x = jnp::ones({1 << 22});
  const auto f = jit<wave>();
  f(x).block_until_ready();
  bool has_helped = false;
  for (int i = 0; i < 50 && !has_helped; ++i) {  // on a busy machine helpers may come late
    const ProfileData data = trace_of([&] {
      for (int k = 0; k < 10; ++k) f(x).block_until_ready();
    });
    const Events kernels = of(data, "kernel"), chunks = of(data, "chunk");
    ASSERT_EQ(kernels.size(), 10u);
    for (const ProfileEvent& chunk : chunks) {
      EXPECT_EQ(chunk.name(), kernels[0].name());
      EXPECT_TRUE(std::ranges::any_of(kernels, [&](const ProfileEvent& kernel) {
        return kernel.start_ns() <= chunk.start_ns() &&
               static_cast<double>(chunk.start_ns() - kernel.start_ns()) + chunk.duration_ns() <= kernel.duration_ns();
      }));
    }
    has_helped = !chunks.empty();
    for (const auto& line : data.find_plane("/host:CPU")->lines())
      for (const ProfileEvent& event : line.events())
        if (event.stats().text("category") == "chunk") EXPECT_TRUE(line.name().starts_with("tenon-")) << line.name();
  }
  EXPECT_TRUE(has_helped);
}

TEST(Profiler, StepsHoldWhatTheyStartedOnOtherThreads) {
  const Array x = jnp::ones({1 << 22});  // large: another thread runs it
  const auto f = jit<wave>();
  f(x).block_until_ready();
  const ProfileData data = trace_of([&] {
    for (int i = 0; i < 3; ++i) {
      profiler::StepTraceAnnotation step("train", i + 5);
      profiler::TraceAnnotation annotation("inner", {{"loss", 0.5}, {"what", "a text"}});
      f(x).block_until_ready();
    }
    f(x).block_until_ready();
  });
  const Events steps = of(data, "step"), kernels = of(data, "kernel");
  ASSERT_EQ(names(steps), (std::vector<std::string>{"train", "train", "train"}));
  ASSERT_EQ(kernels.size(), 4u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(steps[static_cast<size_t>(i)].stats().number("step_num"), i + 5);
    EXPECT_EQ(kernels[static_cast<size_t>(i)].stats().number("group_id", -1), steps[static_cast<size_t>(i)].stats().number("group_id", -2));
  }
  EXPECT_EQ(kernels[3].stats().find("group_id"), nullptr);
  const Events annotations = of(data, "annotation");
  ASSERT_EQ(annotations.size(), 3u);
  EXPECT_EQ(annotations[0].stats().number("loss"), 0.5);
  EXPECT_EQ(annotations[0].stats().text("what"), "a text");
}

TEST(Profiler, AnnotatesFunctionsAndEagerOperations) {
  const auto twice = profiler::annotate_function([](const Array& x, int n) { return jnp::sin(x * n); }, "twice");
  const Array x = jnp::ones({10});
  const ProfileData data = trace_of([&] { twice(x, 3); });
  EXPECT_EQ(names(of(data, "annotation")), std::vector<std::string>{"twice"});
  const auto eager = names(of(data, "eager call"));
  EXPECT_NE(std::ranges::find(eager, "sin"), eager.end());
}

TEST(Profiler, NamesOutliveTheirPrograms) {
  const Array x = jnp::ones({50});
  const ProfileData data = trace_of([&] {
    for (int i = 0; i < 5; ++i) {
      const std::string name = "gone_" + std::to_string(i);
      jit([](Array y) { return jnp::tanh(y) * 3; }, {.name = name})(x).block_until_ready();
    }
  });
  EXPECT_EQ(names(of(data, "program")), (std::vector<std::string>{"jit_gone_0", "jit_gone_1", "jit_gone_2", "jit_gone_3", "jit_gone_4"}));
  for (const ProfileEvent& kernel : of(data, "kernel")) EXPECT_TRUE(kernel.stats().text("hlo_module").starts_with("jit_gone_"));
}

// perfetto-6251 and perfetto-6277 of ../shared/bugs.
TEST(Profiler, TheChromeTraceIsCleanAndItsSlicesNest) {
  const Folder folder;
  {
    profiler::Trace trace(folder.path, {.create_perfetto_trace = true});
    Array x = jnp::ones({300, 300}) * 0.003f;
    for (int i = 0; i < 40; ++i) x = jnp::tanh(jnp::matmul(x, x));
    x.block_until_ready();
    jit([](Array a) { return jnp::matmul(a, a) + 1; })(x).block_until_ready();
  }
  const auto json = nlohmann::json::parse(unzip(profiler::read_file("test", file_with(folder.path, "perfetto_trace.json.gz"))));
  std::map<std::pair<int, int>, std::vector<std::tuple<double, double, double>>> lanes;
  for (const auto& event : json.at("traceEvents")) {
    ASSERT_TRUE(event.is_object() && !event.empty() && event.at("ph").is_string());
    if (event.at("ph") != "X") continue;
    const double begin = event.at("ts"), duration = event.at("dur");
    ASSERT_GE(duration, 0);
    lanes[{event.at("pid"), event.at("tid")}].emplace_back(begin, -duration, begin + duration);
  }
  size_t count = 0;
  for (auto& [thread, slices] : lanes) {
    std::ranges::sort(slices);
    std::vector<double> open;
    for (const auto& [begin, minus_duration, end] : slices) {
      while (!open.empty() && open.back() <= begin + 1e-6) open.pop_back();
      if (!open.empty()) EXPECT_LE(end, open.back() + 1e-3);
      open.push_back(end);
    }
    count += slices.size();
  }
  EXPECT_GT(count, 80u);
}

TEST(Profiler, LongTracesKeepTheEnd) {
  const Folder folder;
  profiler::start_trace(folder.path, {.max_bytes = 200'000});
  for (int i = 0; i < 20'000; ++i) profiler::TraceAnnotation annotation("number", {{"i", i}});
  const ProfileData data = ProfileData::from_file(file_with(profiler::stop_trace(), ".xplane.pb"));
  const Events kept = of(data, "annotation");
  EXPECT_GT(kept.size(), 500u);
  EXPECT_EQ(kept.back().stats().number("i"), 19'999);
  EXPECT_EQ(static_cast<double>(kept.size()) + data.find_plane("Task Environment")->stats().number("dropped_events"), 20'000);
}

TEST(Profiler, MistakesAreErrorsAndTheProgramGoesOn) {
  const Folder folder;
  EXPECT_ERROR(RuntimeError, profiler::stop_trace(), "stop_trace: no trace is running; start_trace begins one");
  EXPECT_THROW(profiler::start_trace("/proc/no/such"), RuntimeError);
  EXPECT_THROW(profiler::start_trace(folder.path, {.max_bytes = 0}), ValueError);
  EXPECT_THROW(profiler::stop_trace(), RuntimeError);  // none of them began

  profiler::start_trace(folder.path);
  try {
    profiler::start_trace(folder.path + "/other");
    FAIL() << "two traces at once";
  } catch (const RuntimeError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("start_trace: a trace is running already, into " + folder.path)) << error.what();
  }
  EXPECT_FALSE(fs::exists(folder.path + "/other"));
  EXPECT_TRUE(fs::exists(profiler::stop_trace()));

  // Two in one second have folders of their own.
  profiler::start_trace(folder.path);
  const std::string first = profiler::stop_trace();
  profiler::start_trace(folder.path);
  EXPECT_NE(profiler::stop_trace(), first);
}

TEST(Profiler, AFullDiskIsAnErrorOfStop) {
  const Folder folder;
  profiler::start_trace(folder.path);
  for (int i = 0; i < 2000; ++i) profiler::TraceAnnotation annotation("an event that takes some room");
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{4096, before.rlim_max};
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  std::string message;
  try {
    profiler::stop_trace();
  } catch (const RuntimeError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_TRUE(message.starts_with("stop_trace: cannot write the file: File too large; got " + folder.path)) << message;
  EXPECT_EQ(file_with(folder.path, ".pb"), "");
  for (const auto& entry : fs::recursive_directory_iterator(folder.path)) EXPECT_TRUE(entry.is_directory()) << entry.path();  // nothing is left
  profiler::start_trace(folder.path);  // the next one works
  EXPECT_NE(file_with(profiler::stop_trace(), ".pb"), "");
}

TEST(Profiler, ATraceWhoseFolderHasGoneIsLoggedByItsScope) {
  logging::Capture log("tenon.profiler", logging::Level::warning);
  {
    Folder folder;
    profiler::Trace trace(folder.path);
    fs::remove_all(folder.path);
  }
  ASSERT_EQ(log.messages().size(), 1u);
  EXPECT_TRUE(log.messages()[0].starts_with("stop_trace: cannot create the file: No such file")) << log.messages()[0];
  Folder folder;
  profiler::Trace trace(folder.path);
  fs::remove_all(folder.path);
  EXPECT_THROW(trace.stop(), RuntimeError);
}

TEST(Profiler, ManyThreadsCallWhileTracesBeginAndEnd) {
  const Array x = jnp::ones({1000});
  const auto f = jit<wave>();
  f(x).block_until_ready();
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      while (!is_over.load()) f(x).block_until_ready();
    });
  const Folder folder;
  for (int i = 0; i < 10; ++i) {
    profiler::start_trace(folder.path, {.max_bytes = 1 << 20});
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const ProfileData data = ProfileData::from_file(file_with(profiler::stop_trace(), ".xplane.pb"));
    for (const ProfileEvent& event : of(data, "kernel")) ASSERT_EQ(event.stats().text("hlo_module"), "jit_wave");
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
}

/// What 127.0.0.1:9001 answers; empty when nobody listens.
std::string fetch(const std::string& path) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET, address.sin_port = htons(9001), address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    const std::string request = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    static_cast<void>(::send(fd, request.data(), request.size(), MSG_NOSIGNAL));
    char room[4096];
    for (ssize_t n; (n = ::recv(fd, room, sizeof room, 0)) > 0;) answer.append(room, static_cast<size_t>(n));
  }
  ::close(fd);
  return answer;
}

TEST(Profiler, OffersTheTraceToPerfetto) {
  const Folder folder;
  testing::internal::CaptureStdout();
  profiler::start_trace(folder.path, {.create_perfetto_link = true, .link_seconds = 60});
  { profiler::TraceAnnotation annotation("offered"); }
  std::string failed;
  std::thread stops([&] {
    try {
      profiler::stop_trace();
    } catch (const RuntimeError& error) {
      failed = error.what();
    }
  });
  std::string missing, found;
  for (int i = 0; i < 300 && missing.empty(); ++i) {
    missing = fetch("/other");
    if (missing.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  found = fetch("/perfetto_trace.json.gz");
  stops.join();
  const std::string printed = testing::internal::GetCapturedStdout();
  if (!failed.empty()) GTEST_SKIP() << failed;  // the port is somebody else's
  EXPECT_TRUE(missing.starts_with("HTTP/1.1 404")) << missing;
  EXPECT_EQ(printed, "Open URL in browser: https://ui.perfetto.dev/#!/?url=http://127.0.0.1:9001/perfetto_trace.json.gz\n");
  const size_t body = found.find("\r\n\r\n") + 4;
  EXPECT_NE(found.find("Access-Control-Allow-Origin: https://ui.perfetto.dev\r\n"), std::string::npos);
  EXPECT_NE(unzip(found.substr(body)).find("offered"), std::string::npos);
  // Nobody comes: the time is over.
  testing::internal::CaptureStdout();
  profiler::start_trace(folder.path, {.create_perfetto_link = true, .link_seconds = 0.05});
  profiler::stop_trace();
  testing::internal::GetCapturedStdout();
}

// ---- memory

struct Held {
  int64_t count = 0, bytes = 0, peak_bytes = 0;
  std::vector<std::string> functions;
};
/// What the samples whose innermost frame is this line hold, or those of a function of this name.
Held held(const std::string& profile_bytes, const std::string& file, int64_t line, const std::string& function = {}) {
  profiler::pprof::Profile profile;
  if (!profile.ParseFromString(unzip(profile_bytes))) throw std::runtime_error("not pprof");
  const auto text = [&](int64_t i) { return profile.string_table(static_cast<int>(i)); };
  Held sum;
  int64_t most = 0;
  for (const auto& sample : profile.sample()) {
    std::vector<std::string> functions;
    bool is_it = false;
    for (int i = 0; i < sample.location_id_size(); ++i) {
      const auto& place = profile.location(static_cast<int>(sample.location_id(i)) - 1).line(0);
      const auto& called = profile.function(static_cast<int>(place.function_id()) - 1);
      functions.push_back(text(called.name()));
      if (i == 0) is_it = function.empty() ? text(called.filename()).ends_with(file) && place.line() == line : functions[0] == function;
    }
    if (!is_it) continue;
    if (sum.functions.empty() || sample.value(1) > most) sum.functions = functions, most = sample.value(1);  // small arrays of the line have no stack
    sum.count += sample.value(0), sum.bytes += sample.value(1), sum.peak_bytes += sample.value(2);
  }
  return sum;
}

[[gnu::noinline]] Array make_large(int64_t* line) {
  *line = __LINE__ + 1;
  return jnp::ones({1000, 1000}).block_until_ready();
}

TEST(MemoryProfile, NamesTheLineThatHoldsMemory) {
  int64_t line = 0;
  Array large = make_large(&line);
  Held now = held(profiler::device_memory_profile(), "profiler_test.cpp", line);
  EXPECT_GE(now.count, 1);
  EXPECT_LE(now.count, 2);  // the thread that filled it may still hold the number
  EXPECT_GE(now.bytes, 4'000'000);
  EXPECT_LT(now.bytes, 6'000'000);
  ASSERT_FALSE(now.functions.empty());
  EXPECT_NE(now.functions[0].find("make_large"), std::string::npos) << testing::PrintToString(now.functions);
  bool has_test = false;  // who called it
  for (const std::string& function : now.functions) has_test |= function.find("NamesTheLineThatHoldsMemory") != std::string::npos;
  EXPECT_TRUE(has_test) << testing::PrintToString(now.functions);
  large = Array();
  EXPECT_LT(held(profiler::device_memory_profile(), "profiler_test.cpp", line).bytes, 1000);
}

TEST(MemoryProfile, ListsPrograms) {
  const auto f = jit([](Array x) { return jnp::sinh(x); }, {.name = "listed"});
  const int64_t line = __LINE__ + 1;
  f(jnp::ones({7}));
  const Held program = held(profiler::device_memory_profile(), "", line, "jit_listed");
  EXPECT_EQ(program.count, 1);
  EXPECT_GT(program.bytes, 100);
}

TEST(MemoryProfile, IsSavedOrAnError) {
  const Folder folder;
  const std::string path = folder.path + "/memory.prof";
  profiler::save_device_memory_profile(path);
  EXPECT_TRUE(profiler::read_file("test", path).starts_with("\x1f\x8b"));
  EXPECT_THROW(profiler::save_device_memory_profile("/no/such/directory/memory.prof"), RuntimeError);
}

}  // namespace
}  // namespace tenon
