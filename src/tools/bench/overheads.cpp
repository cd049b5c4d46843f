// What a call, a compilation and a start of the process cost.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "tools/bench/stages.h"

extern char** environ;

namespace tenon::bench {

Timing summary(std::vector<double> times) {
  std::ranges::sort(times);
  return {times[times.size() / 2], times.front(), static_cast<int64_t>(times.size())};
}

static Timing per_call(Timing timing, int64_t calls) {
  return {timing.median_seconds / static_cast<double>(calls), timing.min_seconds / static_cast<double>(calls), timing.runs * calls};
}

void run_dispatch(double target, const Emit& emit) {
  const auto add_one = jit([](Array v) { return v + 1; });
  for (const auto& [name, x] : {std::pair{std::string("scalar"), jnp::float32(1)}, {"f32x8", jnp::ones({8})}}) {
    emit("dispatch_jit_" + name + "_block", time_calls([&] { add_one(x).block_until_ready(); }, target));
    const auto many = [&](int64_t calls, auto&& call) {
      return per_call(time_calls([&] {
        Array last;
        for (int64_t i = 0; i < calls; ++i) last = call();
        last.block_until_ready();
      }, target), calls);
    };
    emit("dispatch_jit_" + name, many(1000, [&] { return add_one(x); }));
    emit("dispatch_eager_" + name, many(100, [&] { return x + 1; }));
  }
}

/// n operations on vectors: x + c, x * c, x - y, max(x, y) in turn.
static Array chain(int64_t n, Array x, const Array& y) {
  for (int64_t i = 0; i < n; ++i) {
    switch (i % 4) {
      case 0: x = x + (0.1 + 0.001 * static_cast<double>(i)); break;
      case 1: x = x * (0.9 + 0.0001 * static_cast<double>(i)); break;
      case 2: x = x - y; break;
      default: x = jnp::maximum(x, y);
    }
  }
  return x;
}

void run_compile(double target, const Emit& emit) {
  const ShapeDtype scalar({}, jnp::float32), matrix({1000, 1000}, jnp::float32);
  int unseen = 0;
  time_stages("sin_mul_add", 5, [unseen](Array x, Array a, Array b) { (void)unseen; return jnp::sin(x) * a + b; }, emit, matrix, scalar, scalar);
  compile_training(emit);
  compile_attention(emit);
  const Array ones = jnp::ones({1024});
  for (int64_t n : {500, 2000}) {
    const auto function = [n](Array x, Array y) { return chain(n, x, y); };
    const std::string name = "chain_" + std::to_string(n);
    time_stages(name, n > 1000 ? 3 : 5, function, emit, ones, ones);
    const auto compiled = jit(function).lower(ones, ones).compile();
    emit("exec_" + name, time_calls([&] { compiled(ones, ones).block_until_ready(); }, std::min(target, 0.2)));
  }
}

int startup_child() {
  const auto f = jit([](Array x) { return (jnp::sin(x) * 2 + 1).sum(); });
  std::printf("%g\n", f(jnp::ones({8, 8})).item());
  std::fflush(stdout);
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM")) std::puts(line.c_str());
  return 0;
}

/// Seconds from exec to the first printed line.
static double start_once() {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("startup: no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  char name[] = "tenon-bench", option[] = "--startup-child";
  char* arguments[] = {name, option, nullptr};
  pid_t child;
  const auto start = Clock::now();
  const int error = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) throw std::runtime_error("startup: the process does not start");
  FILE* out = fdopen(ends[0], "r");
  char line[256];
  const bool printed = std::fgets(line, sizeof line, out) != nullptr;
  const double time = seconds(start, Clock::now());
  while (std::fgets(line, sizeof line, out)) {}
  std::fclose(out);
  int status = 0;
  waitpid(child, &status, 0);
  if (!printed || status != 0) throw std::runtime_error("startup: the process failed");
  return time;
}

void run_startup(const Emit& emit) {
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) times.push_back(start_once());
  emit("startup", summary(times));
}

}  // namespace tenon::bench
