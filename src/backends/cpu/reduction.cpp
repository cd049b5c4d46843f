#include "backends/cpu/reduction.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "backends/cpu/ir_number.h"
#include "backends/cpu/scalar_table.h"

namespace tenon::cpu {

using math::kLanes;

static bool is_argument(Combiner combiner) {
  return combiner == Combiner::arg_maximum || combiner == Combiner::arg_minimum;
}

// The body of an argmax keeps the index of the first of equals, and the value of the last: -0.0 or 0.0.
// Only where nobody looks at the value does the order not matter.
static Combiner combiner_of(const Graph& graph, int reduce) {
  const Node& node = graph.nodes[reduce];
  if (!is_argument(node.combiner) || !graph.nodes[node.operands[0]].dtype.is_floating())
    return node.combiner;
  const auto uses_value = [&](const Node& user) {
    return user.kind != NodeKind::result && std::ranges::count(user.operands, reduce) != 0;
  };
  const bool is_used = std::ranges::count(graph.roots, reduce) != 0 ||
                       std::ranges::any_of(graph.nodes, uses_value);
  return is_used ? Combiner::general : node.combiner;
}

// The second operand of an argmax is the position along the one dimension that is reduced.
static bool counts_up(const Graph& graph, const Node& reduce) {
  if (reduce.dims.size() != 1) return false;
  const Node& index = graph.nodes[reduce.operands[1]];
  if (index.kind != NodeKind::iota || index.axis != reduce.dims[0] || !index.dtype.is_integer())
    return false;
  const int bits = index.dtype.itemsize() * 8 - (index.dtype.is_signed() ? 1 : 0);
  return bits >= 31 || index.shape[index.axis] <= (int64_t{1} << bits);
}

Reduction::Reduction(Emitter& emitter, std::vector<int> demands)
    : e_(emitter),
      b_(emitter.b),
      ids_(std::move(demands)),
      node_(emitter.demands.node(ids_[0])),
      combiner_(combiner_of(emitter.demands.graph(), emitter.demands[ids_[0]].node)),
      inputs_(static_cast<int>(node_.operands.size() / 2)),
      view_(emitter.demands.graph(), node_),
      order_(view_.order),
      counts_up_(is_argument(combiner_) && counts_up(emitter.demands.graph(), node_)) {}

std::vector<Reduction::Results> Reduction::emit() {
  const Emitter::Dependence dependence = e_.dependence(ids_[0]);
  is_vector_ = dependence.vector != -1;
  const bool is_general = combiner_ == Combiner::general;
  Tuples totals;
  const Emitter::ColumnTile* tile = tile_of(ids_[0], dependence.vector);
  if (tile) {
    totals = from_tile(*tile, dependence.vector);
  } else if (e_.chunk_results.first == e_.demands[ids_[0]].node) {
    totals = from_chunks(e_.chunk_results.second);
  } else if (order_.count() == 0) {
    totals.resize(ids_.size());
  } else if (is_general) {
    totals = sequential(ids_);
  } else if (!order_.is_row) {
    totals = columns(ids_);
  } else if (order_.runs == 1 && order_.run <= kLanes) {
    totals = unrolled_row(ids_);
  } else if (is_vector_) {
    totals = lanes_of_rows(ids_, dependence.vector);
  } else {
    totals = rows(ids_);
  }
  std::vector<Results> results;
  for (size_t k = 0; k < ids_.size(); ++k) {
    const Tuple tuple = is_general && order_.count() > 0 ? totals[k] : with_init(ids_[k], totals[k]);
    Results result;
    Emitter::At at(e_, e_.depth());
    for (int i = 0; i < inputs_; ++i) {
      const Node& input = e_.demands.graph().nodes[node_.operands[i]];
      result.push_back({round_to_type(b_, tuple[i], input.dtype), tuple[i]->getType()->isVectorTy(),
                        e_.depth()});
    }
    results.push_back(std::move(result));
  }
  return results;
}

// ---- elements

Reduction::Tuple Reduction::element(int id, const Indices& reduced, bool as_vector) {
  Tuple tuple;
  for (int k = 0; k < inputs_; ++k) {
    const Value value = e_.get(e_.demands.reduction_input(id, k, reduced));
    tuple.push_back(as_vector ? e_.splat(value) : value.value);
  }
  return tuple;
}

static llvm::Constant* monoid_identity(llvm::Type* type, DType dtype, Combiner combiner) {
  const bool is_float = dtype.is_floating();
  const int bits = type->getScalarSizeInBits();
  const auto integer = [&](const llvm::APInt& v) { return llvm::ConstantInt::get(type, v); };
  switch (combiner) {
    case Combiner::add:
      return is_float ? llvm::ConstantFP::getNegativeZero(type)
                      : llvm::Constant::getNullValue(type);
    case Combiner::multiply:
      return is_float ? llvm::ConstantFP::get(type, 1.0)
                      : llvm::cast<llvm::Constant>(llvm::ConstantInt::get(type, 1));
    case Combiner::maximum:
    case Combiner::arg_maximum:
      if (is_float) return llvm::ConstantFP::getInfinity(type, true);
      return integer(dtype.is_signed() ? llvm::APInt::getSignedMinValue(bits)
                                       : llvm::APInt::getZero(bits));
    case Combiner::minimum:
    case Combiner::arg_minimum:
      if (is_float) return llvm::ConstantFP::getInfinity(type, false);
      return integer(dtype.is_signed() ? llvm::APInt::getSignedMaxValue(bits)
                                       : llvm::APInt::getAllOnes(bits));
    case Combiner::logical_and:
      return integer(llvm::APInt::getAllOnes(bits));
    default:
      return llvm::Constant::getNullValue(type);
  }
}

Reduction::Tuple Reduction::identity(bool as_vector) {
  Tuple tuple;
  for (int k = 0; k < inputs_; ++k) {
    const DType dtype = e_.demands.graph().nodes[node_.operands[k]].dtype;
    llvm::Type* type = value_type(b_.getContext(), dtype);
    // The index of an identity loses every tie.
    llvm::Constant* value =
        monoid_identity(type, dtype, k == 0 ? combiner_ : Combiner::arg_minimum);
    if (as_vector)
      value = llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(e_.lanes), value);
    tuple.push_back(value);
  }
  return tuple;
}

