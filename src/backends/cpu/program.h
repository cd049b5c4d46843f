// An optimized module as the backend runs it: steps in order, and where every array lives.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "backends/cpu/gemm_step.h"
#include "backends/cpu/graph.h"
#include "runtime/allocator.h"
#include "tenon/aval.h"

namespace tenon {
class Module;
}

namespace tenon::cpu {

struct Place {
  enum Kind : uint8_t { argument, output, temp, constant } kind = argument;
  int64_t index = 0;
  int64_t offset_bytes = 0;  // temp
};

struct Step {
  enum Kind : uint8_t { kernel, gemm, copy } kind = kernel;
  std::string name;
  std::vector<Place> buffers;  // operands, then results
  int graph = -1;              // kernel
  GemmStep gemm_step;
  int64_t copy_bytes = 0;
  int64_t bytes = 0;  // of operands and results, for traces and estimates
};

struct Program {
  std::string name;
  Avals arguments, results;
  std::vector<Place> result_places;  // output, or the argument that was donated
  int64_t temp_bytes = 0;
  std::vector<Step> steps;
  std::vector<Graph> graphs;
  std::vector<std::vector<std::byte>> constants;
};

/// Reads the output of the passes. Throws CompileError for what the passes should not have left,
/// UnimplementedError for operations that the backend lacks.
Program read_program(const Module& module);

}  // namespace tenon::cpu
