// Transposed reads. Where the result is walked along rows and an operand along columns, both are
// cut into square tiles: the operand's tile is read along its own rows, turned in registers, and
// staged in the first-level cache; from there the body reads it along the result's rows.
//
// A stage has a margin of one vector before its first row and column: the last vectors of a partial
// tile begin earlier instead of being masked, and reach into the margin.
#include <algorithm>
#include <map>

#include "backends/cpu/ir_number.h"
#include "backends/cpu/kernel_emitter.h"
#include "backends/cpu/scalar_table.h"

namespace tenon::cpu {

static constexpr double kTileSecondsPerElement = 0.5e-9;  // read, turned, staged, read

void KernelEmitter::plan_tiles() {
  for (int k = 0; k < static_cast<int>(nest_.extents.size()); ++k) {
    if (k != nest_.tile && k != nest_.vector) outer_.push_back(k);
  }
  block_loop_ = nest_.vector;
  tile_ = nest_.tiled_accesses > 1 ? 32 : 64;
  const int64_t rows = nest_.extents[nest_.tile], columns = nest_.extents[nest_.vector];
  blocks_ = (rows + tile_ - 1) / tile_;
  int64_t outer = 1;
  for (int k : outer_) outer *= nest_.extents[k];
  result_.units = outer * blocks_;
  const double elements = static_cast<double>(std::min<int64_t>(rows, tile_) * columns);
  result_.unit_seconds =
      elements * (kTileSecondsPerElement * nest_.tiled_accesses + 0.4e-9 * nest_.cost / lanes_);
}

void KernelEmitter::emit_tiles() {
  Loops loops(nest_.extents.size());
  const int64_t rows = nest_.extents[nest_.tile], columns = nest_.extents[nest_.vector];
  const int unit = space_.add_loop(0, result_.units - 1);
  e_.enter({unit, function_->getArg(1), function_->getArg(2), 1, true, false, {}});
  Index rest = IndexSpace::variable(unit);
  tile_i_ = space_.multiply(space_.remainder(rest, blocks_), tile_);
  rest = space_.quotient(rest, blocks_);
  for (size_t k = outer_.size(); k-- > 0;) {
    loops[outer_[k]] = k == 0 ? rest : space_.remainder(rest, nest_.extents[outer_[k]]);
    rest = space_.quotient(rest, nest_.extents[outer_[k]]);
  }
  llvm::Value* i_begin = e_.index(tile_i_).value;
  llvm::Value* i_end = nullptr;
  {
    Emitter::At at(e_, e_.depth());
    i_end = binary_intrinsic(e_.b, llvm::Intrinsic::smin, e_.b.CreateAdd(i_begin, e_.i64(tile_)),
                             e_.i64(rows));
  }
  const int64_t tiles = (columns + tile_ - 1) / tile_;
  const int tile_variable = space_.add_loop(0, tiles - 1);
  e_.enter({tile_variable, e_.i64(0), e_.i64(tiles), 1, false, tiles == 1, {}});
  tile_j_ = IndexSpace::variable(tile_variable, tile_);
  llvm::Value* j_begin = e_.index(tile_j_).value;
  llvm::Value* j_end = nullptr;
  {
    Emitter::At at(e_, e_.depth());
    j_end = binary_intrinsic(e_.b, llvm::Intrinsic::smin, e_.b.CreateAdd(j_begin, e_.i64(tile_)),
                             e_.i64(columns));
  }
  find_stages(loops);
  for (const Stage& stage : stages_) fill(stage, loops, i_end, j_end);
  const int row = space_.add_loop(0, rows - 1);
  e_.enter({row, i_begin, i_end, 1, false, false, {}});
  loops[nest_.tile] = IndexSpace::variable(row);
  block_loop(j_begin, j_end, loops);
  e_.leave();
  e_.leave();
  e_.leave();
}

// Calls `visit` for each parameter that is read, where it is, along columns.
template <class Visit>
static void for_each_transposed(DemandGraph& demands, const std::vector<int>& wanted, int i, int j,
                                Visit visit) {
  std::vector<int> work(wanted);
  std::map<int, bool> seen;
  while (!work.empty()) {
    const int id = work.back();
    work.pop_back();
    if (std::exchange(seen[id], true)) continue;
    for (int operand : demands.operands(id)) work.push_back(operand);
    if (demands.node(id).kind != NodeKind::parameter || demands[id].predicate != kAlways) continue;
    const Index offset = demands.offset(id);
    const int64_t stride = offset.coefficient(j);
    if (offset.coefficient(i) != 1 || stride == 0 || stride == 1) continue;
    Index rest(offset.constant);
    bool is_affine = true;
    for (const Term& t : offset.terms) {
      if (t.variable == i || t.variable == j) continue;
      rest.terms.push_back(t);
      const Index one = IndexSpace::variable(t.variable);
      is_affine &= !demands.space().depends_on(one, i) && !demands.space().depends_on(one, j);
    }
    if (is_affine) visit(id, rest, stride);
  }
}

void KernelEmitter::find_stages(const Loops& loops) {
  const int i = space_.add_loop(0, nest_.extents[nest_.tile] - 1),
            j = space_.add_loop(0, nest_.extents[nest_.vector] - 1);
  Loops probe = loops;
  probe[nest_.tile] = IndexSpace::variable(i);
  probe[nest_.vector] = IndexSpace::variable(j);
  const std::vector<int> wanted = demand_roots(nest_.result_index(space_, probe));
  for_each_transposed(demands_, wanted, i, j, [&](int id, const Index& rest, int64_t stride) {
    const Node& n = demands_.node(id);
    e_.type_of(id);
    // A loaded index is not there yet when the tile is filled.
    for (const Term& t : rest.terms) {
      if (space_[t.variable].kind == Variable::Kind::loaded) return;
    }
    const int64_t side = tile_ + lanes_;
    llvm::Value* memory = e_.stack_array(memory_type(e_.b.getContext(), n.dtype), side * side);
    stages_.push_back({demands_[id].node, rest, stride, memory});
  });
}

Index KernelEmitter::stage_offset(const Index& i, const Index& j) {
  const int64_t side = tile_ + lanes_;
  const Index row = space_.add(space_.add(i, space_.multiply(tile_i_, -1)), lanes_);
  const Index column = space_.add(space_.add(j, space_.multiply(tile_j_, -1)), lanes_);
  return space_.add(space_.multiply(row, side), column);
}

void KernelEmitter::redirect_to_stages(const std::vector<int>& wanted, const Loops& loops) {
  const int i = loops[nest_.tile].terms[0].variable, j = loops[nest_.vector].terms[0].variable;
  for_each_transposed(demands_, wanted, i, j, [&](int id, const Index& rest, int64_t stride) {
    for (const Stage& stage : stages_) {
      if (stage.node == demands_[id].node && stage.stride == stride && stage.rest == rest)
        e_.redirect(id, stage.memory, stage_offset(loops[nest_.tile], loops[nest_.vector]));
    }
  });
}

using Vectors = std::vector<llvm::Value*>;

// Blocks [x0 x1 ...], [y0 y1 ...] of `size` lanes each: swaps x1 with y0, x3 with y2, ...
static void swap_blocks(llvm::IRBuilderBase& b, llvm::Value*& x, llvm::Value*& y, int lanes,
                        int size) {
  llvm::SmallVector<int, 16> first, second;
  for (int l = 0; l < lanes; ++l) {
    const bool is_odd = l / size % 2;
    first.push_back(is_odd ? lanes + l - size : l);
    second.push_back(is_odd ? lanes + l : l + size);
  }
  llvm::Value* low = b.CreateShuffleVector(x, y, first);
  y = b.CreateShuffleVector(x, y, second);
  x = low;
}

// Rows to columns. In groups of four rows first, by unpacking within 128 bits, which is one
// instruction each; then by blocks of 128 bits.
static Vectors transposed(llvm::IRBuilderBase& b, Vectors rows, int lanes) {
  const bool in_fours = rows[0]->getType()->getScalarSizeInBits() == 32 && lanes >= 4;  // fewer lanes: beside 64-bit numbers, in SSE
  if (in_fours) {
    llvm::SmallVector<int, 16> low, high, low2, high2;
    for (int l = 0; l < lanes; l += 4) {
      for (int k : {0, 1}) low.push_back(l + k), low.push_back(lanes + l + k);
      for (int k : {2, 3}) high.push_back(l + k), high.push_back(lanes + l + k);
      for (int from : {0, lanes}) {
        for (int k : {0, 1}) low2.push_back(from + l + k), high2.push_back(from + l + k + 2);
      }
    }
    for (int r = 0; r < lanes; r += 4) {
      llvm::Value** row = &rows[r];
      llvm::Value* a0 = b.CreateShuffleVector(row[0], row[1], low);   // 00 10 01 11
      llvm::Value* a1 = b.CreateShuffleVector(row[0], row[1], high);  // 02 12 03 13
      llvm::Value* b0 = b.CreateShuffleVector(row[2], row[3], low);
      llvm::Value* b1 = b.CreateShuffleVector(row[2], row[3], high);
      row[0] = b.CreateShuffleVector(a0, b0, low2);
      row[1] = b.CreateShuffleVector(a0, b0, high2);
      row[2] = b.CreateShuffleVector(a1, b1, low2);
      row[3] = b.CreateShuffleVector(a1, b1, high2);
    }
  }
  for (int size = lanes / 2; size >= (in_fours ? 4 : 1); size /= 2) {
    for (int r = 0; r < lanes; ++r) {
      if ((r & size) == 0) swap_blocks(b, rows[r], rows[r + size], lanes, size);
    }
  }
  return rows;
}

void KernelEmitter::fill(const Stage& stage, const Loops&, llvm::Value* i_end, llvm::Value* j_end) {
  const int64_t rows = nest_.extents[nest_.tile], columns = nest_.extents[nest_.vector];
  const int j = space_.add_loop(0, columns - 1);
  e_.enter({j, e_.index(tile_j_).value, j_end, lanes_, false, false, {}});
  e_.limit(j, columns - lanes_);
  const int i = space_.add_loop(0, rows - 1);
  e_.enter({i, e_.index(tile_i_).value, i_end, lanes_, false, false, {}});
  e_.make_vector_up_to(i, rows - lanes_);
  const Index at_i = IndexSpace::variable(i), at_j = IndexSpace::variable(j);
  Vectors vectors;
  for (int l = 0; l < lanes_; ++l) {
    const Index offset = space_.add(space_.add(stage.rest, at_i),
                                    space_.multiply(space_.add(at_j, l), stage.stride));
    vectors.push_back(e_.load_raw(graph_.nodes[stage.node], offset));
  }
  {
    Emitter::At at(e_, e_.depth());
    vectors = transposed(e_.b, std::move(vectors), lanes_);
  }
  for (int k = 0; k < lanes_; ++k)
    e_.store_raw(vectors[k], stage.memory, stage_offset(space_.add(at_i, k), at_j));
  e_.leave();
  e_.leave();
}

}  // namespace tenon::cpu
