#include "evaluator/prepare_op.h"

#include <cstring>

#include "base/fail.h"
#include "dialect/captured_arrays.h"
#include "dialect/check.h"
#include "dialect/chlo.h"
#include "dialect/cumulative.h"
#include "dialect/sort_keys.h"
#include "dialect/stablehlo.h"
#include "dialect/tenon_ops.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tenon::evaluator {

using llvm::dyn_cast;
using llvm::isa;

Aval value_aval(mlir::Value value) {
  if (isa<stablehlo::TokenType>(value.getType())) return {Shape{0}, DType(DType::kBool)};
  const Aval aval = aval_of(value.getType());
  if (aval.dtype.bits() < 8 && !aval.dtype.is_bool())
    fail<UnimplementedError>("evaluator", "elements of less than a byte, of type ", aval.dtype, ", have no arithmetic here yet");
  return aval;
}

Avals value_avals(mlir::ValueRange values) {
  Avals avals;
  for (mlir::Value value : values) avals.push_back(value_aval(value));
  return avals;
}

ConstantData constant_data(mlir::ElementsAttr attribute) {
  const Aval aval = aval_of(attribute.getType());
  if (aval.shape.num_elements() == 0) return {allocate(0), false};  // "dense<1.0>" may have one element all the same
  const bool is_splat = attribute.isSplat();
  const std::int64_t size = is_splat ? aval.dtype.itemsize() : aval.nbytes();
  std::shared_ptr<void> data = allocate(size);
  llvm::ArrayRef<char> bytes;
  if (auto dense = dyn_cast<mlir::DenseElementsAttr>(attribute)) {
    if (aval.dtype.is_bool()) {
      auto* out = static_cast<bool*>(data.get());
      if (is_splat)
        *out = dense.getSplatValue<bool>();
      else
        for (bool value : dense.getValues<bool>()) *out++ = value;
      return {data, is_splat};
    }
    bytes = dense.getRawData();
  } else if (const std::optional<llvm::ArrayRef<char>> captured = captured_bytes(attribute)) {
    bytes = *captured;
  }
  if (static_cast<std::int64_t>(bytes.size()) != size)
    fail<UnimplementedError>("constant", "the evaluator cannot read the elements of this ", aval,
                             "; got ", bytes.size(), " bytes");
  if (size > 0) std::memcpy(data.get(), bytes.data(), static_cast<std::size_t>(size));
  return {data, is_splat};
}

static Dims dims(llvm::ArrayRef<std::int64_t> values) { return Dims(values.begin(), values.end()); }
static Dims dims_or(std::optional<llvm::ArrayRef<std::int64_t>> values, std::size_t rank, std::int64_t value) {
  return values ? dims(*values) : Dims(rank, value);
}

// ---- elementwise

static Comparison comparison_of(stablehlo::ComparisonDirection direction) {
  switch (direction) {
    case stablehlo::ComparisonDirection::EQ: return Comparison::eq;
    case stablehlo::ComparisonDirection::NE: return Comparison::ne;
    case stablehlo::ComparisonDirection::GE: return Comparison::ge;
    case stablehlo::ComparisonDirection::GT: return Comparison::gt;
    case stablehlo::ComparisonDirection::LE: return Comparison::le;
    case stablehlo::ComparisonDirection::LT: return Comparison::lt;
  }
  return Comparison::eq;
}

KernelRef make_scalar_kernel(ElementwiseOpInterface op, const Avals& operands, const Aval& result) {
  ScalarParams params;
  if (auto compare = dyn_cast<stablehlo::CompareOp>(op.getOperation())) {
    params.comparison = comparison_of(compare.getComparisonDirection());
    params.total_order = compare.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
  } else if (auto reduce = dyn_cast<stablehlo::ReducePrecisionOp>(op.getOperation())) {
    params.exponent_bits = static_cast<int>(reduce.getExponentBits());
    params.mantissa_bits = static_cast<int>(reduce.getMantissaBits());
  }
  return elementwise_kernel(op.scalarOp(), operands, result, params);
}

// ---- moving elements

/// The operand's offset as a linear function of the result's index.
static KernelRef of_index_map(mlir::Operation* op, mlir::AffineMap map) {
  const Aval operand = value_aval(op->getOperand(0)), result = value_aval(op->getResult(0));
  const Dims strides = row_major_strides(operand.shape);
  const auto offset_at = [&](const Dims& index) {
    std::int64_t offset = 0;
    const auto position = map.compose(index);
    for (std::size_t d = 0; d < strides.size(); ++d) offset += position[d] * strides[d];
    return offset;
  };
  Dims index(result.shape.size(), 0), steps(result.shape.size());
  const std::int64_t offset = offset_at(index);
  for (std::size_t d = 0; d < index.size(); ++d) {
    index[d] = 1;
    steps[d] = offset_at(index) - offset;
    index[d] = 0;
  }
  return strided_kernel(result.dtype.itemsize(), result.shape, steps, offset);
}

