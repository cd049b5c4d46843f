// Wide column reductions. A tile of columns has its accumulators in the first-level cache; rows are
// outside, columns inside, a few rows at a time, so memory is read along rows as prefetchers like
// it. The order of each column is the canonical one.
#include <algorithm>
#include <bit>
#include <map>

#include "backends/cpu/ir_number.h"
#include "backends/cpu/kernel_emitter.h"
#include "backends/cpu/reduction.h"
#include "backends/cpu/scalar_table.h"

namespace tenon::cpu {

static constexpr int64_t kRows = 4;  // added to an accumulator while it is in a register

void KernelEmitter::emit_column_tiles(llvm::Value* begin, llvm::Value* end, const Loops& loops) {
  const int64_t extent = nest_.extents[nest_.vector];
  Loops inside = loops;
  const int j = space_.add_loop(0, extent - 1);
  inside[nest_.vector] = IndexSpace::variable(j);
  std::vector<int> work = demand_roots(nest_.result_index(space_, inside));
  // Reductions that others need come later in this list.
  std::vector<int> reductions;
  std::map<int, bool> seen;
  while (!work.empty()) {
    const int id = work.back();
    work.pop_back();
    if (std::exchange(seen[id], true)) continue;
    for (int operand : demands_.operands(id)) work.push_back(operand);
    if (demands_.node(id).kind != NodeKind::reduce) continue;
    reductions.push_back(id);
    for (int input : e_.inside(id)) work.push_back(input);
  }
  std::ranges::sort(reductions, {}, [&](int id) { return demands_[id].node; });
  // Reductions that do not need each other read memory together: by how many stand one on the other.
  std::map<int, std::vector<Reduction>> levels;
  std::map<int, int> level_of;
  for (int id : reductions) {
    const auto uses_j = [&](const Index& index) { return space_.depends_on(index, j); };
    int level = 0;
    for (int below : demands_below(id)) {
      if (const auto it = level_of.find(below); it != level_of.end())
        level = std::max(level, it->second + 1);
    }
    level_of[id] = level;
    if (demands_[id].predicate != kAlways || std::ranges::none_of(demands_[id].at, uses_j))
      continue;
    Reduction reduction(e_, {id});
    if (reduction.can_tile()) levels[level].push_back(std::move(reduction));
  }
  // Blocks begin at multiples of the tile: an index that a variable can hold.
  const int start = space_.add_loop(0, extent - 1);
  const Reduction::Columns columns{j,   IndexSpace::variable(start), begin,
                                   end, extent,
                                   std::min(block_, (extent + lanes_ - 1) / lanes_ * lanes_)};
  for (auto& [level, all] : levels) {
    while (!all.empty()) {
      std::vector<Reduction> alike, others;
      for (Reduction& reduction : all)
        (reduction.has_order_of(all[0]) ? alike : others).push_back(reduction);
      e_.name(start, begin);
      const auto tiles = Reduction::emit_tiles(alike, columns);
      e_.column_tiles.insert(e_.column_tiles.end(), tiles.begin(), tiles.end());
      all = std::move(others);
    }
  }
}

// All that `id` needs, what is inside reductions too.
std::vector<int> KernelEmitter::demands_below(int id) {
  std::vector<int> found{id};
  std::map<int, bool> seen{{id, true}};
  for (size_t k = 0; k < found.size(); ++k) {
    const auto add = [&](int below) {
      if (!std::exchange(seen[below], true)) found.push_back(below);
    };
    const llvm::SmallVector<int, 4> operands = demands_.operands(found[k]);
    for (int operand : operands) add(operand);
    if (demands_.node(found[k]).kind != NodeKind::reduce) continue;
    for (int input : e_.inside(found[k])) add(input);
  }
  found.erase(found.begin());
  return found;
}

static llvm::Align element_align(llvm::Type* type) {
  return llvm::Align(std::max(1u, type->getScalarSizeInBits() / 8));
}

Reduction::Tuple Reduction::tile_pointers(const Emitter::ColumnTile& tile, llvm::Value* element) {
  Tuple pointers;
  for (llvm::Value* value : identity(false))
    pointers.push_back(b_.CreateInBoundsGEP(value->getType(), tile.memory[pointers.size()], element));
  return pointers;
}

Reduction::Tuple Reduction::load_vectors(const Tuple& pointers) {
  Tuple values;
  for (llvm::Value* value : identity(true))
    values.push_back(b_.CreateAlignedLoad(value->getType(), pointers[values.size()],
                                          element_align(value->getType())));
  return values;
}

bool Reduction::can_tile() const {
  return !order_.is_row && order_.count() > math::kLanes && combiner_ != Combiner::general;
}

std::vector<Emitter::ColumnTile> Reduction::emit_tiles(std::vector<Reduction>& all,
                                                       const Columns& columns) {
  Emitter& e = all[0].e_;
  llvm::IRBuilder<>& b = e.b;
  const math::ReductionOrder& order = all[0].order_;
  const int64_t count = order.runs, side = columns.width + e.lanes;
  const int slots =
      order.chunks > 1 ? std::bit_width(static_cast<uint64_t>(order.chunks)) + 1 : 1;
  std::vector<Emitter::ColumnTile> tiles;
  for (Reduction& r : all) {
    tiles.push_back({r.ids_[0], columns.probe, {}, columns.begin});
    for (llvm::Value* value : r.identity(false))
      tiles.back().memory.push_back(e.stack_array(value->getType(), side * slots));
  }
  // Runs `body` for all vectors of the tile; the last may have lanes that do not exist.
  const auto for_columns = [&](auto body) {
    const int column = e.space.add_loop(0, columns.extent - 1);
    e.enter({column, columns.begin_value, columns.end, e.lanes, false, false, {}});
    if (columns.extent % e.lanes == 0)
      e.make_vector(column);
    else
      e.make_vector(column, columns.end);
    const Index at_column = IndexSpace::variable(column);
    const Index local = e.space.add(at_column, e.space.multiply(columns.begin, -1));
    for (size_t k = 0; k < all.size(); ++k) body(k, at_column, local);
    e.leave();
  };
  // Of a column in a slot: in the memory of each operand.
  const auto address = [&](size_t k, llvm::Value* slot, const Index& column) {
    llvm::Value* element = e.lane0(column);
    Emitter::At at(e, e.depth());
    if (slot) element = b.CreateAdd(b.CreateMul(slot, e.i64(side)), element);
    return all[k].tile_pointers(tiles[k], element);
  };
  const auto load = [&](size_t k, const Tuple& pointers) {
    Emitter::At at(e, e.depth());
    return all[k].load_vectors(pointers);
  };
  const auto store = [&](const Tuple& values, const Tuple& pointers) {
    Emitter::At at(e, e.depth());
    for (size_t i = 0; i < values.size(); ++i)
      b.CreateAlignedStore(values[i], pointers[i], element_align(values[i]->getType()));
  };

  // A chunk at a time, into the slot on top of those that wait for their partner (PairwiseTree).
  llvm::Value *chunk = nullptr, *first = e.i64(0), *last = e.i64(count), *slot = nullptr,
              *merges = nullptr;
  if (order.chunks > 1) {
    const int variable = e.space.add_loop(0, order.chunks - 1);
    e.enter({variable, e.i64(0), e.i64(order.chunks), 1, false, false, {}});
    Emitter::At at(e, e.depth());
    chunk = e.state(variable).value;
    first = b.CreateMul(chunk, e.i64(math::kColumnChunk));
    last = binary_intrinsic(b, llvm::Intrinsic::smin,
                            b.CreateAdd(first, e.i64(math::kColumnChunk)), e.i64(count));
    slot = unary_intrinsic(b, llvm::Intrinsic::ctpop, chunk);
    merges = b.CreateIntrinsic(llvm::Intrinsic::cttz, {b.getInt64Ty()},
                               {b.CreateNot(chunk), b.getFalse()});
  }
  for_columns([&](size_t k, const Index&, const Index& local) {
    store(all[k].start(true, first, -1), address(k, slot, local));
  });
  llvm::Value* full = last;
  if (count % kRows != 0) {
    Emitter::At at(e, e.depth());
    full = b.CreateAdd(first, b.CreateAnd(b.CreateSub(last, first), e.i64(-kRows)));
  }
  const auto rows = [&](llvm::Value* from, llvm::Value* to, int64_t step, bool may_be_empty) {
    const int row = e.space.add_loop(0, count - step);
    e.enter({row, from, to, step, may_be_empty, false, {}});
    for_columns([&](size_t k, const Index& column, const Index& local) {
      Reduction& r = all[k];
      const int here = e.demands.substitute(r.ids_[0], columns.probe, column);
      const Tuple pointers = address(k, slot, local);
      Tuple sum = load(k, pointers);
      for (int64_t step_row = 0; step_row < step; ++step_row) {
        const Index at_row = e.space.add(IndexSpace::variable(row), step_row);
        const Tuple x = r.element(here, r.reduced_indices(Index(0), at_row), true);
        Emitter::At at(e, e.depth());
        sum = r.accumulate(sum, x);
      }
      store(sum, pointers);
    });
    e.leave();
  };
  rows(first, full, kRows, order.chunks > 1);
  if (count % kRows != 0) rows(full, last, 1, true);
  const auto merge = [&](llvm::Value* into) {  // slot `into` with the one above
    llvm::Value* above = nullptr;
    {
      Emitter::At at(e, e.depth());
      above = b.CreateAdd(into, e.i64(1));
    }
    for_columns([&](size_t k, const Index&, const Index& local) {
      const Tuple pointers = address(k, into, local);
      const Tuple left = load(k, pointers), right = load(k, address(k, above, local));
      Tuple sum;
      {
        Emitter::At at(e, e.depth());
        sum = all[k].combine(left, right);
      }
      store(sum, pointers);
    });
  };
  if (order.chunks > 1) {
    const int variable = e.space.add_loop(0, 64);
    e.enter({variable, e.i64(0), merges, 1, true, false, {}});
    llvm::Value* into = nullptr;
    {
      Emitter::At at(e, e.depth());
      into = b.CreateSub(b.CreateSub(slot, e.i64(1)), e.state(variable).value);
    }
    merge(into);
    e.leave();
    e.leave();
    for (int k = std::popcount(static_cast<uint64_t>(order.chunks)) - 2; k >= 0; --k)
      merge(e.i64(k));
  }
  return tiles;
}

const Emitter::ColumnTile* Reduction::tile_of(int id, int variable) {
  if (variable == -1) return nullptr;
  for (const Emitter::ColumnTile& tile : e_.column_tiles) {
    if (e_.demands[tile.demand].node == e_.demands[id].node &&
        e_.demands.substitute(tile.demand, tile.probe, IndexSpace::variable(variable)) == id)
      return &tile;
  }
  return nullptr;
}

Reduction::Tuples Reduction::from_tile(const Emitter::ColumnTile& tile, int variable) {
  const Index local =
      e_.space.add(IndexSpace::variable(variable), e_.space.multiply(tile.begin, -1));
  llvm::Value* element = e_.lane0(local);
  Emitter::At at(e_, e_.depth());
  return {load_vectors(tile_pointers(tile, element))};
}

}  // namespace tenon::cpu
