// Types, enumerations and attributes of StableHLO.
#ifndef TENON_DIALECT_STABLEHLO_ATTRS
#define TENON_DIALECT_STABLEHLO_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"
include "stablehlo_base.td"

// -------------------------------------------------------------------------------------------- types
class Stablehlo_Type<string name, string typeMnemonic> : TypeDef<Stablehlo_Dialect, name> {
  let mnemonic = typeMnemonic;
}
def TokenType : Stablehlo_Type<"Token", "token"> {
  let summary = "orders operations with side effects";
}
def FutureType : Stablehlo_Type<"Future", "future"> {
  let summary = "results of an asynchronous operation";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
}
def HloTuple : Type<CPred<"::llvm::isa<::mlir::TupleType>($_self)">, "tuple", "::mlir::TupleType">;
def AnyValue : Type<CPred<"::tenon::stablehlo::detail::is_value($_self)">, "ranked tensor, token, future or tuple">;
def TokenValue : Type<TokenType.predicate, "token", "::tenon::stablehlo::TokenType">;
def FutureValue : Type<FutureType.predicate, "future", "::tenon::stablehlo::FutureType">;
def TensorOrToken : Type<CPred<"::tenon::stablehlo::detail::is_tensor_or_token($_self)">, "ranked tensor or token">;

// ----------------------------------------------------------------------------------------- keywords
class Keywords<string name, list<string> words>
    : I32EnumAttr<name, "", !foreach(i, !range(!size(words)), I32EnumAttrCase<words[i], i>)> {
  let cppNamespace = "::tenon::stablehlo";
  let genSpecializedAttr = 0;
}
class KeywordAttr<Dialect dialect, EnumInfo words, string name> : EnumAttr<dialect, words, name>;

def ComparisonDirection : Keywords<"ComparisonDirection", ["EQ", "NE", "GE", "GT", "LE", "LT"]>;
def ComparisonType : Keywords<"ComparisonType", ["NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"]>;
def Precision : Keywords<"Precision", ["DEFAULT", "HIGH", "HIGHEST"]>;
def FftType : Keywords<"FftType", ["FFT", "IFFT", "RFFT", "IRFFT"]>;
def Transpose : Keywords<"Transpose", ["TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"]>;
def RngDistribution : I32EnumAttr<"RngDistribution", "",
    [I32EnumAttrCase<"UNIFORM", 1>, I32EnumAttrCase<"NORMAL", 2>]> {
  let cppNamespace = "::tenon::stablehlo";
  let genSpecializedAttr = 0;
}
def RngAlgorithm : Keywords<"RngAlgorithm", ["DEFAULT", "THREE_FRY", "PHILOX"]>;
def ResultAccuracyMode : Keywords<"ResultAccuracyMode", ["DEFAULT", "HIGHEST", "TOLERANCE"]>;
def CustomCallApiVersion : I32EnumAttr<"CustomCallApiVersion", "version of the custom call's interface", [
    I32EnumAttrCase<"API_VERSION_UNSPECIFIED", 0>, I32EnumAttrCase<"API_VERSION_ORIGINAL", 1>,
    I32EnumAttrCase<"API_VERSION_STATUS_RETURNING", 2>,
    I32EnumAttrCase<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>, I32EnumAttrCase<"API_VERSION_TYPED_FFI", 4>]> {
  let cppNamespace = "::tenon::stablehlo";
}

def ComparisonDirectionAttr : KeywordAttr<Stablehlo_Dialect, ComparisonDirection, "comparison_direction">;
def ComparisonTypeAttr : KeywordAttr<Stablehlo_Dialect, ComparisonType, "comparison_type">;
def PrecisionAttr : KeywordAttr<Stablehlo_Dialect, Precision, "precision">;
def FftTypeAttr : KeywordAttr<Stablehlo_Dialect, FftType, "fft_type">;
def TransposeAttr : KeywordAttr<Stablehlo_Dialect, Transpose, "transpose">;
def RngDistributionAttr : KeywordAttr<Stablehlo_Dialect, RngDistribution, "rng_distribution">;
def RngAlgorithmAttr : KeywordAttr<Stablehlo_Dialect, RngAlgorithm, "rng_algorithm">;
def ResultAccuracyModeAttr : KeywordAttr<Stablehlo_Dialect, ResultAccuracyMode, "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

// ---------------------------------------------------------------------------------------- structures
class Stablehlo_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Stablehlo_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}
def Dims : ArrayRefParameter<"int64_t">;

