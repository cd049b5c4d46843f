// Operations on shapes that are known only when the program runs. No HLO; the importer resolves them.
#ifndef TENON_DIALECT_DYNAMIC_OPS
#define TENON_DIALECT_DYNAMIC_OPS

include "stablehlo_attrs.td"

class Dynamic<string mnemonic, list<Trait> traits = []> : Stablehlo_Op<mnemonic, !listconcat(traits, [Pure])> {
  let hloOpcode = "";
}

def DynamicBroadcastInDimOp : Dynamic<"dynamic_broadcast_in_dim"> {
  let arguments = (ins AnyHlo:$operand, ShapeHlo:$output_dimensions, HloDims:$broadcast_dimensions,
                       OptionalAttr<HloDims>:$known_expanding_dimensions,
                       OptionalAttr<HloDims>:$known_nonexpanding_dimensions);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def DynamicGatherOp : Dynamic<"dynamic_gather", [InferredTypes]> {
  let arguments = (ins AnyHlo:$operand, IndexHlo:$start_indices, ShapeHlo:$slice_sizes,
                       GatherDimensionNumbersAttr:$dimension_numbers,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs AnyHlo:$result);
}
def DynamicIotaOp : Dynamic<"dynamic_iota"> {
  let arguments = (ins ShapeHlo:$output_shape, I64Attr:$iota_dimension);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = "$output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def DynamicPadOp : Dynamic<"dynamic_pad"> {
  let arguments = (ins AnyHlo:$operand, AnyHlo:$padding_value, ShapeHlo:$edge_padding_low,
                       ShapeHlo:$edge_padding_high, ShapeHlo:$interior_padding);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def DynamicReshapeOp : Dynamic<"dynamic_reshape"> {
  let arguments = (ins AnyHlo:$operand, ShapeHlo:$output_shape);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def GetDimensionSizeOp : Dynamic<"get_dimension_size", [InferredTypes]> {
  let arguments = (ins AnyHlo:$operand, I64Attr:$dimension);
  let results = (outs ScalarI32Hlo:$result);
  let assemblyFormat = "$operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
  let hloOpcode = "get-dimension-size";
}
def RealDynamicSliceOp : Dynamic<"real_dynamic_slice"> {
  let arguments = (ins AnyHlo:$operand, ShapeHlo:$start_indices, ShapeHlo:$limit_indices, ShapeHlo:$strides);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def SetDimensionSizeOp : Dynamic<"set_dimension_size"> {
  let arguments = (ins AnyHlo:$operand, ScalarI32Hlo:$size, I64Attr:$dimension);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = "$operand `,` $size `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hloOpcode = "set-dimension-size";
}

#endif
