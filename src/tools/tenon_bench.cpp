// tenon-bench: times the workloads that JAX and other libraries are timed with, checks each result,
// and prints one line of JSON for each.
//
//   tenon-bench --threads 1 --target 0.25 --only sin_mul_add,softmax_*
//
// {"id", "peer": "tenon", "median_s", "min_s" (seconds of one call), "reps", "threads", "extra": {"ok", "err", ...}}:
// err is the largest difference from the result in float64 at about 4000 places, over the largest such
// result. Exit code: 0 all right, 1 a result is wrong or a workload failed, 2 wrong use of the command.
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tenon/testkit.h"
#include "tools/bench/workload.h"

namespace tenon::bench {
namespace {

constexpr const char kUsage[] =
    R"(usage: tenon-bench [options]
  --threads N   use the first N cores (default: those the process may use)
  --target S    seconds of timed calls for each id (default 0.6)
  --only IDS    separated by commas; "softmax_*" is a prefix; "dispatch", "compile", "startup" are groups,
                and "growth_*", which run only when named
  --skip IDS    those not
  --list        print the ids
)";

struct Options {
  int threads = 0;
  double target = 0.6;
  std::string only, skip;
  bool list = false;
};

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--list") {
      options.list = true;
      continue;
    }
    if (++i == argc) return false;
    const std::string value = argv[i];
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    const bool is_number = end != value.c_str() && *end == '\0' && number > 0;
    if (name == "--only") options.only = value;
    else if (name == "--skip") options.skip = value;
    else if (name == "--threads" && is_number) options.threads = static_cast<int>(number);
    else if (name == "--target" && is_number) options.target = number;
    else return false;
  }
  return true;
}

bool matches(const std::string& id, std::string_view patterns) {
  while (!patterns.empty()) {
    std::string_view pattern = patterns.substr(0, patterns.find(','));
    patterns.remove_prefix(std::min(patterns.size(), pattern.size() + 1));
    if (pattern.ends_with('*') ? id.starts_with(pattern.substr(0, pattern.size() - 1)) : id == pattern) return true;
  }
  return false;
}

/// The process keeps to its first `count` cores, as taskset would have it; gives how many there are.
int pin(int count) {
  cpu_set_t all, some;
  CPU_ZERO(&some);
  sched_getaffinity(0, sizeof all, &all);
  int taken = 0;
  for (int core = 0; core < CPU_SETSIZE && (count == 0 || taken < count); ++core)
    if (CPU_ISSET(core, &all)) CPU_SET(core, &some), ++taken;
  sched_setaffinity(0, sizeof some, &some);
  return taken;
}

class Report {
 public:
  explicit Report(int threads) : threads_(threads) {}
  void line(const std::string& id, const Timing& timing, const std::string& extra = "") const {
    std::printf("{\"id\": \"%s\", \"peer\": \"tenon\", \"median_s\": %.9g, \"min_s\": %.9g, \"reps\": %lld, \"threads\": %d, \"extra\": {%s}}\n",
                id.c_str(), timing.median_seconds, timing.min_seconds, static_cast<long long>(timing.runs), threads_, extra.c_str());
    std::fflush(stdout);
  }
  void error(const std::string& id, const std::string& what) const {
    std::string quoted;
    for (char c : what) quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c == '\n' ? ' ' : c);
    std::printf("{\"id\": \"%s\", \"peer\": \"tenon\", \"threads\": %d, \"error\": \"%s\"}\n", id.c_str(), threads_, quoted.c_str());
    std::fflush(stdout);
  }

 private:
  int threads_;
};

/// The largest difference at about 4000 places, over the largest right element; infinite when one is not finite.
double error_of(const Workload& workload, const Arrays& inputs, const Array& result) {
  Host host;
  for (const Array& input : inputs) host.push_back(input.to_vector<float>());
  const Reference reference = workload.reference(host);
  const std::vector<double> got = result.to_vector<double>();
  const auto size = static_cast<int64_t>(got.size());
  const int64_t step = std::max<int64_t>(1, size / 4000) | 1;  // odd: it visits every column
  double difference = 0, largest = 1e-30;
  for (int64_t i = 0; i < size; i += step) {
    const double right = reference(i);
    if (!std::isfinite(got[static_cast<size_t>(i)])) return INFINITY;
    difference = std::max(difference, std::abs(got[static_cast<size_t>(i)] - right));
    largest = std::max(largest, std::abs(right));
  }
  return difference / largest;
}

