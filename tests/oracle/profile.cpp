// Traces a program into argv[1] and prints what our reader finds: a line for each plane, line and event, with times in
// nanoseconds. profile.py compares it with what jaxlib's reader finds.
#include <tenon/tenon.h>

#include <cinttypes>
#include <cstdio>
#include <filesystem>

using namespace tenon;

static Array step(Array a, Array b) { return jnp::mean(jnp::sin(jnp::matmul(a, b))); }

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto f = jit<step>();
  profiler::start_trace(argv[1], {.create_perfetto_trace = true});
  const Array a = jnp::ones({400, 400}), b = jnp::ones({400, 400});
  for (int i = 0; i < 3; ++i) {
    profiler::StepTraceAnnotation annotation("train", i);
    profiler::TraceAnnotation inner("inner", {{"rate", 0.5}, {"what", "text"}, {"i", i}});
    f(a, b).block_until_ready();
  }
  const std::string folder = profiler::stop_trace();
  std::string file;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().string().ends_with(".xplane.pb")) file = entry.path().string();
  const auto data = profiler::ProfileData::from_file(file);
  std::printf("file\t%s\n", file.c_str());
  for (const auto& plane : data.planes()) {
    std::printf("plane\t%s\n", plane.name().c_str());
    for (const auto& line : plane.lines()) {
      std::printf("line\t%s\n", line.name().c_str());
      for (const auto& event : line.events()) std::printf("event\t%s\t%" PRId64 "\t%.3f\n", event.name().c_str(), event.start_ns(), event.duration_ns());
    }
  }
  // XProf's own view of it, where it is installed, is looked at by hand: docs/profiling.md.
  std::printf("summary\t%d\n", static_cast<int>(profiler::summary(data).kernels.size()));
}
