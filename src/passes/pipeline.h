// Module in, optimized Module out: what backends compile and analysis describes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {
class Module;
}  // namespace tenon

namespace tenon::passes {

struct PipelineOptions {
  /// Names of passes to leave out, separated by commas: "fusion", "fold-constants,simplify"; "all": each that can be left out.
  std::string disable_passes;
  /// donated[i]: argument i may be overwritten; a result of its type may live in its memory.
  std::vector<bool> donated;
  /// Layouts that main asks for are given; else its arguments and results are row-major.
  bool entry_layouts = false;
  /// The backend runs dots inside of kernels (kind custom), their products in scratch memory.
  bool fuse_products = false;
  /// What products and kernels hand on row by row needs no array from this size on; 0: wherever it is possible, a few rows at
  /// once, for tests.
  int64_t stream_min_bytes = 1 << 20;
  /// Arguments, results and temporaries of a run may take this many bytes together; 0: any.
  int64_t max_bytes = 0;
  /// What kernels take of max_bytes for themselves while they run.
  int64_t scratch_bytes = 0;
  /// At most this many rewrites are applied; negative: no limit. Halving it finds a wrong one.
  int64_t bisect_limit = -1;
  /// Runs the verifier after each pass. A module that fails it is an InternalError with the pass's name.
#ifdef NDEBUG
  bool verify = false;
#else
  bool verify = true;
#endif
  /// Called after each pass with its number from 1, its name and the module, for dumps.
  std::function<void(int index, std::string_view name, const Module& module)> on_pass;
  /// Kernels say for each operand why they do not hold what made it; fusion_boundaries.h reads it.
  bool explain = false;
  /// Called once with the number of rewrites applied.
  std::function<void(int64_t applications)> on_finish;
};

/// Runs all passes on a copy of `module`.
/// Throws ValueError for an unknown name in `disable_passes`, InternalError when a pass breaks the module,
/// CompileError when the program cannot do with `max_bytes`.
Module optimize(const Module& module, const PipelineOptions& options = {});

/// Runs the one pass called `name` on a copy of `module`: for tests and tenon-opt.
Module run_pass(const Module& module, std::string_view name, const PipelineOptions& options = {});

struct PassInfo {
  std::string_view name, reason;
};
/// All passes in the order they run.
std::vector<PassInfo> list_passes();

}  // namespace tenon::passes