Reduction::Tuple Reduction::start(bool as_vector, llvm::Value* first, int lane) {
  Tuple tuple = identity(as_vector);
  if (!counts_up_) return tuple;
  // A strict comparison takes no element that equals the identity: then the first one is right.
  Emitter::At at(e_, e_.depth());
  llvm::Type* type = tuple[1]->getType();
  llvm::Value* index = b_.CreateZExtOrTrunc(first, type->getScalarType());
  if (as_vector) {
    index = b_.CreateVectorSplat(e_.lanes, index);
    llvm::SmallVector<llvm::Constant*, 16> positions;
    for (int l = 0; l < e_.lanes; ++l)
      positions.push_back(llvm::ConstantInt::get(type->getScalarType(), lane + l));
    if (lane >= 0) index = b_.CreateAdd(index, llvm::ConstantVector::get(positions));
  }
  tuple[1] = index;
  return tuple;
}

Reduction::Tuple Reduction::with_init(int id, const Tuple& total) {
  Tuple init;
  for (int operand : e_.demands.operands(id)) {
    const Value value = e_.get(operand);
    init.push_back(!total.empty() && total[0]->getType()->isVectorTy() ? e_.splat(value)
                                                                       : value.value);
  }
  if (total.empty()) return init;
  Emitter::At at(e_, e_.depth());
  return combine(init, total);
}

llvm::SmallVector<llvm::Value*, 8> Reduction::flatten(const Tuples& tuples) {
  llvm::SmallVector<llvm::Value*, 8> flat;
  for (const Tuple& tuple : tuples) flat.append(tuple.begin(), tuple.end());
  return flat;
}

Reduction::Tuples Reduction::unflatten(llvm::ArrayRef<llvm::Value*> flat) const {
  Tuples tuples(flat.size() / inputs_);
  for (size_t k = 0; k < flat.size(); ++k) tuples[k / inputs_].push_back(flat[k]);
  return tuples;
}

