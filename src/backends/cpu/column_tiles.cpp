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
  std::vector<int> work;
  const Indices at = nest_.result_index(space_, inside);
  for (int root : roots_) work.push_back(demands_.demand(graph_.roots[root], at));
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
  // Blocks begin at multiples of the tile: an index that a variable can hold.
  const int start = space_.add_loop(0, extent - 1);
  for (int id : reductions) {
    const auto uses_j = [&](const Index& index) { return space_.depends_on(index, j); };
    if (demands_[id].predicate != kAlways || std::ranges::none_of(demands_[id].at, uses_j))
      continue;
    Reduction reduction(e_, {id});
    if (!reduction.can_tile()) continue;
    e_.name(start, begin);
    e_.column_tiles.push_back(
        reduction.emit_tile(j, IndexSpace::variable(start), begin, end, extent,
                            std::min(block_, (extent + lanes_ - 1) / lanes_ * lanes_)));
  }
}

bool Reduction::can_tile() const {
  return !order_.is_row && order_.count() > math::kLanes && inputs_ == 1 &&
         node_.combiner != Combiner::general && node_.combiner != Combiner::arg_maximum &&
         node_.combiner != Combiner::arg_minimum;
}

Emitter::ColumnTile Reduction::emit_tile(int probe, const Index& begin, llvm::Value* begin_value,
                                         llvm::Value* end, int64_t extent, int64_t width) {
  const int id = ids_[0];
  const int64_t count = order_.runs, side = width + e_.lanes;
  const int slots =
      order_.chunks > 1 ? std::bit_width(static_cast<uint64_t>(order_.chunks)) + 1 : 1;
  llvm::Type* type = e_.type_of(id);
  llvm::Value* memory = e_.stack_array(type, side * slots);
  // Runs `body` for all vectors of the tile; the last may have lanes that do not exist.
  const auto for_columns = [&](auto body) {
    const int column = e_.space.add_loop(0, extent - 1);
    e_.enter({column, begin_value, end, e_.lanes, false, false, {}});
    if (extent % e_.lanes == 0)
      e_.make_vector(column);
    else
      e_.make_vector(column, end);
    body(IndexSpace::variable(column),
         e_.space.add(IndexSpace::variable(column), e_.space.multiply(begin, -1)));
    e_.leave();
  };
  const auto address = [&](llvm::Value* slot, const Index& column) {
    llvm::Value* at_column = e_.lane0(column);
    Emitter::At at(e_, e_.depth());
    llvm::Value* element =
        slot ? b_.CreateAdd(b_.CreateMul(slot, e_.i64(side)), at_column) : at_column;
    return b_.CreateInBoundsGEP(type, memory, element);
  };
  const llvm::Align align(type->getScalarSizeInBits() >= 8 ? type->getScalarSizeInBits() / 8 : 1);
  auto* vector = llvm::FixedVectorType::get(type, e_.lanes);
  const auto load = [&](llvm::Value* pointer) {
    Emitter::At at(e_, e_.depth());
    return b_.CreateAlignedLoad(vector, pointer, align);
  };
  const auto store = [&](llvm::Value* value, llvm::Value* pointer) {
    Emitter::At at(e_, e_.depth());
    b_.CreateAlignedStore(value, pointer, align);
  };

  // A chunk at a time, into the slot on top of those that wait for their partner (PairwiseTree).
  llvm::Value *chunk = nullptr, *first = e_.i64(0), *last = e_.i64(count), *slot = nullptr,
              *merges = nullptr;
  if (order_.chunks > 1) {
    const int variable = e_.space.add_loop(0, order_.chunks - 1);
    e_.enter({variable, e_.i64(0), e_.i64(order_.chunks), 1, false, false, {}});
    Emitter::At at(e_, e_.depth());
    chunk = e_.state(variable).value;
    first = b_.CreateMul(chunk, e_.i64(math::kColumnChunk));
    last = binary_intrinsic(b_, llvm::Intrinsic::smin,
                            b_.CreateAdd(first, e_.i64(math::kColumnChunk)), e_.i64(count));
    slot = unary_intrinsic(b_, llvm::Intrinsic::ctpop, chunk);
    merges = b_.CreateIntrinsic(llvm::Intrinsic::cttz, {b_.getInt64Ty()},
                                {b_.CreateNot(chunk), b_.getFalse()});
  }
  for_columns(
      [&](const Index&, const Index& local) { store(identity(true)[0], address(slot, local)); });
  llvm::Value* full = last;
  if (count % kRows != 0) {
    Emitter::At at(e_, e_.depth());
    full = b_.CreateAdd(first, b_.CreateAnd(b_.CreateSub(last, first), e_.i64(-kRows)));
  }
  const auto rows = [&](llvm::Value* from, llvm::Value* to, int64_t step, bool may_be_empty) {
    const int row = e_.space.add_loop(0, count - step);
    e_.enter({row, from, to, step, may_be_empty, false, {}});
    for_columns([&](const Index& column, const Index& local) {
      const int here = e_.demands.substitute(id, probe, column);
      llvm::Value* pointer = address(slot, local);
      Tuple sum{load(pointer)};
      for (int64_t r = 0; r < step; ++r) {
        const Tuple x = element(
            here, reduced_indices(Index(0), e_.space.add(IndexSpace::variable(row), r)), true);
        Emitter::At at(e_, e_.depth());
        sum = combine(sum, x);
      }
      store(sum[0], pointer);
    });
    e_.leave();
  };
  rows(first, full, kRows, order_.chunks > 1);
  if (count % kRows != 0) rows(full, last, 1, true);
  const auto merge = [&](llvm::Value* into) {  // slot `into` with the one above
    llvm::Value* above = nullptr;
    {
      Emitter::At at(e_, e_.depth());
      above = b_.CreateAdd(into, e_.i64(1));
    }
    for_columns([&](const Index&, const Index& local) {
      llvm::Value* pointer = address(into, local);
      const Tuple left{load(pointer)}, right{load(address(above, local))};
      Tuple sum;
      {
        Emitter::At at(e_, e_.depth());
        sum = combine(left, right);
      }
      store(sum[0], pointer);
    });
  };
  if (order_.chunks > 1) {
    const int variable = e_.space.add_loop(0, 64);
    e_.enter({variable, e_.i64(0), merges, 1, true, false, {}});
    llvm::Value* into = nullptr;
    {
      Emitter::At at(e_, e_.depth());
      into = b_.CreateSub(b_.CreateSub(slot, e_.i64(1)), e_.state(variable).value);
    }
    merge(into);
    e_.leave();
    e_.leave();
    for (int k = std::popcount(static_cast<uint64_t>(order_.chunks)) - 2; k >= 0; --k)
      merge(e_.i64(k));
  }
  return {id, probe, memory, begin};
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
  llvm::Type* type = e_.type_of(ids_[0]);
  Emitter::At at(e_, e_.depth());
  const llvm::Align align(std::max(1u, type->getScalarSizeInBits() / 8));
  return {{b_.CreateAlignedLoad(llvm::FixedVectorType::get(type, e_.lanes),
                                b_.CreateInBoundsGEP(type, tile.memory, element), align)}};
}

}  // namespace tenon::cpu
