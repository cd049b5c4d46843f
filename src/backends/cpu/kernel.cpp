#include "backends/cpu/kernel.h"

#include <algorithm>
#include <map>

#include "backends/cpu/emitter.h"
#include "backends/cpu/ir_number.h"
#include "backends/cpu/loop_nest.h"
#include "backends/cpu/scalar_table.h"
#include "llvm/IR/Module.h"

namespace tenon::cpu {

// Instructions of a block of a vector loop: some 10 us.
static constexpr double kBlockCost = 1 << 15;
static constexpr double kSecondsPerInstruction = 0.4e-9;  // of a vector; measured on AVX2 at 3 GHz
// Bodies from this cost on are emitted once, for whole and partial vectors alike: a copy costs 1 ms
// to compile.
static constexpr int64_t kHeavyBody = 30;
static constexpr int64_t kLightBody = 12;  // unrolled

namespace {

class KernelEmitter {
 public:
  KernelEmitter(llvm::Module& module, const Graph& graph, std::vector<int> roots, const Target& target, int lanes,
                const std::string& symbol)
      : graph_(graph),
        roots_(std::move(roots)),
        lanes_(lanes),
        nest_(plan_loops(graph, roots_, lanes)),
        demands_(graph, space_),
        function_(declare(module, target, symbol)),
        e_(demands_, function_, lanes) {
    result_.symbol = symbol;
  }

  KernelFunction emit();

 private:
  static llvm::Function* declare(llvm::Module& module, const Target& target, const std::string& symbol);
  void plan_units();
  void vector_loops(llvm::Value* begin, llvm::Value* end, const Indices& outer);
  void inner_loops(size_t loop, Indices loops, int copies, int vector_variable);
  void body(const std::vector<Indices>& copies);

