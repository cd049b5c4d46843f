// How the time of compiling grows with the program. TENON_TIMING=1 tells the time of each pass as well.
#include <cstdio>

#include "tenon/logging.h"
#include "tools/bench/sized.h"
#include "tools/bench/stages.h"

namespace tenon::bench {

static void run_growth(const SizedProgram& program, const Emit& emit) {
  logging::set_sink([](void*, logging::Level, std::string_view, std::string_view message) { std::fprintf(stderr, "%.*s\n", static_cast<int>(message.size()), message.data()); },
                    nullptr);
  for (int64_t n : {1'000, 10'000, 100'000}) {
    const auto function = [n, trace = program.trace](Array x) { return trace(x, n); };
    time_stages("growth_" + std::string(program.name) + "_" + std::to_string(n), 1, function, emit, ShapeDtype({16}, jnp::float32));
  }
  logging::set_sink(nullptr, nullptr);
}

void add_growth(Groups& groups) {
  for (const SizedProgram& program : kSizedPrograms) {
    groups.emplace_back("growth_" + std::string(program.name), [&program](const Emit& emit) { run_growth(program, emit); });
  }
}

}  // namespace tenon::bench
