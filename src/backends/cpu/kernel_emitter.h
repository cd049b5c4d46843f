// The loops of one kernel function around the values that emitter.h emits.
#pragma once

#include <string>
#include <vector>

#include "backends/cpu/emitter.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/loop_nest.h"
#include "backends/cpu/masked_tail.h"
#include "backends/cpu/target.h"

namespace tenon::cpu {

inline constexpr double kSecondsPerInstruction = 0.4e-9;  // of a vector; measured on AVX2 at 3 GHz

class KernelEmitter {
 public:
  /// A function of `module` that computes `roots` of `graph`, results of one shape.
  KernelEmitter(llvm::Module& module, const Graph& graph, std::vector<int> roots,
                const Target& target, int lanes, const std::string& symbol);
  KernelFunction emit();

  /// Of `roots`, results with one element for each row, made by reductions that the function's own results
  /// need as well: takes those that it can store when a row is done, and gives the others back.
  std::vector<int> take_row_results(const std::vector<int>& roots);

  /// For one result that is made of one large reduction: a function that reduces chunks of it into
  /// memory behind the results, a chunk a unit. Its bytes; 0 when it is not worth it, and the
  /// function is to be erased.
  int64_t emit_chunks();
  /// `emit` finds the chunks there.
  void use_chunks() { has_chunks_ = true; }
  KernelFunction result() const {
    KernelFunction result = result_;
    result.stack_bytes = e_.stack_bytes;
    return result;
  }
  llvm::Function* function() const { return function_; }

 private:
  int splittable_reduction();
  static llvm::Function* declare(llvm::Module& module, const Target& target,
                                 const std::string& symbol);
  void plan_units();
  void plan_tiles();
  void emit_flat();
  void emit_units();
  void emit_tiles();
  void store_row_results(const Indices& loops);

  /// One expression for each loop of the nest; set as the loops are opened.
  using Loops = Indices;
  void block_loop(llvm::Value* begin, llvm::Value* end, const Loops& loops);
  std::optional<MaskedTail> masked_tail(const Loops& loops);
  void inner_loops(int loop, Loops loops, int copies);
  void body(const std::vector<Loops>& copies);
  /// The roots' values at an index of the results.
  std::vector<int> demand_roots(const Indices& at);
  void store_results(const std::vector<Indices>& at);
  // Bodies longer than what the processor looks ahead (segments.cpp).
  static constexpr int64_t kStrip = 256;  // elements; a loop's last round costs 15 cycles
  static bool is_long(const Graph& graph, const LoopNest& nest);
  void emit_segments(llvm::Value* begin, llvm::Value* end, const Loops& loops);
  void batch_reductions(const std::vector<int>& wanted);
  // Values in memory of the kernel (kept_values.cpp, column_tiles.cpp).
  void keep_row_values(const std::vector<int>& wanted, const Loops& loops);
  void emit_column_tiles(llvm::Value* begin, llvm::Value* end, const Loops& loops);
  std::vector<int> demands_below(int id);
  bool is_streamed(int root, const Index& offset) const;

  // Transposed tiles (tiles.cpp).
  struct Stage {
    int node;
    Index rest;      // of the offset, without the two loops
    int64_t stride;  // along the vector loop
    llvm::Value* memory;
  };
  void find_stages(const Loops& loops);
  void fill(const Stage& stage, const Loops& loops, llvm::Value* i_end, llvm::Value* j_end);
  void redirect_to_stages(const std::vector<int>& wanted, const Loops& loops);
  Index stage_offset(const Index& i, const Index& j);

  MaskedTail* tail_ = nullptr;  // of the row whose end is emitted

  const Graph& graph_;
  const std::vector<int> roots_;
  std::vector<int> row_results_;  // roots
  const LoopNest nest_;
  const bool is_long_;
  const int lanes_;
  IndexSpace space_;
  DemandGraph demands_;
  llvm::Function* function_;
  Emitter e_;
  KernelFunction result_;
  // Units: outer loops, then blocks of the loop after them.
  std::vector<int> outer_;  // loops
  int block_loop_ = -1;     // the vector loop, or the innermost; -1: none
  int64_t block_ = 1, blocks_ = 1;
  int copies_ = 1;
  bool has_column_tiles_ = false;
  int tile_ = 0;  // its size; 0: no tiles
  Index tile_i_, tile_j_;
  std::vector<Stage> stages_;
  bool has_streamed_ = false, has_chunks_ = false;
};

}  // namespace tenon::cpu