static KernelRef of_gather(stablehlo::GatherOp op) {
  const auto n = op.getDimensionNumbers();
  return gather_kernel(value_aval(op.getOperand()), value_aval(op.getStartIndices()), value_aval(op.getResult()),
                       {dims(n.getOffsetDims()), dims(n.getCollapsedSliceDims()), dims(n.getOperandBatchingDims()),
                        dims(n.getStartIndicesBatchingDims()), dims(n.getStartIndexMap()), n.getIndexVectorDim(),
                        dims(op.getSliceSizes())});
}

static KernelRef of_scatter(stablehlo::ScatterOp op, const PrepareRegion& region) {
  const auto n = op.getScatterDimensionNumbers();
  return scatter_kernel(value_avals(op->getOperands()),
                        {dims(n.getUpdateWindowDims()), dims(n.getInsertedWindowDims()), dims(n.getInputBatchingDims()),
                         dims(n.getScatterIndicesBatchingDims()), dims(n.getScatterDimsToOperandDims()),
                         n.getIndexVectorDim()},
                        region(op.getUpdateComputation()));
}

static KernelRef of_pad(stablehlo::PadOp op) {
  return pad_kernel(value_aval(op.getOperand()), value_aval(op.getResult()), dims(op.getEdgePaddingLow()),
                    dims(op.getInteriorPadding()));
}

// ---- reductions, contractions, order

static KernelRef of_reduction(ReductionOpInterface op, const PrepareRegion& region) {
  const Avals inputs = value_avals(op.reductionInputs());
  const Dims dimensions = dims(op.reducedDimensions());
  if (const auto combiner = op.combinerOp(); combiner && inputs.size() == 1) {
    if (KernelRef kernel = reduce_kernel(*combiner, inputs[0], dimensions)) return kernel;
  }
  return reduce_with_kernel(inputs, dimensions, region(op->getRegion(0)));
}

static KernelRef of_reduce_window(stablehlo::ReduceWindowOp op, const PrepareRegion& region) {
  const Avals inputs = value_avals(op.getInputs());
  if (const auto scan = cumulative(op); scan && inputs.size() == 1) {
    if (const auto combiner = single_scalar_op(op.getBody())) {
      if (KernelRef kernel = scan_kernel(*combiner, inputs[0], scan->axis, scan->reverse)) return kernel;
    }
    return scan_with_kernel(inputs[0], scan->axis, scan->reverse, region(op.getBody()));
  }
  const std::size_t rank = inputs[0].shape.size();
  Window window{dims(op.getWindowDimensions()), dims_or(op.getWindowStrides(), rank, 1),
                dims_or(op.getBaseDilations(), rank, 1), dims_or(op.getWindowDilations(), rank, 1), Dims(rank, 0),
                Dims(rank, 0)};
  if (const auto padding = op.getPadding()) {
    std::size_t i = 0;
    for (std::int64_t value : padding->getValues<std::int64_t>()) {
      (i % 2 == 0 ? window.padding_low : window.padding_high)[i / 2] = value;
      ++i;
    }
  }
  return reduce_window_kernel(inputs, value_aval(op->getResult(0)), window, region(op.getBody()));
}

static KernelRef of_dot_general(stablehlo::DotGeneralOp op) {
  const auto n = op.getDotDimensionNumbers();
  return dot_kernel(value_aval(op.getLhs()), value_aval(op.getRhs()), value_aval(op.getResult()),
                    {dims(n.getLhsBatchingDimensions()), dims(n.getRhsBatchingDimensions()),
                     dims(n.getLhsContractingDimensions()), dims(n.getRhsContractingDimensions())});
}

static KernelRef of_dot(stablehlo::DotOp op) {
  const Aval lhs = value_aval(op.getLhs());
  return dot_kernel(lhs, value_aval(op.getRhs()), value_aval(op.getResult()), {{}, {}, {lhs.ndim() - 1}, {0}});
}

static KernelRef of_sort(stablehlo::SortOp op, const PrepareRegion& region) {
  const Avals inputs = value_avals(op.getInputs());
  const auto dimension = static_cast<std::int64_t>(op.getDimension());
  return sort_kernel(inputs, dimension < 0 ? dimension + inputs[0].ndim() : dimension, sort_keys(op.getComparator()),
                     region(op.getComparator()));
}

static KernelRef of_fft(stablehlo::FftOp op) {
  const Aval operand = value_aval(op.getOperand());
  const Shape& shape = op.getFftType() == stablehlo::FftType::IRFFT ? value_aval(op.getResult()).shape : operand.shape;
  return fft_kernel(static_cast<math::FftKind>(op.getFftType()), operand, shape, static_cast<std::int64_t>(op.getFftLength().size()));
}

