#include "backends/cpu/kernel_emitter.h"

#include <algorithm>
#include <map>

#include "backends/cpu/debug_info.h"
#include "backends/cpu/ir_number.h"
#include "backends/cpu/scalar_table.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "math/reduction_order.h"

namespace tenon::cpu {

// Instructions of a block of a vector loop: some 10 us.
static constexpr double kBlockCost = 1 << 15;
// Bodies from this cost on are emitted once, for whole and partial vectors alike: a copy costs 1 ms
// to compile.
static constexpr int64_t kHeavyBody = 30;
static constexpr int64_t kLightBody = 12;  // unrolled
static constexpr int64_t kWideBody = 36;    // four chains side by side from here
static constexpr int64_t kLongBody = 300;   // one again: code for more takes long to compile
// Column reductions over this many columns go through tiles in memory (column_tiles.cpp); narrower
// ones stay in registers.
static constexpr int64_t kTiledColumns = 64;
static constexpr int64_t kTileWidth = 2048;  // best of 512..2048 on the sum of 4096 columns, AVX2
// Results from this size on go past the caches. A copy of 16 MB takes half the time so, and a copy that
// is read again takes the same from 12 MB on (Zen 3 with 32 MB of shared cache).
static constexpr int64_t kStreamedBytes = int64_t{12} << 20;

// How many registers a vector is. A chain of dependent operations leaves units idle that a second
// one fills; and where a round is longer than what the processor looks ahead (some 200 instructions),
// four chains side by side: log, add, exp take 1.0 ns an element instead of 1.25, gelu 0.8 instead of
// 0.95, tanh alone the same (EPYC, AVX2).
// AVX-512 has twice the registers and half the rounds.
static int registers_per_vector(const LoopNest& nest, int lanes, const Target& target) {
  const bool is_vector = target.vector_bits < 512 && nest.vector >= 0 && nest.tile < 0;
  // Rows whose elements are computed, not only read (softmax): as many lanes as the order of reductions has.
  const bool has_heavy_rows = is_vector && nest.has_row_reduction && !nest.has_column_reduction &&
                              !nest.has_short_rows && nest.row_loops.count(nest.vector) == 0 &&
                              nest.cost - static_cast<double>(nest.body_cost) > kLightBody;
  if (has_heavy_rows && 2 * lanes == math::kLanes && nest.extents[nest.vector] >= 16 * lanes) return 2;
  if (!is_vector || nest.has_reduction || nest.body_cost <= kLightBody || nest.extents[nest.vector] < 8 * lanes) return 1;
  if (nest.body_cost > kLongBody) return 1;
  return nest.body_cost > kWideBody && nest.extents[nest.vector] >= 16 * lanes ? 4 : 2;
}

KernelEmitter::KernelEmitter(llvm::Module& module, const Graph& graph, std::vector<int> roots,
                             const Target& target, int lanes, const std::string& symbol)
    : graph_(graph),
      roots_(std::move(roots)),
      nest_(plan_loops(graph, roots_, lanes)),
      is_long_(is_long(graph, nest_)),
      lanes_(registers_per_vector(nest_, lanes, target) * lanes),
      demands_(graph, space_),
      function_(declare(module, target, symbol)),
      e_(demands_, function_, lanes_, lanes_ / lanes) {
  result_.symbol = function_->getName().str();
  describe_kernel(*function_, graph);
  if (llvm::DISubprogram* program = function_->getSubprogram())
    e_.b.SetCurrentDebugLocation(llvm::DILocation::get(module.getContext(), program->getLine(), 0, program));
}

llvm::Function* KernelEmitter::declare(llvm::Module& module, const Target& target,
                                       const std::string& symbol) {
  llvm::LLVMContext& context = module.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* integer = llvm::Type::getInt64Ty(context);
  auto* type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, integer, integer}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, module);
  function->setDoesNotThrow();
  function->addFnAttr("target-cpu", target.cpu);
  function->addFnAttr("tune-cpu", target.tune);
  function->addFnAttr("prefer-vector-width", std::to_string(target.vector_bits));
  function->addFnAttr("no-trapping-math", "true");
  function->addFnAttr("no-builtins");
  return function;
}

