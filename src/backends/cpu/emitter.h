// Emits what demands need into a function under construction, each value as far out in the loop
// nest as its indices allow.
//
// The open loops form a stack of scopes. A value's depth is the innermost loop it depends on; its
// instructions go to the end of that scope's code, which stays open while inner loops are emitted
// (their entry is linked when they close). So code is hoisted by construction and needs no
// optimizer. One loop of a nest may be a vector loop: its variable stands for `lanes` consecutive
// indices, and values that depend on it are vectors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/cpu/demand_graph.h"
#include "llvm/IR/IRBuilder.h"

namespace tenon::cpu {

struct Value {
  llvm::Value* value = nullptr;
  bool is_vector = false;
  int depth = 0;
};

/// What a loop variable is in the code.
struct LoopState {
  llvm::Value* value = nullptr;  // i64; of lane 0
  int depth = -1;                // -1: not open
  bool is_vector = false;
  llvm::Value* mask = nullptr;     // vector: lanes that exist; null: all
  llvm::Value* is_full = nullptr;  // i1: all of `mask`; null: not known
  llvm::Value* last = nullptr;     // vector with a mask: largest index that exists
};

class Emitter {
 public:
  /// `buffers`: parameters of the graph, then results.
  /// `registers`: that a vector of `lanes` takes.
  Emitter(DemandGraph& demands, llvm::Function* function, int lanes, int registers = 1);

  // ---- loops

  struct Loop {
    int variable;
    llvm::Value *begin, *end;
    int64_t step = 1;
    bool may_be_empty = false;
    bool is_once = false;  // one iteration, no loop in the code
    /// Values carried from one iteration to the next.
    llvm::SmallVector<llvm::Value*, 8> carried;
  };
  /// Opens a loop; gives the carried values inside.
  llvm::SmallVector<llvm::Value*, 8> enter(const Loop& loop);
  /// Closes the innermost loop; gives the carried values after it.
  llvm::SmallVector<llvm::Value*, 8> leave(llvm::ArrayRef<llvm::Value*> next = {});
  /// Makes the innermost loop's variable a vector of consecutive indices.
  void make_vector(int variable);
  /// The same, where only the first `count` lanes exist.
  void make_vector(int variable, int count);
  /// The same, where lanes at `end` (i64) and beyond do not exist; all may.
  void make_vector(int variable, llvm::Value* end);
  /// The same; where it would begin after `last_begin` it begins there.
  void make_vector_up_to(int variable, int64_t last_begin);
  /// The variable of the innermost loop is `last` where it would be more.
  void limit(int variable, int64_t last);
  /// A variable of the innermost loop that is its variable + offset.
  int shifted(int variable, int64_t offset);
  /// A variable of the innermost loop that is its variable - origin, an i64 below it; without a mask.
  int counted_from(int variable, llvm::Value* origin);
  /// A second name, without lanes, for `variable` + `lane`; clamped to what exists when masked.
  Index lane_index(int variable, int lane);
  int depth() const { return static_cast<int>(scopes_.size()) - 1; }
  const LoopState& state(int variable) { return states_[variable]; }
  bool is_vector(int variable) const {
    const auto it = states_.find(variable);
    return it != states_.end() && it->second.is_vector;
  }

  // ---- values

  /// Emits the demand and what it needs, once.
  Value get(int demand);
  /// Reductions of the same node that are emitted in one loop.
  void batch(std::vector<int> demands);
  Value index(const Index& index);  // i64, or a vector of integers
  /// The i64 of lane 0.
  llvm::Value* lane0(const Index& index) { return scalar_index(index).value; }
  /// Says what a variable is, at the innermost scope.
  void name(int variable, llvm::Value* value) { states_[variable] = {value, depth()}; }
  /// Stores `value`, of type `dtype`, at element `offset` of `buffer`. Streamed: past the caches;
  /// the address is aligned to the vector.
  void store(llvm::Value* buffer, DType dtype, const Index& offset, Value value, bool is_streamed);
  /// From now on demand `id` is read at `offset` of `memory`, which holds its memory form.
  void redirect(int id, llvm::Value* memory, Index offset) {
    redirections_[id] = {memory, std::move(offset)};
  }
  /// Contiguous elements in memory form, at the innermost loop.
  llvm::Value* load_raw(const Node& parameter, const Index& offset);
  void store_raw(llvm::Value* vector, llvm::Value* memory, const Index& offset);
  /// Emits the demand, and stores its vector in memory form: what `redirect` reads.
  void keep(int demand, llvm::Value* memory, const Index& offset);
  llvm::Value* splat(Value value);
  llvm::Value* load_pointer(int number);  // from the buffer table, in the outermost scope

  // ---- values that stay in memory of the kernel

