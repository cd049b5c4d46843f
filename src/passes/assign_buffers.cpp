// Scheduled kernels in; out, on each of them, where its results live (`tenon.buffers`), and on the module the
// size of the one arena (`tenon.temp_size_bytes`).
//
// A result whose argument is donated takes that argument's buffer. The largest temporaries live in buffers of
// results, as long as these are not written yet. The others are placed in one walk over the schedule: over an
// operand that dies here and that the kernel may overwrite, or in the smallest hole of the arena that fits.
//
// A value that a loop carries has one place, that of the loop's result: the loop begins with a copy of the operand
// there (or with the operand itself, when it dies), and what a round makes is written over it as soon as the old value
// is not read any more, or copied there at the end of the round. Results of branches are written to the places of
// the operation's. What blocks inside make for themselves lives in the same arena, above what lives around them.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "dialect/tenon_ops.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/assign_buffers.h"
#include "passes/blocks.h"
#include "passes/cost.h"
#include "passes/in_place.h"
#include "passes/pass.h"

namespace tenon::passes {
namespace {

using mlir::Operation;
using mlir::Value;

constexpr int64_t kAlignment = 64;  // a cache line, and the widest vector

constexpr size_t kMaxTries = 64;    // of buffers asked whether they are free for a value: programs of many results stay linear

int64_t align(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// Offsets of temporaries; its size is the largest that was ever needed.
class Arena {
 public:
  int64_t allocate(int64_t bytes) {
    int64_t wanted = std::max<int64_t>(align(bytes), kAlignment);
    int64_t offset = end_;
    if (auto best = by_size_.lower_bound({wanted, 0}); best != by_size_.end()) {
      const auto [size, begin] = *best;
      offset = begin;
      take_hole(offset);
      if (size > wanted) add_hole(offset + wanted, size - wanted);
    } else {
      if (!holes_.empty() && holes_.rbegin()->first + holes_.rbegin()->second == end_) {  // grow the last hole
        offset = holes_.rbegin()->first;
        take_hole(offset);
      }
      end_ = offset + wanted;
    }
    size_ = std::max(size_, offset + bytes);
    return offset;
  }
  void free(int64_t offset, int64_t bytes) {
    int64_t size = std::max<int64_t>(align(bytes), kAlignment);
    auto next = holes_.lower_bound(offset);
    if (next != holes_.begin()) {
      const auto [begin, length] = *std::prev(next);
      if (begin + length == offset) {
        take_hole(begin);
        offset = begin, size += length;
      }
    }
    if (next != holes_.end() && offset + size == next->first) size += take_hole(next->first);
    add_hole(offset, size);
  }
  int64_t size_bytes() const { return size_; }

 private:
  void add_hole(int64_t offset, int64_t size) {
    holes_[offset] = size;
    by_size_.insert({size, offset});
  }
  /// Gives its size.
  int64_t take_hole(int64_t offset) {
    auto hole = holes_.find(offset);
    const int64_t size = hole->second;
    by_size_.erase({size, offset});
    holes_.erase(hole);
    return size;
  }

  std::map<int64_t, int64_t> holes_;               // offset -> size
  std::set<std::pair<int64_t, int64_t>> by_size_;  // size, offset
  int64_t end_ = 0, size_ = 0;
};

struct Place {
  ir::BufferKind kind = ir::BufferKind::Temp;
  int64_t index = 0, offset = 0;
};

class Assignment {
 public:
  Assignment(mlir::func::FuncOp main, const std::vector<bool>& donated) : body_(main.getBody().front()) {
    for (mlir::BlockArgument argument : body_.getArguments()) {
      places_[argument] = {ir::BufferKind::Argument, argument.getArgNumber()};
    }
    number(body_);
    for (auto [index, operand] : llvm::enumerate(body_.getTerminator()->getOperands())) {
      Value root = buffer_root(operand);
      output_of_[root] = static_cast<int>(index);
      outputs_.push_back({root, static_cast<int>(index), written_[root], bytes_of(root)});
      places_[root] = {ir::BufferKind::Output, static_cast<int64_t>(index)};
    }
    alias_donated(donated);
    lend_outputs();
  }

  void run() { run(body_); }

  MemoryNeed need() const {
    MemoryNeed need{.temporaries = arena_.size_bytes()};
    for (mlir::BlockArgument argument : body_.getArguments()) need.arguments += bytes_of(argument);
    for (const Output& output : outputs_) need.results += output.is_argument ? 0 : bytes_of(body_.getTerminator()->getOperand(static_cast<unsigned>(output.index)));
    return need;
  }

 private:
  struct Output {
    Value root;
    int index;
    int written;  // position of the operation that writes it
    int64_t bytes;
    bool is_argument = false;  // its memory is a donated argument, in use from the start
    std::map<int, Value> guests = {};  // temporaries that live here before it is written, by position
  };

  /// When what is in `block` is written and read for the last time, counted in operations of the block.
  void number(mlir::Block& block) {
    int position = 0;
    for (Operation& op : block) {
      for (Value value : values_read(&op)) {
        Value root = buffer_root(value);
        if (root.getParentBlock() == &block) last_read_[root] = position;
      }
      for (Value result : op.getResults()) written_[result] = position;
      ++position;
    }
  }

  void run(mlir::Block& block) {
    int position = 0;
    for (Operation& op : block.without_terminator()) {
      if (mlir::isa<stablehlo::ConstantOp>(op)) {
        places_[op.getResult(0)] = {ir::BufferKind::Constant, constants_++};
      } else if (!mlir::isa<stablehlo::ReshapeOp>(op)) {
        for (Value result : op.getResults()) {
          if (!places_.contains(result)) place(&op, position, result);
        }
        if (is_control_flow(&op)) run_inside(&op);
        free_operands(&op, position);
        for (Value result : op.getResults()) {  // never read: free at once
          if (!last_read_.contains(result)) release(result);
        }
      }
      annotate(&op);
      ++position;
    }
  }

  void run_inside(Operation* op) {
    for (mlir::Region& region : op->getRegions()) {
      mlir::Block& block = region.front();
      for (mlir::BlockArgument argument : block.getArguments()) share(argument, op->getResult(argument.getArgNumber()));
      const bool decides = mlir::isa<stablehlo::WhileOp>(op) && region.getRegionNumber() == 0;
      if (!decides) write_to_results(op, block);
      number(block);
      run(block);
      for (Operation& inner : block)
        for (Value result : inner.getResults()) release(result);
    }
  }

  /// What `block` gives is written to the results of `op`, or copied there last of all.
  void write_to_results(Operation* op, mlir::Block& block) {
    number(block);
    Operation* terminator = block.getTerminator();
    for (mlir::OpOperand& operand : terminator->getOpOperands()) {
      Value root = buffer_root(operand.get()), result = op->getResult(operand.getOperandNumber());
      if (mlir::isa<mlir::BlockArgument>(root)) continue;  // it is there
      Value before = block.getNumArguments() > 0 ? Value(block.getArgument(operand.getOperandNumber())) : Value();
      auto read = before ? last_read_.find(before) : last_read_.end();
      int last = read == last_read_.end() ? -1 : read->second;
      if (last < written_[root] || (last == written_[root] && can_overwrite(root.getDefiningOp(), before, root))) {
        share(root, result);
        continue;
      }
      mlir::OpBuilder builder(terminator);
      Value copy = ir::CopyOp::create(builder, terminator->getLoc(), operand.get().getType(), operand.get());
      operand.set(copy);
      share(copy, result);
    }
  }

  /// f(x) with x donated: a result of x's type lives in x when x is read for the last time before, or when,
  /// element by element, it is written.
  void alias_donated(const std::vector<bool>& donated) {
    llvm::DenseMap<mlir::Type, std::vector<mlir::BlockArgument>> free;
    for (mlir::BlockArgument argument : body_.getArguments()) {
      const unsigned i = argument.getArgNumber();
      if (i < donated.size() && donated[i]) free[argument.getType()].push_back(argument);
    }
    for (Output& output : outputs_) {
      std::vector<mlir::BlockArgument>& candidates = free[output.root.getType()];
      const size_t tries = std::min(candidates.size(), kMaxTries);
      const auto fits = [&](mlir::BlockArgument argument) {
        auto read = last_read_.find(argument);
        const int last = read == last_read_.end() ? -1 : read->second;
        return last < output.written || (last == output.written && can_overwrite(output.root.getDefiningOp(), argument, output.root));
      };
      const auto argument = std::find_if(candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(tries), fits);
      if (argument == candidates.begin() + static_cast<ptrdiff_t>(tries)) continue;
      places_[output.root] = {ir::BufferKind::Argument, argument->getArgNumber()};
      output.is_argument = true;
      candidates.erase(argument);
    }
  }

  /// Largest first, each temporary goes to the smallest output that is free while it lives; of equal ones to that which is
  /// written last.
  void lend_outputs() {
    std::vector<Value> temporaries;
    int64_t largest = 0;
    for (const Output& output : outputs_) largest = std::max(largest, output.is_argument ? 0 : output.bytes);
    for (Operation& op : body_.without_terminator()) {
      if (mlir::isa<stablehlo::ConstantOp, stablehlo::ReshapeOp>(op)) continue;
      for (Value result : op.getResults()) {
        if (places_.contains(result) || bytes_of(result) > largest) continue;
        if (Output* output = begins_loop_of(result)) {
          output->guests[written_[result]] = result;
          places_[result] = {ir::BufferKind::Output, output->index};
        } else {
          temporaries.push_back(result);
        }
      }
    }
    llvm::stable_sort(temporaries, [](Value a, Value b) { return bytes_of(a) > bytes_of(b); });
    std::vector<Output*> hosts;
    for (Output& output : outputs_)
      if (!output.is_argument) hosts.push_back(&output);
    llvm::stable_sort(hosts, [](Output* a, Output* b) { return a->bytes != b->bytes ? a->bytes < b->bytes : a->written > b->written; });
    for (Value value : temporaries) {
      auto host = llvm::lower_bound(hosts, bytes_of(value), [](Output* output, int64_t bytes) { return output->bytes < bytes; });
      for (size_t tries = 0; host != hosts.end() && tries < kMaxTries; ++host, ++tries) {
        if (!is_free(**host, value)) continue;
        (*host)->guests[written_[value]] = value;
        places_[value] = {ir::BufferKind::Output, (*host)->index};
        break;
      }
    }
  }

  /// The output that a loop writes over `value`, with which it begins.
  Output* begins_loop_of(Value value) {
    for (mlir::OpOperand& use : value.getUses()) {
      if (!mlir::isa<stablehlo::WhileOp>(use.getOwner())) continue;
      auto index = output_of_.find(use.getOwner()->getResult(use.getOperandNumber()));
      if (index == output_of_.end()) continue;
      Output& output = outputs_[static_cast<size_t>(index->second)];
      if (!output.is_argument && output.bytes >= bytes_of(value) && is_free(output, value)) return &output;
    }
    return nullptr;
  }

  int last_read(Value value) const {
    auto read = last_read_.find(value);
    return read == last_read_.end() ? written_.lookup(value) : read->second;
  }

  /// `first` is dead when `second` is written, or is overwritten element by element.
  bool can_follow(Value first, Value second) const {
    int last = last_read(first), written = written_.lookup(second);
    if (written_.lookup(first) >= written) return false;
    return last < written || (last == written && can_overwrite(second.getDefiningOp(), first, second));
  }
  bool is_free(const Output& output, Value value) const {
    auto next = output.guests.lower_bound(written_.lookup(value));
    if (next != output.guests.end() && !can_follow(value, next->second)) return false;
    if (next != output.guests.begin() && !can_follow(std::prev(next)->second, value)) return false;
    return can_follow(value, output.root);
  }

  void place(Operation* op, int position, Value value) {
    for (Value operand : op->getOperands()) {
      Value root = buffer_root(operand);
      if (!temps_.contains(root) || root.getParentBlock() != op->getBlock() || last_read_[root] != position || !can_overwrite(op, root, value))
        continue;
      share(value, root);
      temps_.insert(value);
      temps_.erase(root);
      return;
    }
    places_[value] = {ir::BufferKind::Temp, 0, arena_.allocate(bytes_of(value))};
    temps_.insert(value);
  }

  void free_operands(Operation* op, int position) {
    for (Value value : values_read(op)) {
      Value root = buffer_root(value);
      if (root.getParentBlock() == op->getBlock() && last_read_[root] == position) release(root);
    }
  }
  /// `value` lives where `other` does.
  void share(Value value, Value other) {
    const Place place = places_.lookup(other);  // a copy: the map may move when it grows
    places_[value] = place;
  }
  void release(Value root) {
    if (temps_.erase(root)) arena_.free(places_[root].offset, bytes_of(root));
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
  llvm::DenseMap<Value, int> output_of_;  // the one whose root it is
  llvm::DenseMap<Value, int> last_read_, written_;
  llvm::DenseMap<Value, Place> places_;
  llvm::DenseSet<Value> temps_;  // alive now, in the arena
  Arena arena_;
  int64_t constants_ = 0;
};

}  // namespace

MemoryNeed memory_need(mlir::func::FuncOp main, const std::vector<bool>& donated) {
  const mlir::OwningOpRef<mlir::func::FuncOp> copy(main.clone());  // it places copies
  Assignment assignment(*copy, donated);
  assignment.run();
  return assignment.need();
}

void assign_buffers(mlir::ModuleOp module, PassContext& context) {
  mlir::func::FuncOp main = main_function(module);
  Assignment assignment(main, context.options.donated);
  assignment.run();
  mlir::Builder builder(module.getContext());
  module->setAttr("tenon.temp_size_bytes", builder.getI64IntegerAttr(assignment.need().temporaries));
}

}  // namespace tenon::passes