KernelFunction KernelEmitter::emit() {
  if (element_count(graph_.nodes[graph_.roots[roots_[0]]].shape) == 0) {
    result_.units = 0;
  } else if (nest_.tile >= 0) {
    plan_tiles();
    emit_tiles();
  } else {
    if (has_chunks_)
      e_.chunk_results = {
          demands_[splittable_reduction()].node,
          e_.load_pointer(graph_.chunk_slot())};
    plan_units();
    if (has_chunks_) result_.unit_seconds = 1e-6;
    const bool is_flat = outer_.empty() && (result_.units == 1 || block_loop_ >= 0);
    is_flat ? emit_flat() : emit_units();
  }
  Emitter::At at(e_, 0);
#if defined(__x86_64__)
  // Streamed stores are seen by other threads after a fence only.
  if (has_streamed_)
    e_.b.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, llvm::ArrayRef<llvm::Type*>(),
                         llvm::ArrayRef<llvm::Value*>());
#endif
  e_.b.CreateRetVoid();
  return result();
}

void KernelEmitter::plan_units() {
  const int loops = static_cast<int>(nest_.extents.size());
  const bool has_vector = nest_.vector >= 0;
  const int outer_loops =
      has_vector ? nest_.vector : std::max(0, loops - (nest_.cost > 2000 ? 0 : 1));
  int64_t outer = 1, inner = 1;
  for (int k = 0; k < loops; ++k) {
    if (k < outer_loops)
      outer_.push_back(k), outer *= nest_.extents[k];
    else if (k > outer_loops)
      inner *= nest_.extents[k];
  }
  if (outer_loops < loops) block_loop_ = outer_loops, block_ = nest_.extents[outer_loops];
  if (has_vector) {
    const int64_t extent = nest_.extents[nest_.vector];
    if (nest_.has_column_reduction && inner == 1 && extent >= kTiledColumns &&
        !nest_.has_row_reduction) {
      has_column_tiles_ = true;
      block_ = kTileWidth;
    } else if (nest_.has_column_reduction && inner == 1 && extent >= 4 * lanes_) {
      copies_ = 4;
    } else if (!nest_.has_reduction && inner == 1 && nest_.cost <= kLightBody &&
               extent >= 4 * lanes_) {
      copies_ = 2;
    }
    // What was reduced once for the whole loop would be reduced in each block again.
    const bool is_cut =
        !nest_.has_reduction || nest_.has_column_reduction || nest_.row_loops.count(nest_.vector);
    const double cost = nest_.cost * static_cast<double>(inner) / lanes_;
    const int64_t step = int64_t{copies_} * std::max(lanes_, 16);
    const int64_t steps = (extent + step - 1) / step;
    const double wanted = kBlockCost / (cost * static_cast<double>(step));
    if (!has_column_tiles_)
      block_ = (is_cut && wanted < static_cast<double>(steps)
                    ? std::max(int64_t{1}, static_cast<int64_t>(wanted))
                    : steps) *
               step;
    if (is_long_) block_ = std::max(block_, kStrip);
    blocks_ = (extent + block_ - 1) / block_;
  }
  result_.units = outer * blocks_;
  int64_t elements = inner;
  if (block_loop_ >= 0) elements *= std::min(block_, nest_.extents[block_loop_]);
  result_.unit_seconds = kSecondsPerInstruction * nest_.cost * static_cast<double>(elements) /
                         (has_vector || nest_.has_reduction ? lanes_ : 1);
}

// Units are consecutive blocks of one loop: one loop over all of them.
void KernelEmitter::emit_flat() {
  Loops loops(nest_.extents.size());
  if (block_loop_ < 0) {
    inner_loops(0, loops, 1);
  } else if (result_.units == 1) {
    block_loop(e_.i64(0), e_.i64(nest_.extents[block_loop_]), loops);
  } else {
    llvm::Value *first, *last;
    {
      Emitter::At at(e_, 0);
      first = e_.b.CreateMul(function_->getArg(1), e_.i64(block_));
      last = binary_intrinsic(e_.b, llvm::Intrinsic::smin,
                              e_.b.CreateMul(function_->getArg(2), e_.i64(block_)),
                              e_.i64(nest_.extents[block_loop_]));
    }
    block_loop(first, last, loops);
  }
}

