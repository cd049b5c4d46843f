// The one table of how HLO prints what an operation knows beside its operands.
#include <string>
#include <vector>

#include "analysis/hlo_builder.h"
#include "dialect/tenon_ops.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tenon::analysis {
namespace {

using List = std::vector<std::string>;

std::string axes(llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
  std::string text = name.str() + "={";
  for (size_t i = 0; i < values.size(); ++i) text += (i ? "," : "") + std::to_string(values[i]);
  return text + "}";
}

std::string slice_ranges(stablehlo::SliceOp slice) {
  std::string text = "slice={";
  bool strided = llvm::any_of(slice.getStrides(), [](int64_t stride) { return stride != 1; });
  for (size_t i = 0; i < slice.getStrides().size(); ++i) {
    text += (i ? ", [" : "[") + std::to_string(slice.getStartIndices()[i]) + ":" + std::to_string(slice.getLimitIndices()[i]);
    text += strided ? ":" + std::to_string(slice.getStrides()[i]) + "]" : "]";
  }
  return text + "}";
}

std::string padding(stablehlo::PadOp pad) {
  std::string text = "padding=";
  for (size_t i = 0; i < pad.getEdgePaddingLow().size(); ++i) {
    text += (i ? "x" : "") + std::to_string(pad.getEdgePaddingLow()[i]) + "_" + std::to_string(pad.getEdgePaddingHigh()[i]);
    if (pad.getInteriorPadding()[i] != 0) text += "_" + std::to_string(pad.getInteriorPadding()[i]);
  }
  return text;
}

List dot(stablehlo::DotGeneralOp dot) {
  auto numbers = dot.getDotDimensionNumbers();
  List list;
  if (!numbers.getLhsBatchingDimensions().empty()) list.push_back(axes("lhs_batch_dims", numbers.getLhsBatchingDimensions()));
  list.push_back(axes("lhs_contracting_dims", numbers.getLhsContractingDimensions()));
  if (!numbers.getRhsBatchingDimensions().empty()) list.push_back(axes("rhs_batch_dims", numbers.getRhsBatchingDimensions()));
  list.push_back(axes("rhs_contracting_dims", numbers.getRhsContractingDimensions()));
  if (auto precisions = dot.getPrecisionConfig()) {
    std::string text;
    bool plain = true;
    for (auto precision : precisions->getAsRange<stablehlo::PrecisionAttr>()) {
      plain &= precision.getValue() == stablehlo::Precision::DEFAULT;
      text += (text.empty() ? "" : ",") + stablehlo::stringifyPrecision(precision.getValue()).lower();
    }
    if (!plain) list.push_back("operand_precision={" + text + "}");
  }
  return list;
}

List gather(stablehlo::GatherOp gather) {
  auto numbers = gather.getDimensionNumbers();
  List list{axes("offset_dims", numbers.getOffsetDims()), axes("collapsed_slice_dims", numbers.getCollapsedSliceDims()),
            axes("start_index_map", numbers.getStartIndexMap())};
  if (!numbers.getOperandBatchingDims().empty()) {
    list.push_back(axes("operand_batching_dims", numbers.getOperandBatchingDims()));
    list.push_back(axes("start_indices_batching_dims", numbers.getStartIndicesBatchingDims()));
  }
  list.push_back("index_vector_dim=" + std::to_string(numbers.getIndexVectorDim()));
  list.push_back(axes("slice_sizes", gather.getSliceSizes()));
  if (gather.getIndicesAreSorted()) list.push_back("indices_are_sorted=true");
  return list;
}

List scatter(stablehlo::ScatterOp scatter) {
  auto numbers = scatter.getScatterDimensionNumbers();
  List list{axes("update_window_dims", numbers.getUpdateWindowDims()),
            axes("inserted_window_dims", numbers.getInsertedWindowDims()),
            axes("scatter_dims_to_operand_dims", numbers.getScatterDimsToOperandDims())};
  if (!numbers.getInputBatchingDims().empty()) {
    list.push_back(axes("input_batching_dims", numbers.getInputBatchingDims()));
    list.push_back(axes("scatter_indices_batching_dims", numbers.getScatterIndicesBatchingDims()));
  }
  list.push_back("index_vector_dim=" + std::to_string(numbers.getIndexVectorDim()));
  if (scatter.getIndicesAreSorted()) list.push_back("indices_are_sorted=true");
  if (scatter.getUniqueIndices()) list.push_back("unique_indices=true");
  return list;
}

List compare(stablehlo::CompareOp compare) {
  List list{"direction=" + stablehlo::stringifyComparisonDirection(compare.getComparisonDirection()).str()};
  if (compare.getCompareType() == stablehlo::ComparisonType::TOTALORDER) list.push_back("type=TOTALORDER");
  return list;
}

List custom_call(stablehlo::CustomCallOp op) {
  List list{"custom_call_target=\"" + op.getCallTargetName().str() + "\""};
  if (op.getHasSideEffect()) list.push_back("custom_call_has_side_effect=true");
  if (op.getApiVersion() == stablehlo::CustomCallApiVersion::API_VERSION_TYPED_FFI) list.push_back("api_version=API_VERSION_TYPED_FFI");
  return list;
}

List sort(stablehlo::SortOp sort) {
  int64_t rank = mlir::cast<mlir::RankedTensorType>(sort.getInputs()[0].getType()).getRank();
  int64_t dimension = static_cast<int64_t>(sort.getDimension());
  List list{axes("dimensions", {dimension < 0 ? dimension + rank : dimension})};
  if (sort.getIsStable()) list.push_back("is_stable=true");
  return list;
}

}  // namespace

std::vector<std::string> hlo_attributes(mlir::Operation* op) {
  using namespace stablehlo;
  return llvm::TypeSwitch<mlir::Operation*, List>(op)
      .Case([](IotaOp iota) { return List{"iota_dimension=" + std::to_string(iota.getIotaDimension())}; })
      .Case([](TransposeOp transpose) { return List{axes("dimensions", transpose.getPermutation())}; })
      .Case([](ReverseOp reverse) { return List{axes("dimensions", reverse.getDimensions())}; })
      .Case([](ConcatenateOp concatenate) { return List{axes("dimensions", {static_cast<int64_t>(concatenate.getDimension())})}; })
      .Case([](SliceOp slice) { return List{slice_ranges(slice)}; })
      .Case([](DynamicSliceOp slice) { return List{axes("dynamic_slice_sizes", slice.getSliceSizes())}; })
      .Case([](PadOp pad) { return List{padding(pad)}; })
      .Case([](ReduceOp reduce) { return List{axes("dimensions", reduce.getDimensions())}; })
      .Case([](CompareOp op) { return compare(op); })
      .Case([](DotGeneralOp op) { return dot(op); })
      .Case([](GatherOp op) { return gather(op); })
      .Case([](ScatterOp op) { return scatter(op); })
      .Case([](SortOp op) { return sort(op); })
      .Case([](CustomCallOp op) { return custom_call(op); })
      .Case([](FftOp op) {
        return List{"fft_type=" + stringifyFftType(op.getFftType()).str(), axes("fft_length", op.getFftLength())};
      })
      .Case([](ReducePrecisionOp op) {
        return List{"exponent_bits=" + std::to_string(op.getExponentBits()), "mantissa_bits=" + std::to_string(op.getMantissaBits())};
      })
      .Default([](mlir::Operation*) { return List{}; });
}

}  // namespace tenon::analysis