// ---- ways

// Few elements: no loop. Lane l starts as element l, and absent lanes are skipped.
Reduction::Tuples Reduction::unrolled_row(const Ids& ids) {
  Tuples totals;
  for (int id : ids) {
    Tuples lanes;
    for (int64_t k = 0; k < order_.run; ++k)
      lanes.push_back(element(id, reduced_indices(Index(k), Index(0)), is_vector_));
    Emitter::At at(e_, e_.depth());
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int l = 0; l < half && l + half < static_cast<int>(lanes.size()); ++l)
        lanes[l] = combine(lanes[l], lanes[l + half]);
      if (static_cast<int>(lanes.size()) > half) lanes.resize(half);
    }
    totals.push_back(lanes[0]);
  }
  return totals;
}

Reduction::Tuples Reduction::sequential(const Ids& ids) {
  Tuples accumulators;
  for (int id : ids) {
    Tuple init;
    for (int operand : e_.demands.operands(id)) {
      const Value value = e_.get(operand);
      init.push_back(is_vector_ ? e_.splat(value) : value.value);
    }
    accumulators.push_back(std::move(init));
  }
  const int64_t count = order_.count();
  const int variable = e_.space.add_loop(0, count - 1);
  accumulators = unflatten(
      e_.enter({variable, e_.i64(0), e_.i64(count), 1, false, false, flatten(accumulators)}));
  // Row-major over the reduced dimensions: runs * run elements.
  const Index flat = IndexSpace::variable(variable);
  const Indices reduced =
      reduced_indices(e_.space.remainder(flat, order_.run), e_.space.quotient(flat, order_.run));
  for (size_t k = 0; k < ids.size(); ++k) {
    const Tuple x = element(ids[k], reduced, is_vector_);
    Emitter::At at(e_, e_.depth());
    accumulators[k] = combine(accumulators[k], x);
  }
  return unflatten(e_.leave(flatten(accumulators)));
}

Reduction::Tuples Reduction::columns(const Ids& ids) {
  const int64_t count = order_.runs;
  Tuples accumulators(ids.size());
  if (count <= kLanes) {
    for (int64_t r = 0; r < count; ++r) {
      for (size_t k = 0; k < ids.size(); ++k) {
        const Tuple x = element(ids[k], reduced_indices(Index(0), Index(r)), is_vector_);
        Emitter::At at(e_, e_.depth());
        accumulators[k] = r == 0 ? x : accumulate(accumulators[k], x);
      }
    }
    return accumulators;
  }
  const bool is_cut = order_.chunks > 1;
  llvm::Value *begin = e_.i64(0), *end = e_.i64(count), *chunk = nullptr;
  if (is_cut) {
    make_stacks(Tuples(ids.size(), identity(is_vector_)));
    const int variable = e_.space.add_loop(0, order_.chunks - 1);
    e_.enter({variable, e_.i64(0), e_.i64(order_.chunks), 1, false, false, {}});
    Emitter::At at(e_, e_.depth());
    chunk = e_.state(variable).value;
    begin = b_.CreateMul(chunk, e_.i64(math::kColumnChunk));
    end = binary_intrinsic(b_, llvm::Intrinsic::smin,
                           b_.CreateAdd(begin, e_.i64(math::kColumnChunk)), e_.i64(count));
  }
  for (Tuple& tuple : accumulators) tuple = start(is_vector_, begin, -1);
  const int row = e_.space.add_loop(0, count - 1);
  accumulators = unflatten(e_.enter({row, begin, end, 1, false, false, flatten(accumulators)}));
  const Indices reduced = reduced_indices(Index(0), IndexSpace::variable(row));
  for (size_t k = 0; k < ids.size(); ++k) {
    const Tuple x = element(ids[k], reduced, is_vector_);
    Emitter::At at(e_, e_.depth());
    accumulators[k] = accumulate(accumulators[k], x);
  }
  accumulators = unflatten(e_.leave(flatten(accumulators)));
  if (!is_cut) return accumulators;
  push(chunk, accumulators);
  e_.leave();
  return tree_total(accumulators);
}

}  // namespace tenon::cpu