void KernelEmitter::emit_units() {
  Loops loops(nest_.extents.size());
  const int unit = space_.add_loop(0, result_.units - 1);
  e_.enter({unit, function_->getArg(1), function_->getArg(2), 1, true, false, {}});
  Index rest = IndexSpace::variable(unit);
  llvm::Value *first = e_.i64(0),
              *last = block_loop_ < 0 ? nullptr : e_.i64(nest_.extents[block_loop_]);
  if (blocks_ > 1) {
    first = e_.index(space_.multiply(space_.remainder(rest, blocks_), block_)).value;
    rest = space_.quotient(rest, blocks_);
    Emitter::At at(e_, e_.depth());
    last =
        binary_intrinsic(e_.b, llvm::Intrinsic::smin, e_.b.CreateAdd(first, e_.i64(block_)), last);
  }
  for (size_t k = outer_.size(); k-- > 0;) {
    loops[outer_[k]] = k == 0 ? rest : space_.remainder(rest, nest_.extents[outer_[k]]);
    rest = space_.quotient(rest, nest_.extents[outer_[k]]);
  }
  block_loop_ < 0 ? inner_loops(static_cast<int>(nest_.extents.size()), loops, 1)
                  : block_loop(first, last, loops);
  store_row_results(loops);
  e_.leave();
}

// The loop after the outer ones, from `begin` to `end`: multiples of the block, or the extent.
void KernelEmitter::block_loop(llvm::Value* begin, llvm::Value* end, const Loops& loops) {
  const int64_t extent = nest_.extents[block_loop_];
  const bool is_vector = nest_.vector >= 0;
  const auto run = [&](int64_t from, int64_t to, llvm::Value* first, llvm::Value* last,
                       int64_t step, int copies, auto make_vector) {
    if (from >= to) return;
    const bool is_static =
        llvm::isa<llvm::ConstantInt>(first) && llvm::isa<llvm::ConstantInt>(last);
    const bool is_once = is_static && to - from <= step;
    // What the variable can be: the last copy lies within the extent.
    const int variable = space_.add_loop(from, to - 1 - (copies - 1) * lanes_);
    e_.enter({variable, first, last, step, !is_static, is_once, {}});
    make_vector(variable);
    Loops inside = loops;
    inside[block_loop_] = IndexSpace::variable(variable);
    inner_loops(block_loop_ + 1, std::move(inside), copies);
    e_.leave();
  };
  if (!is_vector) {
    run(0, extent, begin, end, 1, 1, [](int) {});
    return;
  }
  if (is_long_) {
    emit_segments(begin, end, loops);
    return;
  }
  if (has_column_tiles_) emit_column_tiles(begin, end, loops);
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
    full_end = binary_intrinsic(e_.b, llvm::Intrinsic::smin, end, e_.i64(extent - rest));
  }
  if (std::optional<MaskedTail> tail = masked_tail(loops)) {
    llvm::Value* const visible_end = tail->begin(e_, step, extent);
    run(0, extent, begin, visible_end, step, copies_, [&](int v) { e_.make_vector(v); });
    tail_ = &*tail;
    run(0, extent, visible_end, end, step, copies_, [&](int v) { e_.make_vector(v); });
    tail_ = nullptr;
    return;
  }
  run(0, extent - rest, begin, full_end, step, copies_, [&](int v) { e_.make_vector(v); });
  if (rest == 0) return;
  if (rest < lanes_) {
    run(extent - rest, extent, full_end, end, lanes_, 1,
        [&](int v) { e_.make_vector(v, static_cast<int>(rest)); });
  } else if (rest % lanes_ == 0) {
    run(extent - rest, extent, full_end, end, lanes_, 1, [&](int v) { e_.make_vector(v); });
  } else {
    run(extent - rest, extent, full_end, end, lanes_, 1, [&](int v) { e_.make_vector(v, end); });
  }
}

// Of the results of whole rows that reductions of the row go into.
std::optional<MaskedTail> KernelEmitter::masked_tail(const Loops& loops) {
  const int64_t extent = nest_.extents[nest_.vector];
  if (!nest_.has_row_reduction || nest_.vector + 1 != static_cast<int>(nest_.extents.size()) || nest_.row_loops.count(nest_.vector) ||
      block_ < extent || extent % (int64_t{copies_} * lanes_) != 0 || extent < 8 * math::kLanes)
    return std::nullopt;
  const int probe = space_.add_loop(0, extent - 1);
  Loops inside = loops;
  inside[nest_.vector] = IndexSpace::variable(probe);
  return MaskedTail::find(e_, demand_roots(nest_.result_index(space_, inside)), probe);
}

