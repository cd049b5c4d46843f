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

#include "tools/fuzz/draw.h"
#include "tools/fuzz/ways.h"

namespace tenon::fuzz {
namespace {

constexpr const char kUsage[] =
    R"(usage: tenon-fuzz [options]
  --seconds S       how long (default 10)
  --programs N      at most so many programs
  --seed N          of the first program (default 1); the next ones count up
  --max-elements N  of one value (default 6000)
  --max-ops N       of one program, which has at least 8 (default 40)
  --wrapped P       the part of the programs that are small and wrapped in transformations: vmap, scan, cond,
                    derivatives, ... (default 0.25)
  --ways W          all (default); drawn: jit in one way and another one by chance, for many programs;
                    passes: jit without each pass
  --slow S          tell which programs take longer than S seconds (default 60)
  --out DIR         where programs that fail are written
)";

struct Options {
  double seconds = 10, slow = 60;
  int64_t programs = -1, seed = 1;
  Draw bounds;
  std::string out, ways = "all";
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
    if (name == "--ways") {
      options.ways = value;
      if (options.ways != "all" && options.ways != "drawn" && options.ways != "passes") return false;
      continue;
    }
    const double number = std::strtod(value, &end);
    if (end == value || *end != '\0' || number < 0) return false;
    if (name == "--seconds") options.seconds = number;
    else if (name == "--programs") options.programs = static_cast<int64_t>(number);
    else if (name == "--seed") options.seed = static_cast<int64_t>(number);
    else if (name == "--max-elements") options.bounds.max_elements = static_cast<int64_t>(number);
    else if (name == "--max-ops") options.bounds.max_ops = static_cast<int64_t>(number);
    else if (name == "--wrapped") options.bounds.wrapped = number;
    else if (name == "--slow") options.slow = number;
    else return false;
  }
  return options.bounds.max_ops >= 8;
}

void write(const Program& program, const std::string& why, const std::string& stem) {
  std::filesystem::create_directories(std::filesystem::path(stem).parent_path());
  std::ofstream(stem + ".txt") << why << "\n" << program.str();
  const config::Scope wide{{"enable_x64", program.enable_x64}};
  const Arrays inputs = program.make_inputs();
  for (size_t k = 0; k < inputs.size(); ++k) save_npy(stem + "." + std::to_string(k) + ".npy", inputs[k]);
  std::ofstream(stem + ".mlir") << jit([&](Arrays xs) { return program.apply(xs); }, {.name = "fuzz", .keep_unused = true}).lower(inputs).as_text();
}

// jit as users call it, or one of the rarer ways instead. Compilation is nearly all of the time.
std::vector<Way> draw_ways(Builder& dice, const std::vector<Way>& usual, const std::vector<Way>& without_a_pass) {
  if (dice.chance(0.5)) return {usual[0]};
  return {dice.one_of(dice.chance(0.8) ? usual : without_a_pass)};
}

int run(const Options& options) {
  const std::vector<Way> usual = all_ways(), without_a_pass = ways_without_a_pass();
  const auto start = std::chrono::steady_clock::now();
  const auto seconds_since = [](auto then) { return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count(); };
  int64_t programs = 0, ops = 0, wraps = 0, faults = 0;
  for (int64_t seed = options.seed; options.programs < 0 || programs < options.programs; ++seed) {
    if (seconds_since(start) > options.seconds) break;
    const auto began = std::chrono::steady_clock::now();
    const Program program = draw(static_cast<uint64_t>(seed), options.bounds);
    Builder dice(static_cast<uint64_t>(seed), 0);
    ++programs;
    wraps += static_cast<int64_t>(program.wraps.size());
    ops += static_cast<int64_t>(program.ops.size());
    const std::vector<Way> ways = options.ways == "all"      ? usual
                                  : options.ways == "passes" ? without_a_pass
                                                             : draw_ways(dice, usual, without_a_pass);
    std::string why = first_difference(program, ways);
    if (seconds_since(began) > options.slow) std::printf("seed %lld takes %.1f s\n", static_cast<long long>(seed), seconds_since(began));
    if (why.empty()) continue;
    ++faults;
    std::printf("seed %lld: %s\n", static_cast<long long>(seed), why.c_str());
    std::fflush(stdout);
    const Program small = shrink(program, ways);
    why = first_difference(small, ways);
    std::printf("cut down: %s\n%s\n", why.c_str(), small.str().c_str());
    std::fflush(stdout);
    if (!options.out.empty()) write(small, why, options.out + "/fault_" + std::to_string(seed));
  }
  std::printf("%lld programs, %lld operations, %lld transformations, %s ways: %lld differ\n", static_cast<long long>(programs),
              static_cast<long long>(ops), static_cast<long long>(wraps), options.ways.c_str(), static_cast<long long>(faults));
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
