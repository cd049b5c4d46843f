// Scheduled kernels in; out, on each of them, where its results live (`tenon.buffers`), and on the module the
// size of the one arena (`tenon.temp_size_bytes`).
//
// One walk in the order of the schedule. A temporary takes, in this order of preference: the place of an operand
// that dies here and that the kernel may overwrite; the buffer of a result of the program that is not written
// yet; the smallest hole of the arena that fits. A result whose argument is donated takes that argument's buffer.
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "dialect/tenon_ops.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/cost.h"
#include "passes/in_place.h"
#include "passes/pass.h"

namespace tenon::passes {
namespace {

using mlir::Operation;
using mlir::Value;

constexpr int64_t kAlignment = 64;  // a cache line, and the widest vector

int64_t align(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// Offsets of temporaries; its size is the largest that was ever needed.
class Arena {
 public:
  int64_t allocate(int64_t bytes) {
    int64_t wanted = std::max<int64_t>(align(bytes), kAlignment);
    auto best = holes_.end();
    for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
      if (hole->second >= wanted && (best == holes_.end() || hole->second < best->second)) best = hole;
    }
    int64_t offset = end_;
    if (best != holes_.end()) {
      offset = best->first;
      int64_t rest = best->second - wanted;
      holes_.erase(best);
      if (rest > 0) holes_[offset + wanted] = rest;
    } else {
      if (!holes_.empty() && holes_.rbegin()->first + holes_.rbegin()->second == end_) {  // grow the last hole
        offset = holes_.rbegin()->first;
        holes_.erase(offset);
      }
      end_ = offset + wanted;
    }
    size_ = std::max(size_, offset + bytes);
    return offset;
  }
  void free(int64_t offset, int64_t bytes) {
    auto hole = holes_.emplace(offset, std::max<int64_t>(align(bytes), kAlignment)).first;
    auto next = std::next(hole);
    if (next != holes_.end() && hole->first + hole->second == next->first) {
      hole->second += next->second;
      holes_.erase(next);
    }
    if (hole != holes_.begin()) {
      auto previous = std::prev(hole);
      if (previous->first + previous->second == hole->first) {
        previous->second += hole->second;
        holes_.erase(hole);
      }
    }
  }
  int64_t size_bytes() const { return size_; }

 private:
  std::map<int64_t, int64_t> holes_;  // offset -> size
  int64_t end_ = 0, size_ = 0;
};

struct Place {
  ir::BufferKind kind;
  int64_t index = 0, offset = 0;
};

class Assignment {
 public:
  Assignment(mlir::func::FuncOp main, const std::vector<bool>& donated) : body_(main.getBody().front()) {
    for (mlir::BlockArgument argument : body_.getArguments()) {
      places_[argument] = {ir::BufferKind::Argument, argument.getArgNumber()};
    }
    int position = 0;
    for (Operation& op : body_) {
      for (Value operand : op.getOperands()) last_read_[buffer_root(operand)] = position;
      for (Value result : op.getResults()) written_[result] = position;
      ++position;
    }
    for (auto [index, operand] : llvm::enumerate(body_.getTerminator()->getOperands())) {
      Value root = buffer_root(operand);
      outputs_.push_back({root, static_cast<int>(index), written_[root], bytes_of(root)});
      places_[root] = {ir::BufferKind::Output, static_cast<int64_t>(index)};
    }
    alias_donated(donated);
  }

  void run() {
    int64_t constants = 0;
    int position = 0;
    for (Operation& op : body_.without_terminator()) {
      if (mlir::isa<stablehlo::ConstantOp>(op)) {
        places_[op.getResult(0)] = {ir::BufferKind::Constant, constants++};
      } else if (!mlir::isa<stablehlo::ReshapeOp>(op)) {
        for (Value result : op.getResults()) {
          if (!places_.contains(result)) place(&op, position, result);
        }
        free_operands(&op, position);
        for (Value result : op.getResults()) {  // never read: free at once
          if (!last_read_.contains(result)) release(result);
        }
      }
      annotate(&op);
      ++position;
    }
  }

  int64_t temp_size_bytes() const { return arena_.size_bytes(); }