// Loops from number `loop` on that are not open yet; then the body, for `copies` vectors.
void KernelEmitter::inner_loops(int loop, Loops loops, int copies) {
  const bool is_tiled = nest_.tile >= 0;  // all are open
  if (nest_.has_short_rows) {
    std::vector<Loops> elements{loops};
    for (; loop < static_cast<int>(nest_.extents.size()); ++loop) {
      std::vector<Loops> longer;
      for (const Loops& outer : elements) {
        for (int64_t k = 0; k < nest_.extents[loop]; ++k) {
          longer.push_back(outer);
          longer.back()[loop] = Index(k);
        }
      }
      elements = std::move(longer);
    }
    body(elements);
    return;
  }
  if (loop < static_cast<int>(nest_.extents.size()) && !is_tiled) {
    const int variable = space_.add_loop(0, nest_.extents[loop] - 1);
    e_.enter(
        {variable, e_.i64(0), e_.i64(nest_.extents[loop]), 1, false, nest_.extents[loop] == 1, {}});
    loops[loop] = IndexSpace::variable(variable);
    inner_loops(loop + 1, std::move(loops), copies);
    e_.leave();
    return;
  }
  std::vector<Loops> all;
  for (int c = 0; c < copies; ++c) {
    all.push_back(loops);
    if (c > 0) all.back()[nest_.vector] = space_.add(loops[nest_.vector], c * lanes_);
  }
  body(all);
}

// Values of all copies first, then the stores: a result may take the place of an operand.
void KernelEmitter::body(const std::vector<Loops>& copies) {
  std::vector<int> wanted;
  std::vector<Indices> at;
  for (const Loops& loops : copies) {
    at.push_back(nest_.result_index(space_, loops));
    for (int root : demand_roots(at.back())) wanted.push_back(root);
  }
  if (copies.size() > 1 && (nest_.has_short_rows ? nest_.has_column_reduction : nest_.has_reduction)) batch_reductions(wanted);
  if (tail_) {
    for (const Loops& loops : copies) tail_->apply(e_, loops[nest_.vector]);
  }
  if (!stages_.empty()) redirect_to_stages(wanted, copies[0]);
  if (nest_.has_row_reduction && nest_.vector >= 0 && copies.size() == 1)
    keep_row_values(wanted, copies[0]);
  store_results(at);
}

std::vector<int> KernelEmitter::demand_roots(const Indices& at) {
  std::vector<int> roots;
  for (int root : roots_) roots.push_back(demands_.demand(graph_.roots[root], at));
  return roots;
}

// The roots at each of the places.
void KernelEmitter::store_results(const std::vector<Indices>& at) {
  std::vector<Value> values;
  for (const Indices& index : at)
    for (int root : demand_roots(index)) values.push_back(e_.get(root));
  size_t k = 0;
  for (const Indices& index : at) {
    for (int root : roots_) {
      const Index offset = demands_.root_offset(root, index);
      const bool is_streamed = this->is_streamed(root, offset);
      has_streamed_ |= is_streamed;
      e_.store(e_.load_pointer(graph_.parameters + graph_.root_results[root]), graph_.nodes[graph_.roots[root]].dtype,
               offset, values[k++], is_streamed);
    }
  }
}

// Large results go past the caches. Their vectors must be aligned: buffers are, and all steps are
// multiples of the vector.
bool KernelEmitter::is_streamed(int root, const Index& offset) const {
  const Node& n = graph_.nodes[graph_.roots[root]];
  if (graph_.rows > 0) return false;  // rows of a stream are read again at once
  if (nest_.vector < 0 || n.dtype.is_bool() ||
      element_count(n.shape) * n.dtype.itemsize() < kStreamedBytes)
    return false;
  if (int64_t{lanes_} * n.dtype.itemsize() < 16 || offset.constant % lanes_ != 0) return false;
  if (nest_.row_loops.count(nest_.vector)) return false;  // vectors overlap
  return std::ranges::all_of(offset.terms, [&](const Term& t) {
    return t.coefficient % lanes_ == 0 || (t.coefficient == 1 && e_.is_vector(t.variable));
  });
}

// Reductions of several copies go into one loop.
void KernelEmitter::batch_reductions(const std::vector<int>& wanted) {
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

}  // namespace tenon::cpu
