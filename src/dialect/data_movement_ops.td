// Operations whose results are elements of their operands, and makers of arrays from nothing.
#ifndef TENON_DIALECT_DATA_MOVEMENT_OPS
#define TENON_DIALECT_DATA_MOVEMENT_OPS

include "stablehlo_attrs.td"

class Movement<string mnemonic, list<Trait> traits = []>
    : Stablehlo_Op<mnemonic, !listconcat(traits, [Pure, DataMovementOpInterface])>;
// One map from the result's index to the operand's holds for all elements.
class MappedMovement<string mnemonic, list<Trait> traits = []>
    : Stablehlo_Op<mnemonic, !listconcat(traits, [Pure,
          DeclareOpInterfaceMethods<DataMovementOpInterface, ["indexMap", "keepsBytes"]>])>;

def BroadcastOp : MappedMovement<"broadcast", [InferredTypes]> {
  let arguments = (ins AnyHlo:$operand, HloDims:$broadcast_sizes);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = "$operand `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)";
}
def BroadcastInDimOp : MappedMovement<"broadcast_in_dim"> {
  let arguments = (ins AnyHlo:$operand, HloDims:$broadcast_dimensions);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hloOpcode = "broadcast";
}
def ReshapeOp : MappedMovement<"reshape"> {
  let arguments = (ins AnyHlo:$operand);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def ReverseOp : MappedMovement<"reverse", [SameTypes]> {
  let arguments = (ins AnyHlo:$operand, HloDims:$dimensions);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict
      `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let hasVerifier = 1;
}
def SliceOp : MappedMovement<"slice", [InferredTypes]> {
  let arguments = (ins AnyHlo:$operand, HloDims:$start_indices, HloDims:$limit_indices, HloDims:$strides);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides)
    attr-dict `:` functional-type(operands, results)
  }];
}
def TransposeOp : MappedMovement<"transpose", [InferredTypes]> {
  let arguments = (ins AnyHlo:$operand, HloDims:$permutation);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)";
}

def BitcastConvertOp : Elementwise_Op<Stablehlo_Dialect, "bitcast_convert", []> {
  let arguments = (ins AnyHlo:$operand);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let scalar = "BitcastConvert";
  let declarations = "bool isElementwise() { return getOperand().getType().getShape() == getType().getShape(); }";
}
def ConcatenateOp : Movement<"concatenate", [InferredTypes]> {
  let arguments = (ins Variadic<AnyHlo>:$inputs, I64Attr:$dimension);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = [{
    custom<VariadicOperandWithAttribute>($inputs) `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
}
def DynamicSliceOp : Movement<"dynamic_slice", [InferredTypes]> {
  let arguments = (ins AnyHlo:$operand, Variadic<ScalarIntHlo>:$start_indices, HloDims:$slice_sizes);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = [{
    $operand `,` custom<VariadicOperandWithAttribute>($start_indices) `sizes` `=` $slice_sizes
    attr-dict `:` functional-type(operands, results)
  }];
}
def DynamicUpdateSliceOp : Movement<"dynamic_update_slice", [InferredTypes]> {
  let arguments = (ins AnyHlo:$operand, AnyHlo:$update, Variadic<ScalarIntHlo>:$start_indices);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def GatherOp : Movement<"gather", [InferredTypes]> {
  let arguments = (ins AnyHlo:$operand, IndexHlo:$start_indices, GatherDimensionNumbersAttr:$dimension_numbers,
                       HloDims:$slice_sizes, DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs AnyHlo:$result);
}
def PadOp : Movement<"pad", [InferredTypes]> {
  let arguments = (ins AnyHlo:$operand, AnyHlo:$padding_value, HloDims:$edge_padding_low,
                       HloDims:$edge_padding_high, HloDims:$interior_padding);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high `,`
    `interior` `=` $interior_padding attr-dict `:` functional-type(operands, results)
  }];
}
def TorchIndexSelectOp : Movement<"torch_index_select"> {
  let arguments = (ins AnyHlo:$operand, IntHlo:$index, I64Attr:$dim, I64Attr:$batch_dims);
  let results = (outs AnyHlo:$result);
  let hasVerifier = 1;
  let hloOpcode = "";
}

def ConstantOp : Stablehlo_Op<"constant",
    [Pure, ConstantLike, DeclareOpInterfaceMethods<InferTypeOpInterface>,
     NamedTrait<"OwnTypes", "static bool isCompatibleReturnTypes(::mlir::TypeRange l, ::mlir::TypeRange r);">,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyHlo:$output);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
}
def IotaOp : Stablehlo_Op<"iota", [Pure]> {
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs HloTensor<[KSInt, KUInt, KFloat, KComplex], "integer, float or complex values">:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
  let hasVerifier = 1;
}

#endif