// ---- checks

template <class Op>
static KernelRef of_check(Op op, Check check, double tolerance = 0, std::uint64_t min_ulp = 0, std::uint64_t max_ulp = 0) {
  return check_kernel(check, value_aval(op->getOperand(0)), tolerance, min_ulp, max_ulp);
}
static double tolerance_of(std::optional<llvm::APFloat> tolerance) {
  return tolerance ? tolerance->convertToDouble() : 1e-4;
}

static KernelRef of_bitcast(stablehlo::BitcastConvertOp op) {
  const Aval operand = value_aval(op.getOperand()), result = value_aval(op.getResult());
  return operand.dtype.is_bool() ? pack_bools_kernel(operand.shape.num_elements())
                                 : unpack_bools_kernel(result.shape.num_elements());
}

bool renames_bytes(mlir::Operation* op) {
  if (isa<stablehlo::OptimizationBarrierOp, ir::CopyOp>(op)) return true;
  if (isa<stablehlo::BitcastConvertOp>(op))
    return value_aval(op->getOperand(0)).nbytes() == value_aval(op->getResult(0)).nbytes();  // else bools
  auto movement = dyn_cast<DataMovementOpInterface>(op);
  return movement && movement.keepsBytes();
}

KernelRef make_kernel(mlir::Operation* op, const PrepareRegion& region) {
  if (auto bitcast = dyn_cast<stablehlo::BitcastConvertOp>(op)) return of_bitcast(bitcast);
  if (auto elementwise = dyn_cast<ElementwiseOpInterface>(op); elementwise && elementwise.isElementwise())
    return make_scalar_kernel(elementwise, value_avals(op->getOperands()), value_aval(op->getResult(0)));
  if (auto reduction = dyn_cast<ReductionOpInterface>(op)) return of_reduction(reduction, region);
  if (auto movement = dyn_cast<DataMovementOpInterface>(op); movement && op->getNumOperands() == 1) {
    if (const auto map = movement.indexMap(0)) return of_index_map(op, *map);
  }
  KernelRef kernel =
      llvm::TypeSwitch<mlir::Operation*, KernelRef>(op)
          .Case([](stablehlo::IotaOp o) {
            return iota_kernel(value_aval(o.getOutput()), static_cast<std::int64_t>(o.getIotaDimension()));
          })
          .Case([](stablehlo::ConcatenateOp o) {
            return concatenate_kernel(value_avals(o.getInputs()), value_aval(o.getResult()),
                                      static_cast<std::int64_t>(o.getDimension()));
          })
          .Case([](stablehlo::PadOp o) { return of_pad(o); })
          .Case([](stablehlo::DynamicSliceOp o) {
            return dynamic_slice_kernel(value_avals(o->getOperands()), value_aval(o.getResult()));
          })
          .Case([](stablehlo::DynamicUpdateSliceOp o) {
            return dynamic_update_slice_kernel(value_avals(o->getOperands()));
          })
          .Case([](stablehlo::GatherOp o) { return of_gather(o); })
          .Case([&](stablehlo::ScatterOp o) { return of_scatter(o, region); })
          .Case([&](stablehlo::ReduceWindowOp o) { return of_reduce_window(o, region); })
          .Case([](stablehlo::DotGeneralOp o) { return of_dot_general(o); })
          .Case([](stablehlo::DotOp o) { return of_dot(o); })
          .Case([&](stablehlo::SortOp o) { return of_sort(o, region); })
          .Case([](stablehlo::FftOp o) { return of_fft(o); })
          .Case([](chlo::TopKOp o) { return top_k_kernel(value_aval(o.getOperand()), static_cast<std::int64_t>(o.getK())); })
          .Case([&](stablehlo::MapOp o) {
            return map_kernel(value_avals(o.getInputs()), value_aval(o.getResult()), region(o.getComputation()));
          })
          .Case([](check::ExpectEqOp o) { return of_check(o, Check::equal); })
          .Case([](check::ExpectAlmostEqOp o) {
            return of_check(o, Check::almost_equal, tolerance_of(o.getTolerance()));
          })
          .Case([](check::ExpectCloseOp o) {
            return of_check(o, Check::close, 0, static_cast<std::uint64_t>(o.getMinUlpDifference()),
                            static_cast<std::uint64_t>(o.getMaxUlpDifference()));
          })
          .Default([](mlir::Operation*) { return KernelRef(); });
  if (!kernel)
    fail<UnimplementedError>(op->getName().getStringRef().str(),
                             "the evaluator has no kernel for this operation; it would go to "
                             "src/evaluator/prepare_op.cpp");
  return kernel;
}

}  // namespace tenon::evaluator