bool run(const Workload& workload, double target, const Report& report) {
  Draw draw(workload.id);
  const Arrays inputs = workload.inputs(draw);
  const auto start = std::chrono::steady_clock::now();
  const Compiled compiled = workload.compile(inputs);
  const double compile_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto call = workload.prepare(inputs);
  const double error = error_of(workload, inputs, call()[0]);
  const bool ok = error <= workload.tolerance;
  const Timing timing = time_calls([&] { call()[0].block_until_ready(); }, target);
  char extra[300];
  std::snprintf(extra, sizeof extra, "\"ok\": %s, \"err\": %.3g, \"compile_s\": %.4f, \"bytes_accessed\": %.0f, \"temp_bytes\": %lld, \"fusions\": %d",
                ok ? "true" : "false", error < 1e300 ? error : 1e300, compile_seconds, compiled.cost_analysis()["bytes accessed"],
                static_cast<long long>(compiled.memory_analysis().temp_size_in_bytes), testkit::fusions(compiled));
  report.line(workload.id, timing, extra);
  return ok;
}

int run(const Options& options) {
  const Report report(pin(options.threads));
  Workloads workloads;
  add_elementwise(workloads);
  add_rows(workloads);
  add_movement(workloads);
  add_products(workloads);
  add_loops(workloads);
  add_training(workloads);
  Groups groups = {
      {"dispatch", [&](const Emit& emit) { run_dispatch(options.target, emit); }},
      {"compile", [&](const Emit& emit) { run_compile(options.target, emit); }},
      {"startup", [&](const Emit& emit) { run_startup(emit); }}};
  add_growth(groups);
  if (options.list) {
    for (const Workload& workload : workloads) std::puts(workload.id.c_str());
    for (const auto& group : groups) std::puts(group.first.c_str());
    return 0;
  }
  const auto chosen = [&](const std::string& id) {
    return (options.only.empty() || matches(id, options.only)) && !matches(id, options.skip);
  };
  bool ok = true;
  const auto guarded = [&](const std::string& id, const std::function<void()>& body) {
    if (!chosen(id)) return;
    try {
      body();
    } catch (const std::exception& error) {
      report.error(id, error.what());
      ok = false;
    }
  };
  for (const Workload& workload : workloads)
    guarded(workload.id, [&] { ok = run(workload, options.target, report) && ok; });
  for (const auto& [id, group] : groups)
    if (!id.starts_with("growth_") || !options.only.empty()) guarded(id, [&] { group([&](const std::string& line, const Timing& timing) { report.line(line, timing); }); });
  return ok ? 0 : 1;
}

}  // namespace

Timing time_calls(const std::function<void()>& call, double target) {
  using Clock = std::chrono::steady_clock;
  const auto once = [&](int64_t calls) {
    const auto start = Clock::now();
    for (int64_t i = 0; i < calls; ++i) call();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  once(1);
  const double first = std::max(once(1), 1e-9);
  const auto inner = std::max<int64_t>(1, static_cast<int64_t>(2e-5 / first));
  const int64_t least = first > 2 ? 1 : first > 0.3 ? 3 : 5;
  const auto runs = std::max(least, std::min<int64_t>(2000, static_cast<int64_t>(target / (first * static_cast<double>(inner)))));
  std::vector<double> times;
  for (int64_t i = 0; i < runs; ++i) times.push_back(once(inner) / static_cast<double>(inner));
  std::ranges::sort(times);
  return {times[times.size() / 2], times.front(), runs * inner};
}

}  // namespace tenon::bench

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--startup-child") return tenon::bench::startup_child();
  tenon::bench::Options options;
  if (!tenon::bench::parse(argc, argv, options)) {
    std::fputs(tenon::bench::kUsage, stderr);
    return 2;
  }
  try {
    return tenon::bench::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tenon-bench: %s\n", error.what());
    return 2;
  }
}
