// tenon-fuzz: random programs, run in every way; all must give the same bits.
//
//   tenon-fuzz --seconds 60 --seed 1 --out DIR
//
// A program that differs is cut down, printed and written: DIR/fault_SEED.txt, .mlir (for tenon-run) and
// its inputs as .npy. Exit code: 0 no difference, 1 some, 2 wrong use of the command.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tools/fuzz/ways.h"

namespace tenon::fuzz {
namespace {

constexpr const char kUsage[] =
    R"(usage: tenon-fuzz [options]
  --seconds S       how long (default 10)
  --programs N      at most so many programs
  --seed N          of the first program (default 1); the next ones count up
  --max-elements N  of one value (default 6000)
  --out DIR         where programs that fail are written
)";

struct Options {
  double seconds = 10;
  int64_t programs = -1, seed = 1, max_elements = 6000;
  std::string out;
};

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) return false;
    const char* value = argv[i + 1];
    char* end = nullptr;
    if (name == "--out") {
      options.out = value;
      continue;
    }
    const double number = std::strtod(value, &end);
    if (end == value || *end != '\0' || number < 0) return false;
    if (name == "--seconds") options.seconds = number;
    else if (name == "--programs") options.programs = static_cast<int64_t>(number);
    else if (name == "--seed") options.seed = static_cast<int64_t>(number);
    else if (name == "--max-elements") options.max_elements = static_cast<int64_t>(number);
    else return false;
  }
  return true;
}

void write(const Program& program, const std::string& why, const std::string& stem) {
  std::filesystem::create_directories(std::filesystem::path(stem).parent_path());
  std::ofstream(stem + ".txt") << why << "\n" << program.str();
  const Arrays inputs = program.make_inputs();
  for (size_t k = 0; k < inputs.size(); ++k) save_npy(stem + "." + std::to_string(k) + ".npy", inputs[k]);
  std::ofstream(stem + ".mlir") << jit([&](Arrays xs) { return program.apply(xs); }, {.name = "fuzz", .keep_unused = true}).lower(inputs).as_text();
}

int run(const Options& options) {
  const std::vector<Way> ways = all_ways();
  const auto start = std::chrono::steady_clock::now();
  int64_t programs = 0, ops = 0, faults = 0;
  for (int64_t seed = options.seed; options.programs < 0 || programs < options.programs; ++seed) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > options.seconds) break;
    Builder builder(static_cast<uint64_t>(seed), options.max_elements);
    const Program program = builder.build(static_cast<int>(builder.pick(8, 40)));
    ++programs;
    ops += static_cast<int64_t>(program.ops.size());
    if (first_difference(program, ways).empty()) continue;
    ++faults;
    const Program small = shrink(program, ways);
    const std::string why = first_difference(small, ways);
    std::printf("seed %lld: %s\n%s\n", static_cast<long long>(seed), why.c_str(), small.str().c_str());
    std::fflush(stdout);
    if (!options.out.empty()) write(small, why, options.out + "/fault_" + std::to_string(seed));
  }
  std::printf("%lld programs, %lld operations, %zu ways each: %lld differ\n", static_cast<long long>(programs),
              static_cast<long long>(ops), ways.size(), static_cast<long long>(faults));
  return faults == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tenon::fuzz

int main(int argc, char** argv) {
  tenon::fuzz::Options options;
  if (!tenon::fuzz::parse(argc, argv, options)) {
    std::fputs(tenon::fuzz::kUsage, stderr);
    return 2;
  }
  try {
    return tenon::fuzz::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tenon-fuzz: %s\n", error.what());
    return 2;
  }
}