 private:
  struct Output {
    Value root;
    int index;
    int written;  // position of the operation that writes it
    int64_t bytes;
    bool lent = false;  // to a temporary
  };

  /// f(x) with x donated: a result of x's type lives in x when x is read for the last time before, or when,
  /// element by element, it is written.
  void alias_donated(const std::vector<bool>& donated) {
    std::vector<bool> taken(body_.getNumArguments());
    for (Output& output : outputs_) {
      for (mlir::BlockArgument argument : body_.getArguments()) {
        unsigned i = argument.getArgNumber();
        if (i >= donated.size() || !donated[i] || taken[i] || argument.getType() != output.root.getType()) continue;
        auto read = last_read_.find(argument);
        int last = read == last_read_.end() ? -1 : read->second;
        if (last > output.written) continue;
        if (last == output.written && !can_overwrite(output.root.getDefiningOp(), argument, output.root)) continue;
        places_[output.root] = {ir::BufferKind::Argument, i};
        output.lent = true;  // its memory is in use from the start
        taken[i] = true;
        break;
      }
    }
  }

  void place(Operation* op, int position, Value value) {
    int last = last_read_.contains(value) ? last_read_[value] : position;
    for (Value operand : op->getOperands()) {
      Value root = buffer_root(operand);
      auto temp = temps_.find(root);
      if (temp == temps_.end() || last_read_[root] != position || !can_overwrite(op, root, value)) continue;
      if (temp->second && !fits(*temp->second, last, value)) continue;
      places_[value] = places_[root];
      temps_[value] = temps_[root];
      temps_.erase(root);
      return;
    }
    Output* best = nullptr;
    for (Output& output : outputs_) {
      if (output.lent || output.bytes < bytes_of(value) || output.written <= position) continue;
      if (fits(output, last, value) && (!best || output.bytes < best->bytes)) best = &output;
    }
    if (best) {
      best->lent = true;
      places_[value] = {ir::BufferKind::Output, best->index};
      temps_[value] = best;
    } else {
      places_[value] = {ir::BufferKind::Temp, 0, arena_.allocate(bytes_of(value))};
      temps_[value] = nullptr;
    }
  }

  /// A temporary that is read until `last` can live in the output's buffer.
  bool fits(const Output& output, int last, Value value) {
    return last < output.written || (last == output.written && can_overwrite(output.root.getDefiningOp(), value, output.root));
  }

  void free_operands(Operation* op, int position) {
    for (Value operand : op->getOperands()) {
      Value root = buffer_root(operand);
      if (last_read_[root] == position) release(root);
    }
  }
  void release(Value root) {
    auto temp = temps_.find(root);
    if (temp == temps_.end()) return;
    if (temp->second) {
      temp->second->lent = false;
    } else {
      arena_.free(places_[root].offset, bytes_of(root));
    }
    temps_.erase(temp);
  }

  void annotate(Operation* op) {
    if (op->getNumResults() == 0) return;
    llvm::SmallVector<mlir::Attribute> buffers;
    for (Value result : op->getResults()) {
      Place place = places_[buffer_root(result)];
      buffers.push_back(ir::BufferAttr::get(op->getContext(), place.kind, place.index, place.offset));
    }
    op->setDiscardableAttr("tenon.buffers", mlir::ArrayAttr::get(op->getContext(), buffers));
  }

  mlir::Block& body_;
  std::vector<Output> outputs_;
  llvm::DenseMap<Value, int> last_read_, written_;
  llvm::DenseMap<Value, Place> places_;
  llvm::DenseMap<Value, Output*> temps_;  // alive now; the output whose buffer they borrow, or null
  Arena arena_;
};

}  // namespace

void assign_buffers(mlir::ModuleOp module, PassContext& context) {
  mlir::func::FuncOp main = main_function(module);
  Assignment assignment(main, context.options.donated);
  assignment.run();
  mlir::Builder builder(module.getContext());
  module->setAttr("tenon.temp_size_bytes", builder.getI64IntegerAttr(assignment.temp_size_bytes()));
}

}  // namespace tenon::passes
