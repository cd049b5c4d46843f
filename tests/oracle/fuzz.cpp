// Writes random programs for fuzz.py: of each SEED.mlir (StableHLO), SEED.txt, SEED.in.K.npy, and for each result
// SEED.outK.R.npy: run 0 is ours, the others are noisy ones (noisy_run.h).
//   oracle_fuzz ways                       prints what noisy runs can do as XLA does it (xla_ways.h), a line each
//   oracle_fuzz DIRECTORY SEED PROGRAMS MAX_ELEMENTS WRAPPED RUNS WAY      WAY: the number of a line, or -1
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "noisy_run.h"
#include "tools/fuzz/draw.h"

using namespace tenon;

namespace {

// The first two only flush.
oracle::Noise noise_of(int run, const oracle::XlaWay* way) {
  return {.seed = static_cast<uint64_t>(run), .units = run < 2 ? 0 : 2, .flushes = run == 0 ? 1 : run % 2 ? 0.5 : 0, .way = way};
}

void write(const fuzz::Program& program, const std::string& stem, int noisy_runs, const oracle::XlaWay* way) {
  const config::Scope wide{{"enable_x64", program.enable_x64}};
  const Arrays inputs = program.make_inputs();
  const auto function = [&](Arrays xs) { return program.apply(xs); };
  const auto compiled = jit(function, {.name = "fuzz", .keep_unused = true});
  std::ofstream(stem + ".txt") << program.str();
  std::ofstream(stem + ".mlir") << compiled.lower(inputs).as_text();
  for (size_t k = 0; k < inputs.size(); ++k) save_npy(stem + ".in." + std::to_string(k) + ".npy", inputs[k]);
  std::vector<Arrays> runs{compiled(inputs)};
  const Jaxpr jaxpr = make_jaxpr(function)(inputs);
  for (int run = 0; run < noisy_runs; ++run) runs.push_back(oracle::noisy_run(jaxpr, inputs, noise_of(run, way)));
  for (size_t run = 0; run < runs.size(); ++run)
    for (size_t k = 0; k < runs[run].size(); ++k)
      save_npy(stem + ".out" + std::to_string(k) + "." + std::to_string(run) + ".npy", runs[run][k]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) {
    for (const oracle::XlaWay& way : oracle::xla_ways()) std::puts(way.reason);
    return 0;
  }
  const int64_t first = std::atoll(argv[2]), programs = std::atoll(argv[3]);
  const fuzz::Draw bounds{.max_elements = std::atoll(argv[4]), .max_ops = 24, .wrapped = std::atof(argv[5])};
  const int runs = std::atoi(argv[6]), way = std::atoi(argv[7]);
  for (int64_t seed = first; seed < first + programs; ++seed) {
    try {
      write(fuzz::draw(static_cast<uint64_t>(seed), bounds), std::string(argv[1]) + "/" + std::to_string(seed), runs,
            way < 0 ? nullptr : &oracle::xla_ways().at(static_cast<size_t>(way)));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "oracle_fuzz: seed %lld: %s\n", static_cast<long long>(seed), error.what());
      return 1;
    }
  }
  return 0;
}