  /// A column reduction whose results along a vector loop are in `memory` (for each of its operands),
  /// not yet with its init.
  struct ColumnTile {
    int demand;  // at `probe`
    int probe;   // variable that stands for the loop's
    llvm::SmallVector<llvm::Value*, 2> memory;
    Index begin;  // of the loop
  };
  std::vector<ColumnTile> column_tiles;
  /// A reduce node (-1: none) whose chunks are reduced already, into this memory.
  std::pair<int, llvm::Value*> chunk_results{-1, nullptr};
  /// A value inside row reduction `owner` that is wanted again along the row. The reduction stores
  /// it.
  struct KeptValue {
    int owner;   // demand of the reduction
    int demand;  // at `probe`
    int probe;   // variable that stands for the position in the row
    llvm::Value* memory;
    bool is_stored = false;
  };
  std::vector<KeptValue> kept_values;
  /// The inputs of reduction `id` at probes, and the probes, one for each reduced dimension.
  const std::vector<int>& inside(int id);
  const std::vector<int>& probes(int id) { return inside(id), probes_[id]; }

  // ---- for the parts (reductions, ...)

  /// Instructions appended while it lives go to the end of scope `depth`.
  class At {
   public:
    At(Emitter& e, int depth) : e_(e), outer_(e.at_) {
      if (outer_ >= 0) e_.scopes_[outer_].end = e_.b.GetInsertBlock();
      e_.at_ = depth;
      e_.b.SetInsertPoint(e_.scopes_[depth].end);
    }
    ~At() {
      e_.scopes_[e_.at_].end = e_.b.GetInsertBlock();
      e_.at_ = outer_;
      if (outer_ >= 0) e_.b.SetInsertPoint(e_.scopes_[outer_].end);
    }
    At(const At&) = delete;
    At& operator=(const At&) = delete;

   private:
    Emitter& e_;
    int outer_;
  };

  llvm::IRBuilder<> b;
  DemandGraph& demands;
  IndexSpace& space;
  llvm::Function* function;
  const int lanes, registers;

  /// The vector variable that `id` depends on, -1: none; and the depth of the innermost loop it
  /// depends on.
  struct Dependence {
    int vector = -1;
    int depth = 0;
  };
  Dependence dependence(int id);
  llvm::Type* type_of(int id);
  [[noreturn]] void unsupported(const Node& node, const std::string& why);
  /// An array on the stack of the kernel.
  llvm::Value* stack_array(llvm::Type* element, int64_t count);
  int64_t stack_bytes = 0;  ///< of all of them
  /// The value of a constant with one element.
  llvm::Constant* constant(const Node& node);
  llvm::Value* i64(int64_t value) { return b.getInt64(value); }
  /// Sets what a demand is (reductions, and parts that are kept elsewhere).
  void set(int id, Value value) { values_[id] = value; }

 private:
  struct Scope {
    llvm::BasicBlock* end = nullptr;
    Loop loop{};
    llvm::BasicBlock* header = nullptr;
    llvm::PHINode* counter = nullptr;
    llvm::SmallVector<llvm::PHINode*, 8> phis;
  };

  void get_loaded_indices(int id);
  void emit(int id);
  void emit_reduction(int id);
  Value load(int id);
  Value load_at(llvm::Value* base, llvm::Type* type, const Index& offset, int predicate);
  Value load_scalar(llvm::Value* base, llvm::Type* type, const Index& offset, int predicate);
  Value load_contiguous(llvm::Value* base, llvm::Type* type, const Index& offset, int variable,
                        int predicate);
  Value load_lanes(llvm::Value* base, llvm::Type* type, const Index& offset, int variable,
                   int predicate);
  Value mask(int variable, int predicate);
  bool is_contiguous(const Index& offset, int variable);
  Value lane_pointers(llvm::Value* base, llvm::Type* type, const Index& offset);
  Value condition(int predicate);
  Value address(llvm::Value* base, llvm::Type* type, const Index& offset);
  Value elementwise(const Node& n, llvm::ArrayRef<int> operands);
  llvm::SmallVector<Value, 2> call(const Node& n, llvm::ArrayRef<int> operands);
  llvm::SmallVector<Value, 2> loop(const Node& n, llvm::ArrayRef<int> operands);
  Value iota(int id);
  llvm::Value* constant_array(const Node& node);
  const Value& derived(int variable);
  Value scalar_index(const Index& index);
  Value vector_index(const Index& index);
  int vector_variable(const Index& index);
  int depth_of(const Index& index);

  std::vector<Scope> scopes_;
  int at_ = -1;  // where an At appends
  std::map<int, LoopState> states_;
  std::map<int, int> twins_;  // of vector variables: lane 0
  std::map<int, Value> values_;
  std::map<int, llvm::SmallVector<Value, 2>> results_;
  std::map<int, std::vector<int>> batches_;
  std::map<Index, Value> indices_, vector_indices_;
  std::map<int, Value> derived_;
  std::map<std::pair<llvm::Value*, Index>, Value> pointers_;
  std::map<int, Value> conditions_;
  std::map<std::pair<llvm::Value*, int>, llvm::Value*> splats_;
  std::map<const Node*, llvm::Value*> constants_;
  std::map<int, llvm::Value*> buffers_;
  std::map<int, std::pair<llvm::Value*, Index>> redirections_;
  std::map<int, std::vector<int>> leaves_;           // of demands: loop variables
  std::map<int, std::vector<int>> inside_, probes_;  // of reductions
  const std::vector<int>& leaves(int id);
};

}  // namespace tenon::cpu
