#include "backends/cpu/read_fusion.h"

#include <cstring>

#include "backends/cpu/bitcast_nodes.h"
#include "backends/cpu/complex_nodes.h"
#include "backends/cpu/kernel_tools.h"
#include "backends/cpu/scalar_table.h"
#include "base/fail.h"
#include "dialect/interfaces.h"
#include "dialect/stablehlo.h"
#include "dialect/tenon_ops.h"
#include "dialect/types.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace tenon::cpu {

static Dims dims_of(llvm::ArrayRef<int64_t> dims) { return Dims(dims.begin(), dims.end()); }

Dims strides_of(mlir::Type type) {
  const auto tensor = mlir::cast<mlir::RankedTensorType>(type);
  const Dims shape = dims_of(tensor.getShape());
  const auto layout = mlir::dyn_cast_or_null<ir::LayoutAttr>(tensor.getEncoding());
  if (!layout) return dense_strides(shape);
  Dims strides(shape.size());
  int64_t stride = 1;
  for (int64_t d : layout.getMinorToMajor()) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

std::vector<std::byte> constant_bytes(mlir::ElementsAttr value, bool keep_splat) {
  const auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(value);
  if (!dense)
    fail<UnimplementedError>(
        "cpu",
        "a constant that is not dense has no bytes here; see src/backends/cpu/read_fusion.cpp");
  const mlir::Type element = dense.getElementType();
  const size_t size = storage_bits(element) / 8;
  const size_t count = dense.isSplat() && keep_splat ? 1 : dense.getNumElements();
  std::vector<std::byte> bytes(size * count);
  if (element.isInteger(1)) {  // packed in attributes, a byte each in memory
    size_t k = 0;
    for (bool bit : dense.getValues<bool>()) {
      if (k < count) bytes[k++] = std::byte{bit};
    }
    return bytes;
  }
  const llvm::ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat()) {
    std::memcpy(bytes.data(), raw.data(), std::min(raw.size(), bytes.size()));
    return bytes;
  }
  for (size_t k = 0; k < count; ++k) std::memcpy(bytes.data() + k * size, raw.data(), size);
  return bytes;
}

GemmStep read_gemm(mlir::Operation* op) {
  auto dot = mlir::cast<stablehlo::DotGeneralOp>(op);
  GemmStep g;
  const auto numbers = dot.getDotDimensionNumbers();
  const Aval a = aval_of(dot.getLhs().getType()), b = aval_of(dot.getRhs().getType()),
             c = aval_of(dot.getType());
  const int first = static_cast<int>(numbers.getLhsBatchingDimensions().size());
  if (first > 1 || a.ndim() != first + 2 || b.ndim() != first + 2 ||
      numbers.getLhsContractingDimensions().size() != 1)
    fail<CompileError>(
        "cpu", "a dot that is not in canonical form; run the pass canonicalize-dots; got ",
        a.str_short(), " and ", b.str_short());
  const Dims a_strides = strides_of(dot.getLhs().getType()),
             b_strides = strides_of(dot.getRhs().getType());
  const int64_t a_contracted = numbers.getLhsContractingDimensions()[0],
                b_contracted = numbers.getRhsContractingDimensions()[0];
  const int64_t a_kept = 2 * first + 1 - a_contracted, b_kept = 2 * first + 1 - b_contracted;
  g.type = a.dtype;
  g.result_type = c.dtype;
  if (b.dtype != a.dtype)
    fail<UnimplementedError>("cpu", "a dot of ", a.str_short(), " and ", b.str_short(),
                             " has no code");
  g.m = a.shape[a_kept], g.k = a.shape[a_contracted], g.n = b.shape[b_kept];
  g.a_row_stride = a_strides[a_kept], g.a_column_stride = a_strides[a_contracted];
  g.b_row_stride = b_strides[b_contracted], g.b_column_stride = b_strides[b_kept];
  if (const auto columns = op->getAttrOfType<mlir::IntegerAttr>("tenon.columns_after_row")) g.columns_after_row = columns.getInt();
  if (first)
    g.batches = a.shape[0], g.a_batch_stride = a_strides[0], g.b_batch_stride = b_strides[0];
  return g;
}

static void append_steps(mlir::AffineExpr expr, std::vector<IndexStep>& steps) {
  using mlir::AffineExprKind;
  if (const auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(expr)) {
    steps.push_back({IndexStep::dimension, dim.getPosition()});
  } else if (const auto constant = mlir::dyn_cast<mlir::AffineConstantExpr>(expr)) {
    steps.push_back({IndexStep::constant, constant.getValue()});
  } else {
    const auto binary = mlir::cast<mlir::AffineBinaryOpExpr>(expr);
    append_steps(binary.getLHS(), steps);
    append_steps(binary.getRHS(), steps);
    switch (expr.getKind()) {
      case AffineExprKind::Add:
        steps.push_back({IndexStep::add});
        break;
      case AffineExprKind::Mul:
        steps.push_back({IndexStep::multiply});
        break;
      case AffineExprKind::FloorDiv:
        steps.push_back({IndexStep::floor_divide});
        break;
      case AffineExprKind::Mod:
        steps.push_back({IndexStep::remainder});
        break;
      default:
        fail<UnimplementedError>("cpu", "an index map with ceildiv has no code");
    }
  }
}

static Comparison comparison_of(stablehlo::ComparisonDirection direction) {
  using D = stablehlo::ComparisonDirection;
  switch (direction) {
    case D::EQ:
      return kEq;
    case D::NE:
      return kNe;
    case D::GE:
      return kGe;
    case D::GT:
      return kGt;
    case D::LE:
      return kLe;
    default:
      return kLt;
  }
}

// ---- bodies of reductions

static Combiner monoid(mlir::Region& body, DType type) {
  const std::optional<ScalarOp> op = single_scalar_op(body);
  if (!op) return Combiner::general;
  const bool is_bool = type.is_bool();
  if (type.is_complex() && *op != ScalarOp::kAdd) return Combiner::general;
  switch (*op) {
    case ScalarOp::kAdd:
      return is_bool ? Combiner::logical_or : Combiner::add;
    case ScalarOp::kMultiply:
      return is_bool ? Combiner::logical_and : Combiner::multiply;
    case ScalarOp::kMaximum:
      return is_bool ? Combiner::logical_or : Combiner::maximum;
    case ScalarOp::kMinimum:
      return is_bool ? Combiner::logical_and : Combiner::minimum;
    case ScalarOp::kAnd:
      return Combiner::logical_and;
    case ScalarOp::kOr:
      return Combiner::logical_or;
    default:
      return Combiner::general;
  }
}

// What JAX makes of argmax and argmin, parameters (value, index, value, index):
//
//     pick = value > other  or  value != value
//     pick_index = pick  or  (value == other  and  index < other index)
//     return (pick ? value : other, pick_index ? index : other index)
//
// (integers without the NaN part).
static Combiner argument_reduction(const Graph& body) {
  if (body.parameters != 4 || body.roots.size() != 2) return Combiner::general;
  const auto node = [&](int id) -> const Node& { return body.nodes[id]; };
  const auto is = [&](int id, ScalarOp op) { return node(id).scalar && node(id).scalar->op == op; };
  const auto is_parameter = [&](int id, int number) {
    return node(id).kind == NodeKind::parameter && node(id).number == number;
  };
  const auto compares = [&](int id, int a, int b, Comparison how) {
    return is(id, ScalarOp::kCompare) && node(id).facts.comparison == how &&
           is_parameter(node(id).operands[0], a) && is_parameter(node(id).operands[1], b);
  };
  const auto picks = [&](int root, int a, int b) {
    return is(root, ScalarOp::kSelect) && is_parameter(node(root).operands[1], a) &&
           is_parameter(node(root).operands[2], b);
  };
  const int value = body.roots[0], index = body.roots[1];
  if (!picks(value, 0, 2) || !picks(index, 1, 3)) return Combiner::general;
  const int pick = node(value).operands[0], pick_index = node(index).operands[0];
  int better = pick;
  if (is(pick, ScalarOp::kOr)) {
    better = node(pick).operands[0];
    if (!compares(node(pick).operands[1], 0, 0, kNe)) return Combiner::general;
  } else if (body.nodes[0].dtype.is_floating()) {
    return Combiner::general;
  }
  if (!is(pick_index, ScalarOp::kOr) || node(pick_index).operands[0] != pick)
    return Combiner::general;
  const int tie = node(pick_index).operands[1];
  if (!is(tie, ScalarOp::kAnd) || !compares(node(tie).operands[0], 0, 2, kEq) ||
      !compares(node(tie).operands[1], 1, 3, kLt))
    return Combiner::general;
  if (compares(better, 0, 2, kGt)) return Combiner::arg_maximum;
  if (compares(better, 0, 2, kLt)) return Combiner::arg_minimum;
  return Combiner::general;
}

// ---- operations

namespace {

class Reader {
 public:
  /// A body (of a reduction) has numbers for parameters, each part its own; a fusion has buffers.
  Reader(Graph& graph, bool is_body) : graph_(graph), is_body_(is_body) {}

  void read(mlir::Block& body) {
    for (mlir::BlockArgument argument : body.getArguments()) read_parameter(argument);
    for (mlir::Operation& op : body.without_terminator()) {
      const size_t first = graph_.nodes.size();
      mlir::isa<stablehlo::DotGeneralOp>(op) ? read_product(op) : read(op);
      if (wants_lines_) add_line(op, first);
    }
    for (mlir::Value value : body.getTerminator()->getOperands()) add_root(value);
  }

 private:
  static bool is_complex(mlir::Value value) {
    return mlir::isa<mlir::ComplexType>(mlir::getElementTypeOrSelf(value.getType()));
  }
  /// A node with the type of (a part of) the value.
  static Node typed(NodeKind kind, mlir::Type type) {
    Node n;
    n.kind = kind;
    const Aval aval = aval_of(type);
    n.dtype = part_type(aval.dtype);
    n.shape = aval.shape.dims();
    return n;
  }
  int add(Node n) {
    graph_.nodes.push_back(std::move(n));
    return static_cast<int>(graph_.nodes.size()) - 1;
  }
  /// To the nodes from `first` on.
  void add_line(mlir::Operation& op, size_t first) {
    const auto place = op.getLoc()->findInstanceOf<mlir::FileLineColLoc>();
    if (!place) return;
    const auto source = std::make_shared<const SourceLine>(SourceLine{place.getFilename().str(), static_cast<int>(place.getLine())});
    for (size_t i = first; i < graph_.nodes.size(); ++i) graph_.nodes[i].source = source;
  }
  /// Of a real value, itself.
  int part(mlir::Value value, int number) const {
    const Parts parts = parts_.lookup(value);
    return number == 1 && parts.is_complex() ? parts.im : parts.re;
  }

  void read_parameter(mlir::BlockArgument argument);
  void add_root(mlir::Value value);
  void read(mlir::Operation& op);
  void read_product(mlir::Operation& dot);
  void read_elementwise(mlir::Operation& op, ScalarOp scalar);
  void read_reduce(stablehlo::ReduceOp reduce);
  void read_loop(stablehlo::WhileOp loop);
  void describe(mlir::Operation& op, Node& n, int part);
  void describe_gather(stablehlo::GatherOp gather, Node& n);

  Graph& graph_;
  const bool is_body_;
  const bool wants_lines_ = kernel_tools().want_lines();
  llvm::DenseMap<mlir::Value, Parts> parts_;
};

void Reader::read_parameter(mlir::BlockArgument argument) {
  Node n = typed(NodeKind::parameter, argument.getType());
  n.number = graph_.parameters++;
  n.strides = strides_of(argument.getType());
  Parts parts;
  if (is_complex(argument)) {
    for (int64_t& stride : n.strides) stride *= 2;
    Node imaginary = n;
    if (is_body_) imaginary.number = graph_.parameters++;
    else imaginary.offset = 1;
    parts.re = add(std::move(n));
    parts.im = add(std::move(imaginary));
  } else {
    parts.re = add(std::move(n));
  }
  parts_[argument] = parts;
}

// Its operands are parameters. What it makes is one more, after the results.
void Reader::read_product(mlir::Operation& dot) {
  if (graph_.product)
    fail<CompileError>("cpu", "two dots in kernel ", graph_.name, "; passes leave one at most");
  graph_.product.emplace();
  graph_.product->gemm = read_gemm(&dot);
  for (mlir::Value operand : dot.getOperands()) {
    if (!mlir::isa<mlir::BlockArgument>(operand))
      fail<CompileError>("cpu", "kernel ", graph_.name, " computes an operand of its dot");
  }
  graph_.product->lhs = graph_.nodes[part(dot.getOperand(0), 0)].number;
  graph_.product->rhs = graph_.nodes[part(dot.getOperand(1), 0)].number;
  Node n = typed(NodeKind::parameter, dot.getResult(0).getType());
  n.number = graph_.parameters + static_cast<int>(dot.getBlock()->getTerminator()->getNumOperands());
  n.strides = dense_strides(n.shape);
  parts_[dot.getResult(0)] = {add(std::move(n))};
}

void Reader::add_root(mlir::Value value) {
  Dims strides = strides_of(value.getType());
  const int count = is_complex(value) ? 2 : 1;
  for (int64_t& stride : strides) stride *= count;
  for (int k = 0; k < count; ++k) {
    graph_.roots.push_back(part(value, k));
    graph_.root_results.push_back(graph_.results);
    graph_.root_strides.push_back(strides);
    graph_.root_offsets.push_back(k);
  }
  ++graph_.results;
}

void Reader::read(mlir::Operation& op) {
  if (auto elementwise = mlir::dyn_cast<ElementwiseOpInterface>(op)) {
    read_elementwise(op, elementwise.scalarOp());
    return;
  }
  if (auto reduce = mlir::dyn_cast<stablehlo::ReduceOp>(op)) {
    read_reduce(reduce);
    return;
  }
  if (auto loop = mlir::dyn_cast<stablehlo::WhileOp>(op)) {
    read_loop(loop);
    return;
  }
  Parts parts;
  for (int k = 0; k < (is_complex(op.getResult(0)) ? 2 : 1); ++k) {
    Node n = typed(NodeKind::elementwise, op.getResult(0).getType());
    for (mlir::Value operand : op.getOperands()) n.operands.push_back(part(operand, k));
    describe(op, n, k);
    (k == 0 ? parts.re : parts.im) = add(std::move(n));
  }
  parts_[op.getResult(0)] = parts;
}

void Reader::read_elementwise(mlir::Operation& op, ScalarOp scalar) {
  const mlir::Value value = op.getResult(0);
  const Aval aval = aval_of(value.getType());
  const Dims& shape = aval.shape.dims();
  ScalarFacts facts;
  if (auto compare = mlir::dyn_cast<stablehlo::CompareOp>(op)) {
    facts.comparison = comparison_of(compare.getComparisonDirection());
    facts.is_total_order = compare.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
  }
  if (auto reduce = mlir::dyn_cast<stablehlo::ReducePrecisionOp>(op)) {
    facts.exponent_bits = static_cast<int>(reduce.getExponentBits());
    facts.mantissa_bits = static_cast<int>(reduce.getMantissaBits());
  }
  llvm::SmallVector<Parts, 3> operands;
  std::vector<int> numbers;
  for (mlir::Value operand : op.getOperands()) {
    operands.push_back(parts_.lookup(operand));
    numbers.push_back(operands.back().re);
  }
  const bool has_complex = is_complex(value) || llvm::any_of(op.getOperands(), is_complex);
  const Aval operand_aval = aval_of(op.getOperand(0).getType());
  if (scalar == ScalarOp::kBitcastConvert && (has_complex || aval.shape != operand_aval.shape || aval.dtype.is_bool() != operand_aval.dtype.is_bool())) {
    parts_[value] = aval == operand_aval ? operands[0] : add_bitcast_nodes(graph_, operands[0], aval.dtype, shape);
  } else if (has_complex) {
    parts_[value] = add_complex_nodes(graph_, scalar, operands, aval.dtype, shape, facts);
  } else {
    parts_[value] = {add_scalar_node(graph_, scalar, std::move(numbers), aval.dtype, shape, facts)};
  }
}

// A sum of complex numbers is two; else one node reduces all parts at once.
void Reader::read_reduce(stablehlo::ReduceOp reduce) {
  Node n = typed(NodeKind::reduce, reduce.getResult(0).getType());
  n.dims = dims_of(reduce.getDimensions());
  const DType dtype = aval_of(reduce.getResult(0).getType()).dtype;
  if (reduce.getNumResults() == 1) n.combiner = monoid(reduce.getBody(), dtype);
  const mlir::Value input = reduce.getInputs()[0], init = reduce.getInitValues()[0];
  if (n.combiner != Combiner::general) {
    Node imaginary = n;
    n.operands = {part(input, 0), part(init, 0)};
    Parts parts{add(std::move(n))};
    if (is_complex(input)) {
      imaginary.operands = {part(input, 1), part(init, 1)};
      parts.im = add(std::move(imaginary));
    }
    parts_[reduce.getResult(0)] = parts;
    return;
  }
  auto body = std::make_shared<Graph>();
  body->name = graph_.name;
  Reader(*body, true).read(reduce.getBody().front());
  n.combiner = argument_reduction(*body);
  n.body = std::move(body);
  for (mlir::Value operand : reduce->getOperands()) {
    for (int k = 0; k < (is_complex(operand) ? 2 : 1); ++k) n.operands.push_back(part(operand, k));
  }
  const int id = add(std::move(n));
  int number = 0;
  for (mlir::Value result : reduce.getResults()) {
    Parts parts;
    for (int k = 0; k < (is_complex(result) ? 2 : 1); ++k, ++number) {
      Node further = typed(NodeKind::result, result.getType());
      further.operands = {id};
      further.number = number;
      (k == 0 ? parts.re : parts.im) = number == 0 ? id : add(std::move(further));
    }
    parts_[result] = parts;
  }
}

// Results that are arrays are those of one node; scalars, which do not depend on them, of another one.
void Reader::read_loop(stablehlo::WhileOp loop) {
  auto body = std::make_shared<Graph>(), condition = std::make_shared<Graph>();
  body->name = condition->name = graph_.name;
  Reader(*body, true).read(loop.getBody().front());
  Reader(*condition, true).read(loop.getCond().front());
  const auto is_scalar = [&](mlir::Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()).getRank() == 0; };
  const bool has_arrays = !llvm::all_of(loop->getResults(), is_scalar);
  for (const bool only_scalars : {false, true}) {
    if (only_scalars && !has_arrays) break;
    llvm::SmallVector<unsigned> carried;  // the first one has the shape of the loop
    for (unsigned k = 0; k < loop->getNumResults(); ++k)
      if (!only_scalars || is_scalar(loop->getResult(k))) carried.push_back(k);
    if (carried.empty()) break;
    llvm::stable_sort(carried, [&](unsigned a, unsigned b) { return !is_scalar(loop->getResult(a)) && is_scalar(loop->getResult(b)); });
    Node n = typed(NodeKind::loop, loop->getResult(carried[0]).getType());
    for (unsigned k : carried) {
      n.operands.push_back(part(loop->getOperand(k), 0));
      n.dims.push_back(k);
    }
    n.body = body;
    n.condition = condition;
    const int id = add(std::move(n));
    for (auto [number, k] : llvm::enumerate(carried)) {
      if (has_arrays && is_scalar(loop->getResult(k)) != only_scalars) continue;
      Node further = typed(NodeKind::result, loop->getResult(k).getType());
      further.operands = {id};
      further.number = static_cast<int>(number);
      parts_[loop->getResult(k)] = {number == 0 ? id : add(std::move(further))};
    }
  }
}

/// Every other of the elements of `size` bytes, from number `part` on.
static std::vector<std::byte> part_bytes(const std::vector<std::byte>& bytes, size_t size, int part) {
  std::vector<std::byte> out;
  for (size_t at = size * static_cast<size_t>(part); at < bytes.size(); at += 2 * size)
    out.insert(out.end(), bytes.begin() + static_cast<ptrdiff_t>(at), bytes.begin() + static_cast<ptrdiff_t>(at + size));
  return out;
}

void Reader::describe(mlir::Operation& op, Node& n, int part) {
  if (auto constant = mlir::dyn_cast<stablehlo::ConstantOp>(op)) {
    n.kind = NodeKind::constant;
    n.data = constant_bytes(constant.getValue(), true);
    if (is_complex(op.getResult(0)))
      n.data = part_bytes(n.data, static_cast<size_t>(n.dtype.itemsize()), part);
    n.strides = dense_strides(n.shape);
    return;
  }
  if (llvm::is_contained(n.shape, 0)) {  // no element is ever asked for
    n.kind = NodeKind::constant;
    n.strides = dense_strides(n.shape);
    return;
  }
  if (auto movement = mlir::dyn_cast<DataMovementOpInterface>(op)) {
    if (const std::optional<mlir::AffineMap> map = movement.indexMap(0)) {
      n.kind = NodeKind::index_map;
      for (mlir::AffineExpr expr : map->getResults()) append_steps(expr, n.map.emplace_back());
      return;
    }
  }
  llvm::TypeSwitch<mlir::Operation*>(&op)
      .Case([&](stablehlo::IotaOp iota) {
        n.kind = NodeKind::iota;
        if (part == 1) {  // the imaginary part is 0
          n.kind = NodeKind::constant;
          n.data.resize(static_cast<size_t>(n.dtype.itemsize()));
          n.strides = dense_strides(n.shape);
        }
        n.axis = iota.getIotaDimension();
      })
      .Case([&](stablehlo::ConcatenateOp concatenate) {
        n.kind = NodeKind::concatenate;
        n.axis = concatenate.getDimension();
      })
      .Case([&](stablehlo::PadOp pad) {
        n.kind = NodeKind::pad;
        n.low = dims_of(pad.getEdgePaddingLow());
        n.interior = dims_of(pad.getInteriorPadding());
      })
      .Case([&](stablehlo::DynamicSliceOp) { n.kind = NodeKind::dynamic_slice; })
      .Case([&](stablehlo::DynamicUpdateSliceOp) { n.kind = NodeKind::dynamic_update_slice; })
      .Case([&](stablehlo::GatherOp gather) { describe_gather(gather, n); })
      .Default([&](mlir::Operation* other) {
        fail<UnimplementedError>("cpu", "no code for ", other->getName().getStringRef().str(),
                                 " in kernel ", graph_.name,
                                 "; see src/backends/cpu/read_fusion.cpp");
      });
}

void Reader::describe_gather(stablehlo::GatherOp gather, Node& n) {
  n.kind = NodeKind::gather;
  const auto numbers = gather.getDimensionNumbers();
  auto dims = std::make_shared<GatherDims>();
  dims->offset_dims = dims_of(numbers.getOffsetDims());
  dims->collapsed_slice_dims = dims_of(numbers.getCollapsedSliceDims());
  dims->operand_batching_dims = dims_of(numbers.getOperandBatchingDims());
  dims->start_indices_batching_dims = dims_of(numbers.getStartIndicesBatchingDims());
  dims->start_index_map = dims_of(numbers.getStartIndexMap());
  dims->index_vector_dim = numbers.getIndexVectorDim();
  dims->slice_sizes = dims_of(gather.getSliceSizes());
  n.gather = std::move(dims);
}

}  // namespace

Graph read_fusion(mlir::Block& body, std::string name) {
  Graph graph;
  graph.name = std::move(name);
  Reader(graph, false).read(body);
  return graph;
}

}  // namespace tenon::cpu