def DotDimensionNumbersAttr : Stablehlo_Attr<"DotDimensionNumbers", "dot"> {
  let parameters = (ins Dims:$lhs_batching_dimensions, Dims:$rhs_batching_dimensions,
                        Dims:$lhs_contracting_dimensions, Dims:$rhs_contracting_dimensions);
  let hasCustomAssemblyFormat = 1;
}
def DotAlgorithmAttr : Stablehlo_Attr<"DotAlgorithm", "dot_algorithm"> {
  let parameters = (ins "::mlir::Type":$lhs_precision_type, "::mlir::Type":$rhs_precision_type,
                        "::mlir::Type":$accumulation_type, "int64_t":$lhs_component_count,
                        "int64_t":$rhs_component_count, "int64_t":$num_primitive_operations,
                        "bool":$allow_imprecise_accumulation);
  let assemblyFormat = "`<` struct(params) `>`";
}
def GatherDimensionNumbersAttr : Stablehlo_Attr<"GatherDimensionNumbers", "gather"> {
  let parameters = (ins Dims:$offset_dims, Dims:$collapsed_slice_dims, Dims:$operand_batching_dims,
                        Dims:$start_indices_batching_dims, Dims:$start_index_map, "int64_t":$index_vector_dim);
  let hasCustomAssemblyFormat = 1;
}
def ScatterDimensionNumbersAttr : Stablehlo_Attr<"ScatterDimensionNumbers", "scatter"> {
  let parameters = (ins Dims:$update_window_dims, Dims:$inserted_window_dims, Dims:$input_batching_dims,
                        Dims:$scatter_indices_batching_dims, Dims:$scatter_dims_to_operand_dims,
                        "int64_t":$index_vector_dim);
  let hasCustomAssemblyFormat = 1;
}
def ConvDimensionNumbersAttr : Stablehlo_Attr<"ConvDimensionNumbers", "conv"> {
  let parameters = (ins "int64_t":$input_batch_dimension, "int64_t":$input_feature_dimension,
                        Dims:$input_spatial_dimensions, "int64_t":$kernel_input_feature_dimension,
                        "int64_t":$kernel_output_feature_dimension, Dims:$kernel_spatial_dimensions,
                        "int64_t":$output_batch_dimension, "int64_t":$output_feature_dimension,
                        Dims:$output_spatial_dimensions);
  let hasCustomAssemblyFormat = 1;
}
def ChannelHandleAttr : Stablehlo_Attr<"ChannelHandle", "channel_handle"> {
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let assemblyFormat = "`<` struct(params) `>`";
}
def OutputOperandAliasAttr : Stablehlo_Attr<"OutputOperandAlias", "output_operand_alias"> {
  let parameters = (ins Dims:$output_tuple_indices, "int64_t":$operand_index, Dims:$operand_tuple_indices);
  let hasCustomAssemblyFormat = 1;
}
def ResultAccuracyAttr : Stablehlo_Attr<"ResultAccuracy", "result_accuracy"> {
  let parameters = (ins APFloatParameter<"">:$atol, APFloatParameter<"">:$rtol, "int64_t":$ulps,
                        "::tenon::stablehlo::ResultAccuracyModeAttr":$mode);
  let builders = [AttrBuilder<(ins "::tenon::stablehlo::ResultAccuracyMode":$mode)>];
  let constBuilderCall = "::tenon::stablehlo::ResultAccuracyAttr::get($_builder.getContext(), $0)";
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}
def TypeExtensionsAttr : Stablehlo_Attr<"TypeExtensions", "bounds",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "upper bounds of dynamic dimensions";
  let parameters = (ins Dims:$bounds);
  let hasCustomAssemblyFormat = 1;
}

defvar HloDims = DenseI64ArrayAttr;
class IntRows<string what> : ElementsAttrBase<
    CPred<"::tenon::stablehlo::detail::is_i64_matrix($_self)">, what> {
  let storageType = "::mlir::DenseIntElementsAttr";
  let returnType = "::mlir::DenseIntElementsAttr";
  let convertFromStorage = "$_self";
}
def PaddingRows : IntRows<"64-bit integers of shape [n, 2]">;
def PairRows : IntRows<"64-bit integers of shape [n, 2]">;
def ReplicaGroups : IntRows<"64-bit integers of rank 2">;
def PrecisionConfig : OptionalAttr<TypedArrayAttrBase<PrecisionAttr, "precisions">>;
def Accuracy : DefaultValuedOptionalAttr<ResultAccuracyAttr,
                                         "::tenon::stablehlo::ResultAccuracyMode::DEFAULT">;

#endif
