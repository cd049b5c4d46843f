#include "backends/cpu/read_steps.h"

#include "backends/cpu/read_fusion.h"
#include "base/fail.h"
#include "dialect/cumulative.h"
#include "dialect/sort_keys.h"
#include "dialect/types.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tenon::cpu {

static Dims dims_of(llvm::ArrayRef<int64_t> dims) { return Dims(dims.begin(), dims.end()); }

static LineView lines_of(const Dims& shape, int64_t axis) {
  LineView lines;
  if (axis < 0) {
    lines.outer = element_count(shape);
    return lines;
  }
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
    (d < axis ? lines.outer : d == axis ? lines.length : lines.inner) *= shape[d];
  return lines;
}

static int add_graph(mlir::Region& region, const std::string& name, Program& program) {
  llvm::SetVector<mlir::Value> captured;
  mlir::getUsedValuesDefinedAbove(region, captured);
  if (!captured.empty()) fail<UnimplementedError>("cpu", "the body of ", name, " uses values from outside, which has no code");
  program.graphs.push_back(read_fusion(region.front(), name));
  return static_cast<int>(program.graphs.size()) - 1;
}

static CombineOp combine_op(mlir::Region& body, size_t inputs) {
  if (inputs != 1) return CombineOp::general;
  mlir::Block& block = body.front();
  if (block.without_terminator().empty() && block.getTerminator()->getOperand(0) == block.getArgument(1)) return CombineOp::assign;
  const std::optional<ScalarOp> op = single_scalar_op(body);
  if (!op) return CombineOp::general;
  switch (*op) {
    case ScalarOp::kAdd: return CombineOp::add;
    case ScalarOp::kSubtract: return CombineOp::subtract;
    case ScalarOp::kMultiply: return CombineOp::multiply;
    case ScalarOp::kMaximum: return CombineOp::maximum;
    case ScalarOp::kMinimum: return CombineOp::minimum;
    case ScalarOp::kAnd: return CombineOp::logical_and;
    case ScalarOp::kOr: return CombineOp::logical_or;
    default: return CombineOp::general;
  }
}

// ---- running totals

void read_scan(stablehlo::ReduceWindowOp op, Program& program, Step& step) {
  const auto scan = cumulative(op);
  if (!scan || op.getInputs().size() != 1)
    fail<UnimplementedError>("cpu", "reduce_window has code for running totals of one array only");
  const Aval input = aval_of(op.getInputs()[0].getType());
  ScanStep& s = step.scan_step;
  s.type = input.dtype;
  s.lines = lines_of(input.shape.dims(), scan->axis);
  s.reverse = scan->reverse;
  s.op = combine_op(op.getBody(), 1);
  const bool has_loop = s.op == CombineOp::add || s.op == CombineOp::multiply || s.op == CombineOp::maximum || s.op == CombineOp::minimum;
  if (!has_loop) {
    s.op = CombineOp::general;
    s.body = add_graph(op.getBody(), "scan_body", program);
  }
}

// ---- sorts

void read_sort(stablehlo::SortOp op, Program& program, Step& step) {
  SortStep& s = step.sort_step;
  const Aval first = aval_of(op.getInputs()[0].getType());
  const auto dimension = static_cast<int64_t>(op.getDimension());
  for (mlir::Value input : op.getInputs()) s.itemsizes.push_back(aval_of(input.getType()).dtype.itemsize());
  s.lines = lines_of(first.shape.dims(), dimension < 0 ? dimension + first.ndim() : dimension);
  if (s.lines.length > std::numeric_limits<uint32_t>::max())
    fail<UnimplementedError>("cpu", "sorts of more than 2^32 elements have no code; got ", first.str_short());
  s.keys = sort_keys(op.getComparator());
  if (s.keys.empty()) s.comparator = add_graph(op.getComparator(), "comparator", program);
}

// ---- scatters

void read_scatter(stablehlo::ScatterOp op, Program& program, Step& step) {
  const auto numbers = op.getScatterDimensionNumbers();
  ScatterStep& s = step.scatter_step;
  for (mlir::Value input : op.getInputs()) s.types.push_back(aval_of(input.getType()).dtype);
  const Aval input = aval_of(op.getInputs()[0].getType()), indices = aval_of(op.getScatterIndices().getType()),
             updates = aval_of(op.getUpdates()[0].getType());
  s.index_type = indices.dtype;
  s.shape = input.shape.dims();
  const Dims strides = dense_strides(s.shape), index_strides = dense_strides(indices.shape.dims()),
             update_strides = dense_strides(updates.shape.dims());
  const int64_t vector_dim = numbers.getIndexVectorDim();
  const Dims indices_batching = dims_of(numbers.getScatterIndicesBatchingDims()),
             input_batching = dims_of(numbers.getInputBatchingDims());
  if (vector_dim < indices.ndim()) s.entry_stride = index_strides[vector_dim];
  s.entry_dims = dims_of(numbers.getScatterDimsToOperandDims());
  for (int64_t d = 0; d < indices.ndim(); ++d) {
    if (d == vector_dim) continue;
    s.vectors.push_back(indices.shape[d]);
    s.vector_strides.push_back(index_strides[d]);
    const auto batching = llvm::find(indices_batching, d);
    s.batch_strides.push_back(batching == indices_batching.end() ? 0 : strides[input_batching[batching - indices_batching.begin()]]);
  }
  Dims window, window_updates;
  for (int64_t d = 0; d < updates.ndim(); ++d) {
    const bool in_window = llvm::is_contained(numbers.getUpdateWindowDims(), d);
    if (in_window) window.push_back(updates.shape[d]);
    (in_window ? window_updates : s.update_strides).push_back(update_strides[d]);
  }
  for (int64_t d = 0; d < input.ndim(); ++d) {
    const bool lacks = llvm::is_contained(numbers.getInsertedWindowDims(), d) || llvm::is_contained(input_batching, d);
    s.extents.push_back(lacks ? 1 : window[s.window.size()]);
    if (lacks) continue;
    s.window_update_strides.push_back(window_updates[s.window.size()]);
    s.window.push_back(s.extents.back());
    s.window_strides.push_back(strides[d]);
  }
  s.op = combine_op(op.getUpdateComputation(), s.types.size());
  if (s.op == CombineOp::general) s.body = add_graph(op.getUpdateComputation(), "scatter_body", program);
}

// ---- Fourier transforms

void read_fft(stablehlo::FftOp op, Step& step) {
  const Aval operand = aval_of(op.getOperand().getType()), result = aval_of(op.getResult().getType());
  const auto kind = static_cast<math::FftKind>(op.getFftType());
  const Shape& shape = kind == math::FftKind::real_inverse ? result.shape : operand.shape;
  const bool is_double = operand.dtype.code() == DType::kFloat64 || operand.dtype.code() == DType::kComplex128;
  step.fft_step.transform = std::make_shared<math::ArrayTransform>(kind, is_double, shape.dims(), op.getFftLength().size());
}

}  // namespace tenon::cpu
