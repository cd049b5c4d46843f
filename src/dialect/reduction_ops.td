// Operations that apply a small function (a region on scalars) along dimensions.
#ifndef TENON_DIALECT_REDUCTION_OPS
#define TENON_DIALECT_REDUCTION_OPS

include "stablehlo_attrs.td"

class WithRegion<string mnemonic, list<Trait> traits = []>
    : Stablehlo_Op<mnemonic, !listconcat(traits, [RecursiveMemoryEffects, RecursivelySpeculatable,
                                                  NamedTrait<"ReturnsAreChecked">])>;

def MapOp : WithRegion<"map", [InferredTypes]> {
  let arguments = (ins Variadic<AnyHlo>:$inputs, HloDims:$dimensions);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs AnyHlo:$result);
}
def ReduceOp : WithRegion<"reduce",
    [InferredTypes, SameVariadicOperandSize, DeclareOpInterfaceMethods<ReductionOpInterface>]> {
  let arguments = (ins Variadic<AnyHlo>:$inputs, Variadic<AnyHlo>:$init_values, HloDims:$dimensions);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyHlo>:$results);
  let hasCustomAssemblyFormat = 1;
}
def ReduceWindowOp : WithRegion<"reduce_window", [InferredTypes, SameVariadicOperandSize]> {
  let arguments = (ins Variadic<AnyHlo>:$inputs, Variadic<AnyHlo>:$init_values, HloDims:$window_dimensions,
                       OptionalAttr<HloDims>:$window_strides, OptionalAttr<HloDims>:$base_dilations,
                       OptionalAttr<HloDims>:$window_dilations, OptionalAttr<PaddingRows>:$padding);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyHlo>:$results);
}
def ScatterOp : WithRegion<"scatter", [InferredTypes, SameVariadicOperandSize]> {
  let arguments = (ins Variadic<AnyHlo>:$inputs, IndexHlo:$scatter_indices, Variadic<AnyHlo>:$updates,
                       ScatterDimensionNumbersAttr:$scatter_dimension_numbers,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices);
  let regions = (region SizedRegion<1>:$update_computation);
  let results = (outs Variadic<AnyHlo>:$results);
}
def SelectAndScatterOp : WithRegion<"select_and_scatter", [InferredTypes]> {
  let arguments = (ins AnyHlo:$operand, AnyHlo:$source, AnyHlo:$init_value,
                       OptionalAttr<HloDims>:$window_dimensions, OptionalAttr<HloDims>:$window_strides,
                       OptionalAttr<PaddingRows>:$padding);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let results = (outs AnyHlo:$result);
}
def SortOp : WithRegion<"sort", [InferredTypes]> {
  let arguments = (ins Variadic<AnyHlo>:$inputs, DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let regions = (region SizedRegion<1>:$comparator);
  let results = (outs Variadic<AnyHlo>:$results);
}

#endif
