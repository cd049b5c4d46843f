// Contractions, factorizations, Fourier transforms and batch normalization.
#ifndef TENON_DIALECT_LINEAR_ALGEBRA_OPS
#define TENON_DIALECT_LINEAR_ALGEBRA_OPS

include "stablehlo_attrs.td"

def DotOp : Stablehlo_Op<"dot", [Pure]> {
  let arguments = (ins AnyHlo:$lhs, AnyHlo:$rhs, PrecisionConfig:$precision_config);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = "$lhs `,` $rhs `` custom<PrecisionConfig>($precision_config) attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def DotGeneralOp : Stablehlo_Op<"dot_general", [Pure]> {
  let arguments = (ins AnyHlo:$lhs, AnyHlo:$rhs, DotDimensionNumbersAttr:$dot_dimension_numbers,
                       PrecisionConfig:$precision_config, OptionalAttr<DotAlgorithmAttr>:$algorithm);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers) ``
    custom<PrecisionConfigAndAlgorithm>($precision_config, $algorithm) attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hloOpcode = "dot";
}
class Convolution<string mnemonic> : Stablehlo_Op<mnemonic, [Pure]> {
  let results = (outs AnyHlo:$result);
  let hasVerifier = 1;
  let hloOpcode = "convolution";
}
defvar windowArguments = (ins OptionalAttr<HloDims>:$lhs_dilation, OptionalAttr<HloDims>:$rhs_dilation,
                              OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
                              ConvDimensionNumbersAttr:$dimension_numbers, I64Attr:$feature_group_count,
                              I64Attr:$batch_group_count, PrecisionConfig:$precision_config);
def ConvolutionOp : Convolution<"convolution"> {
  let arguments = !con((ins AnyHlo:$lhs, AnyHlo:$rhs, OptionalAttr<HloDims>:$window_strides,
                            OptionalAttr<PaddingRows>:$padding), windowArguments);
  let assemblyFormat = [{
    `(`operands`)` `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers) `,`
    `window` `=` `{` custom<WindowAttributes>($window_strides, $padding, $lhs_dilation, $rhs_dilation,
                                              $window_reversal) `}`
    attr-dict `:` functional-type(operands, results)
  }];
}
def DynamicConvOp : Convolution<"dynamic_conv"> {
  let arguments = !con((ins AnyHlo:$lhs, AnyHlo:$rhs, IntHlo:$padding, OptionalAttr<HloDims>:$window_strides),
                       windowArguments);
}
def EinsumOp : Stablehlo_Op<"einsum", [Pure]> {
  let arguments = (ins AnyHlo:$lhs, AnyHlo:$rhs, StrAttr:$einsum_config);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
  let hloOpcode = "";
}
def UnaryEinsumOp : Stablehlo_Op<"unary_einsum", [Pure]> {
  let arguments = (ins AnyHlo:$operand, StrAttr:$einsum_config);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = "$operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
  let hloOpcode = "";
}

def CholeskyOp : Stablehlo_Op<"cholesky", [Pure, SameTypes]> {
  let arguments = (ins FloatOrComplexHlo:$a, DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs FloatOrComplexHlo:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict `:` custom<SameOperandsAndResultType>(type($a), type($result))
  }];
  let hasVerifier = 1;
}
def TriangularSolveOp : Stablehlo_Op<"triangular_solve", [Pure, InferredTypes]> {
  let arguments = (ins FloatOrComplexHlo:$a, FloatOrComplexHlo:$b, BoolAttr:$left_side, BoolAttr:$lower,
                       BoolAttr:$unit_diagonal, TransposeAttr:$transpose_a);
  let results = (outs FloatOrComplexHlo:$result);
}
def FftOp : Stablehlo_Op<"fft", [Pure, InferredTypes]> {
  let arguments = (ins FloatOrComplexHlo:$operand, FftTypeAttr:$fft_type, HloDims:$fft_length);
  let results = (outs FloatOrComplexHlo:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` custom<EnumWord>($fft_type) `,` `length` `=` $fft_length attr-dict `:` functional-type(operands, results)
  }];
}

class BatchNorm<string mnemonic> : Stablehlo_Op<mnemonic, [Pure, InferredTypes]>;
def BatchNormGradOp : BatchNorm<"batch_norm_grad"> {
  let arguments = (ins FloatHlo:$operand, FloatVectorHlo:$scale, FloatVectorHlo:$mean, FloatVectorHlo:$variance,
                       FloatHlo:$grad_output, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs FloatHlo:$grad_operand, FloatVectorHlo:$grad_scale, FloatVectorHlo:$grad_offset);
}
def BatchNormInferenceOp : BatchNorm<"batch_norm_inference"> {
  let arguments = (ins FloatHlo:$operand, FloatVectorHlo:$scale, FloatVectorHlo:$offset, FloatVectorHlo:$mean,
                       FloatVectorHlo:$variance, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs FloatHlo:$result);
}
def BatchNormTrainingOp : BatchNorm<"batch_norm_training"> {
  let arguments = (ins FloatHlo:$operand, FloatVectorHlo:$scale, FloatVectorHlo:$offset,
                       F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs FloatHlo:$output, FloatVectorHlo:$batch_mean, FloatVectorHlo:$batch_var);
}

#endif