  const Graph& graph_;
  const std::vector<int> roots_;
  const int lanes_;
  const LoopNest nest_;
  IndexSpace space_;
  DemandGraph demands_;
  llvm::Function* function_;
  Emitter e_;
  KernelFunction result_;
  // Units: outer loops, then blocks of the next loop.
  size_t outer_loops_ = 0;
  int64_t block_ = 0, blocks_ = 1;
  int copies_ = 1;
};

llvm::Function* KernelEmitter::declare(llvm::Module& module, const Target& target, const std::string& symbol) {
  llvm::LLVMContext& context = module.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* integer = llvm::Type::getInt64Ty(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, integer, integer}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, module);
  function->setDoesNotThrow();
  function->addFnAttr("target-cpu", target.cpu);
  function->addFnAttr("tune-cpu", target.tune);
  function->addFnAttr("prefer-vector-width", std::to_string(target.vector_bits));
  function->addFnAttr("no-trapping-math", "true");
  function->addFnAttr("no-builtins");
  return function;
}

void KernelEmitter::plan_units() {
  const int loops = static_cast<int>(nest_.extents.size());
  const bool has_vector = nest_.vector >= 0;
  outer_loops_ = has_vector ? nest_.vector : std::max(0, loops - (nest_.cost > 2000 ? 0 : 1));
  int64_t outer = 1;
  for (size_t k = 0; k < outer_loops_; ++k) outer *= nest_.extents[k];
  int64_t inner = 1;
  for (size_t k = outer_loops_ + 1; k < nest_.extents.size(); ++k) inner *= nest_.extents[k];
  if (has_vector) {
    const int64_t extent = nest_.extents[nest_.vector];
    if (nest_.has_column_reduction && inner == 1 && extent >= 4 * lanes_) {
      copies_ = 4;
    } else if (!nest_.has_reduction && inner == 1 && nest_.cost <= kLightBody && extent >= 4 * lanes_) {
      copies_ = 2;
    }
    // What was reduced once for the whole loop would be reduced in each block again.
    const bool is_cut = !nest_.has_reduction || nest_.has_column_reduction || nest_.row_loops.count(nest_.vector);
    const double cost = nest_.cost * static_cast<double>(inner) / lanes_;
    const int64_t step = int64_t{copies_} * std::max(lanes_, 16);
    const int64_t steps = (extent + step - 1) / step;
    const double wanted = kBlockCost / (cost * static_cast<double>(step));
    block_ = (is_cut && wanted < static_cast<double>(steps) ? std::max(int64_t{1}, static_cast<int64_t>(wanted)) : steps) * step;
    blocks_ = (extent + block_ - 1) / block_;
  } else if (outer_loops_ < nest_.extents.size()) {
    block_ = nest_.extents[outer_loops_];
  }
  result_.units = outer * blocks_;
  int64_t elements = inner;
  if (block_) elements *= std::min(block_, nest_.extents[outer_loops_]);
  result_.unit_seconds =
      kSecondsPerInstruction * nest_.cost * static_cast<double>(elements) / (has_vector || nest_.has_reduction ? lanes_ : 1);
}

KernelFunction KernelEmitter::emit() {
  if (element_count(graph_.nodes[graph_.roots[roots_[0]]].shape) == 0) {
    result_.units = 0;
  } else {
    plan_units();
    llvm::Value* begin = function_->getArg(1);
    llvm::Value* end = function_->getArg(2);
    const bool is_flat = outer_loops_ == 0 && nest_.vector == 0;
    if (result_.units == 1) {
      vector_loops(e_.i64(0), e_.i64(block_), {});
    } else if (is_flat) {
      llvm::Value *first, *last;
      {
        Emitter::At at(e_, 0);
        first = e_.b.CreateMul(begin, e_.i64(block_));
        last = binary_intrinsic(e_.b, llvm::Intrinsic::smin, e_.b.CreateMul(end, e_.i64(block_)), e_.i64(nest_.extents[0]));
      }
      vector_loops(first, last, {});
    } else {
      const int unit = space_.add_loop(0, result_.units - 1);
      e_.enter({unit, begin, end, 1, true, false, {}});
      Index rest = IndexSpace::variable(unit);
      llvm::Value *first = e_.i64(0), *last = e_.i64(block_);
      if (blocks_ > 1) {
        first = e_.index(space_.multiply(space_.remainder(rest, blocks_), block_)).value;
        rest = space_.quotient(rest, blocks_);
        Emitter::At at(e_, e_.depth());
        last = binary_intrinsic(e_.b, llvm::Intrinsic::smin, e_.b.CreateAdd(first, e_.i64(block_)),
                                e_.i64(nest_.extents[outer_loops_]));
      } else if (block_ > 0) {
        last = e_.i64(nest_.extents[outer_loops_]);
      }
      Indices outer(outer_loops_);
      for (size_t k = outer_loops_; k-- > 0;) {
        outer[k] = k == 0 ? rest : space_.remainder(rest, nest_.extents[k]);
        rest = space_.quotient(rest, nest_.extents[k]);
      }
      vector_loops(first, last, outer);
      e_.leave();
    }
  }
  Emitter::At at(e_, 0);
  e_.b.CreateRetVoid();
  return result_;
}

// The loop after the outer ones, from `begin` to `end`; the vector loop when there is one.
void KernelEmitter::vector_loops(llvm::Value* begin, llvm::Value* end, const Indices& outer) {
  const size_t loop = outer_loops_;
  if (loop == nest_.extents.size()) {
    inner_loops(loop, outer, 1, -1);
    return;
  }
  const int64_t extent = nest_.extents[loop];
  const auto run = [&](int64_t from, int64_t to, llvm::Value* first, llvm::Value* last, int64_t step, int copies, auto make_vector) {
    if (from >= to) return;
    const bool is_static = llvm::isa<llvm::ConstantInt>(first) && llvm::isa<llvm::ConstantInt>(last);
    const bool is_once = is_static && to - from <= step;
    // What the variable can be: the last copies and lanes lie within the extent.
    const int variable = space_.add_loop(from, to - 1 - (copies - 1) * lanes_ * (nest_.vector >= 0));
    e_.enter({variable, first, last, step, !is_static, is_once, {}});
    make_vector(variable);
    Indices loops = outer;
    loops.push_back(IndexSpace::variable(variable));
    inner_loops(loop + 1, std::move(loops), copies, variable);
    e_.leave();
  };
  if (nest_.vector < 0) {
    run(0, extent, begin, result_.units == 1 || blocks_ == 1 ? e_.i64(extent) : end, 1, 1, [](int) {});
    return;
  }
  if (blocks_ == 1) end = e_.i64(extent);
  const int64_t step = int64_t{copies_} * lanes_;
  const int64_t rest = extent % step;
  if (rest != 0 && nest_.row_loops.count(nest_.vector) && extent >= lanes_) {
    // Results of reductions never take the place of an operand, so the last vector may overlap the
    // one before.
    run(0, extent, begin, end, lanes_, 1, [&](int v) { e_.make_vector_up_to(v, extent - lanes_); });
    return;
  }
  if (rest != 0 && nest_.body_cost > kHeavyBody) {
    run(0, extent, begin, end, lanes_, 1, [&](int v) { e_.make_vector(v, end); });
    return;
  }
  llvm::Value* full_end = end;
  if (rest != 0) {
    // Blocks are multiples of the step, so only the last has a rest.
    Emitter::At at(e_, e_.depth());
    full_end = blocks_ == 1 ? e_.i64(extent - rest) : binary_intrinsic(e_.b, llvm::Intrinsic::smin, end, e_.i64(extent - rest));
  }
  run(0, extent - rest, begin, full_end, step, copies_, [&](int v) { e_.make_vector(v); });
  if (rest == 0) return;
  if (rest < lanes_) {
    run(extent - rest, extent, full_end, end, lanes_, 1, [&](int v) { e_.make_vector(v, static_cast<int>(rest)); });
  } else if (rest % lanes_ == 0) {
    run(extent - rest, extent, full_end, end, lanes_, 1, [&](int v) { e_.make_vector(v); });
  } else {
    run(extent - rest, extent, full_end, end, lanes_, 1, [&](int v) { e_.make_vector(v, end); });
  }
}

// Loops inside the vector loop; then the body, for `copies` vectors.
void KernelEmitter::inner_loops(size_t loop, Indices loops, int copies, int vector_variable) {
  if (loop < nest_.extents.size()) {
    const int variable = space_.add_loop(0, nest_.extents[loop] - 1);
    e_.enter({variable, e_.i64(0), e_.i64(nest_.extents[loop]), 1, false, false, {}});
    loops.push_back(IndexSpace::variable(variable));
    inner_loops(loop + 1, std::move(loops), copies, vector_variable);
    e_.leave();
    return;
  }
  std::vector<Indices> all;
  for (int c = 0; c < copies; ++c) {
    Indices shifted = loops;
    if (c > 0) shifted[nest_.vector] = space_.add(shifted[nest_.vector], c * lanes_);
    all.push_back(nest_.result_index(space_, shifted));
  }
  body(all);
}

// Values of all copies first, then the stores: a result may take the place of an operand.
void KernelEmitter::body(const std::vector<Indices>& copies) {
  std::vector<int> wanted;
  for (const Indices& at : copies) {
    for (int root : roots_) wanted.push_back(demands_.demand(graph_.roots[root], at));
  }
  if (copies.size() > 1 && nest_.has_reduction) {
    std::map<int, std::vector<int>> reductions;
    std::vector<int> work(wanted);
    std::map<int, bool> seen;
    while (!work.empty()) {
      const int id = work.back();
      work.pop_back();
      if (std::exchange(seen[id], true)) continue;
      if (demands_.node(id).kind == NodeKind::reduce) reductions[demands_[id].node].push_back(id);
      for (int operand : demands_.operands(id)) work.push_back(operand);
    }
    for (auto& [node, ids] : reductions) {
      std::ranges::sort(ids);
      const auto same = [&](int id) {
        const auto a = e_.dependence(id), b = e_.dependence(ids[0]);
        return a.depth == b.depth && a.vector == b.vector;
      };
      if (ids.size() > 1 && std::ranges::all_of(ids, same)) e_.batch(ids);
    }
  }
  std::vector<Value> values;
  for (int id : wanted) values.push_back(e_.get(id));
  size_t k = 0;
  for (const Indices& at : copies) {
    for (int root : roots_) {
      Index offset;
      for (size_t d = 0; d < at.size(); ++d)
        offset = space_.add(offset, space_.multiply(at[d], graph_.root_strides[root][d]));
      llvm::Value* buffer = e_.load_pointer(graph_.parameters + root);
      e_.store(buffer, graph_.nodes[graph_.roots[root]].dtype, offset, values[k++]);
    }
  }
}

}  // namespace

Kernel emit_kernel(llvm::Module& module, const Graph& graph, const Target& target) {
  // Lanes by the widest numbers, so that no value takes two registers.
  int width = 4;
  for (const Node& n : graph.nodes) {
    if (n.kind != NodeKind::iota && n.kind != NodeKind::constant) width = std::max(width, n.dtype.itemsize());
  }
  const int lanes = target.vector_bits / 8 / std::min(width, 8);
  // Results of one shape share their loops.
  std::map<Dims, std::vector<int>> groups;
  std::vector<Dims> order;
  for (size_t r = 0; r < graph.roots.size(); ++r) {
    const Dims& shape = graph.nodes[graph.roots[r]].shape;
    if (groups[shape].empty()) order.push_back(shape);
    groups[shape].push_back(static_cast<int>(r));
  }
  Kernel kernel{graph.name, {}};
  for (const Dims& shape : order) {
    const std::string symbol = kernel.functions.empty() ? graph.name : graph.name + "." + std::to_string(kernel.functions.size());
    kernel.functions.push_back(KernelEmitter(module, graph, groups[shape], target, lanes, symbol).emit());
  }
  return kernel;
}

}  // namespace tenon::cpu
