// Control flow, calls to the outside, tokens, tuples, random bits, barriers.
#ifndef TENON_DIALECT_CONTROL_FLOW_OPS
#define TENON_DIALECT_CONTROL_FLOW_OPS

include "mlir/IR/SymbolInterfaces.td"
include "stablehlo_attrs.td"
include "reduction_ops.td"

def ReturnOp : Stablehlo_Op<"return", [Pure, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<AnyValue>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
  let hloOpcode = "";
}
def CaseOp : WithRegion<"case", [InferredTypes]> {
  let arguments = (ins ScalarI32Hlo:$index);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let results = (outs Variadic<AnyValue>:$results);
  let hloOpcode = "conditional";
  let hasVerifier = 1;
}
def IfOp : WithRegion<"if", [InferredTypes]> {
  let arguments = (ins ScalarPredHlo:$pred);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let results = (outs Variadic<AnyValue>:$results);
  let hloOpcode = "conditional";
  let hasVerifier = 1;
}
def WhileOp : WithRegion<"while",
    [InferredTypes, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let arguments = (ins Variadic<AnyValue>:$operand);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let results = (outs Variadic<AnyValue>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def AsyncStartOp : Stablehlo_Op<"async_start"> {
  let arguments = (ins Variadic<AnyValue>:$operands);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs FutureValue:$result);
}
def AsyncDoneOp : Stablehlo_Op<"async_done", [InferredTypes]> {
  let arguments = (ins FutureValue:$operand);
  let results = (outs Variadic<AnyValue>:$results);
}

def OptimizationBarrierOp : Stablehlo_Op<"optimization_barrier", [Pure, InferredTypes]> {
  let arguments = (ins Variadic<TensorOrToken>:$operand);
  let results = (outs Variadic<TensorOrToken>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseOpType>(type($operand), type($result))):(`(` `)`)?
  }];
  let hloOpcode = "opt-barrier";
}

def CustomCallOp : Stablehlo_Op<"custom_call", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins Variadic<AnyValue>:$inputs, StrAttr:$call_target_name,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect,
                       OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config,
                       DefaultValuedOptionalAttr<CustomCallApiVersion,
                           "::tenon::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">:$api_version,
                       DefaultValuedOptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr, "names">, "{}">:$called_computations,
                       OptionalAttr<ArrayAttr>:$operand_layouts, OptionalAttr<ArrayAttr>:$result_layouts,
                       DefaultValuedOptionalAttr<TypedArrayAttrBase<OutputOperandAliasAttr, "aliases">,
                                                 "{}">:$output_operand_aliases,
                       OptionalAttr<ArrayAttr>:$result_tilings);
  let results = (outs Variadic<AnyValue>:$results);
  let assemblyFormat = [{
    custom<CustomCallTarget>($call_target_name) `(` $inputs `)` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def CompositeOp : Stablehlo_Op<"composite", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = (ins Variadic<AnyValue>:$inputs, StrAttr:$name,
                       DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
                       FlatSymbolRefAttr:$decomposition, DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let results = (outs Variadic<AnyValue>:$results);
  let assemblyFormat = "$name $inputs (`(` $composite_regions^ `)`)? attr-dict `:` functional-type(operands, results)";
  let hloOpcode = "call";
}

def AfterAllOp : Stablehlo_Op<"after_all", [Pure, OwnTypes]> {
  let arguments = (ins Variadic<TokenValue>:$inputs);
  let results = (outs TokenValue:$result);
  let assemblyFormat = "$inputs attr-dict `:` custom<VariadicSameOperandsAndResultType>(ref($inputs), type($inputs), type($result))";
}
def CreateTokenOp : Stablehlo_Op<"create_token", [Pure, OwnTypes]> {
  let results = (outs TokenValue:$output);
  let assemblyFormat = "attr-dict `:` type(results)";
  let hloOpcode = "after-all";
}
// Without declared effects: never removed, merged or moved.
def InfeedOp : Stablehlo_Op<"infeed"> {
  let arguments = (ins TokenValue:$token, OptionalAttr<StrAttr>:$infeed_config,
                       OptionalAttr<ArrayAttr>:$layout);
  let results = (outs Variadic<AnyValue>:$results);
}
def OutfeedOp : Stablehlo_Op<"outfeed", [InferredTypes]> {
  let arguments = (ins Variadic<AnyHlo>:$inputs, TokenValue:$token,
                       OptionalAttr<StrAttr>:$outfeed_config);
  let results = (outs TokenValue:$result);
}
def RecvOp : Stablehlo_Op<"recv"> {
  let arguments = (ins TokenValue:$token, ChannelHandleAttr:$channel_handle,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
                       OptionalAttr<PairRows>:$source_target_pairs);
  let results = (outs Variadic<AnyValue>:$results);
}
def SendOp : Stablehlo_Op<"send", [InferredTypes]> {
  let arguments = (ins Variadic<AnyHlo>:$inputs, TokenValue:$token, ChannelHandleAttr:$channel_handle,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
                       OptionalAttr<PairRows>:$source_target_pairs);
  let results = (outs TokenValue:$result);
}

def TupleOp : Stablehlo_Op<"tuple", [Pure, OwnTypes]> {
  let arguments = (ins Variadic<AnyValue>:$val);
  let results = (outs HloTuple:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleOpType>(type($val), type($result))";
}
def GetTupleElementOp : Stablehlo_Op<"get_tuple_element", [Pure, InferredTypes]> {
  let arguments = (ins HloTuple:$operand, I32Attr:$index);
  let results = (outs AnyValue:$result);
  let assemblyFormat = "$operand `[` $index `]` attr-dict `:` functional-type(operands, results)";
}

// A draw depends on hidden state: two equal draws are not one.
def RngOp : Stablehlo_Op<"rng", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins ScalarHlo:$a, ScalarHlo:$b, ShapeHlo:$shape, RngDistributionAttr:$rng_distribution);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` custom<EnumWord>($rng_distribution) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def RngBitGeneratorOp : Stablehlo_Op<"rng_bit_generator", [Pure]> {
  let arguments = (ins RngAlgorithmAttr:$rng_algorithm, AnyHlo:$initial_state);
  let results = (outs AnyHlo:$output_state, AnyHlo:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` custom<EnumWord>($rng_algorithm) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif
