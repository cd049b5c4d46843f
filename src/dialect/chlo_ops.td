// The CHLO dialect: functions that StableHLO lacks, as JAX emits them.
#ifndef TENON_DIALECT_CHLO_OPS
#define TENON_DIALECT_CHLO_OPS

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "stablehlo_attrs.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::tenon::chlo";
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::tenon::stablehlo::StablehloDialect"];
}
class Chlo_Op<string mnemonic, list<Trait> traits = []> : Fact_Op<Chlo_Dialect, mnemonic, !listconcat(traits, [Pure])>;

class ChloKeywordAttr<EnumInfo words, string name> : EnumAttr<Chlo_Dialect, words, name> {
  let cppNamespace = "::tenon::chlo";
}
def Chlo_ComparisonDirectionAttr : ChloKeywordAttr<ComparisonDirection, "comparison_direction">;
def Chlo_ComparisonTypeAttr : ChloKeywordAttr<ComparisonType, "comparison_type">;
def Chlo_PrecisionAttr : ChloKeywordAttr<Precision, "precision">;
def Chlo_RaggedDotDimensionNumbersAttr : AttrDef<Chlo_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let parameters = (ins Dims:$lhs_batching_dimensions, Dims:$rhs_batching_dimensions,
                        Dims:$lhs_contracting_dimensions, Dims:$rhs_contracting_dimensions,
                        Dims:$lhs_ragged_dimensions, Dims:$rhs_group_dimensions);
  let hasCustomAssemblyFormat = 1;
}

class ChloElementwise<string mnemonic, list<Trait> traits> : Elementwise_Op<Chlo_Dialect, mnemonic, traits> {
  let scalar = !subst("Op", "", NAME);
  let flops = 0;
  let transcendentals = 1;
}
class ChloUnary<string mnemonic, Type type, Type result = type, list<Trait> traits = [SameTypes]>
    : ChloElementwise<mnemonic, traits> {
  let arguments = (ins type:$operand);
  let results = (outs result:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}
class ChloBinary<string mnemonic, Type type> : ChloElementwise<mnemonic, [SameTypes]> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}

def AcosOp : ChloUnary<"acos", FloatOrComplexHlo>;
def AcoshOp : ChloUnary<"acosh", FloatOrComplexHlo>;
def AsinOp : ChloUnary<"asin", FloatOrComplexHlo>;
def AsinhOp : ChloUnary<"asinh", FloatOrComplexHlo>;
def AtanOp : ChloUnary<"atan", FloatOrComplexHlo>;
def AtanhOp : ChloUnary<"atanh", FloatOrComplexHlo>;
def AsinAcosKernelOp : ChloUnary<"_asin_acos_kernel", ComplexHlo> { let hloOpcode = ""; }
def BesselI1eOp : ChloUnary<"bessel_i1e", FloatHlo> { let hloOpcode = ""; }
def ConjOp : ChloUnary<"conj", FloatOrComplexHlo> {
  let flops = 1;
  let transcendentals = 0;
  let hloOpcode = "";
}
def CoshOp : ChloUnary<"cosh", FloatOrComplexHlo>;
def DigammaOp : ChloUnary<"digamma", FloatHlo> { let hloOpcode = ""; }
def ErfOp : ChloUnary<"erf", FloatHlo>;
def ErfInvOp : ChloUnary<"erf_inv", FloatHlo> { let hloOpcode = ""; }
def ErfcOp : ChloUnary<"erfc", FloatHlo> { let hloOpcode = ""; }
class IsInf<string mnemonic> : ChloUnary<mnemonic, FloatHlo, PredHlo, [InferredTypes]> {
  let flops = 1;
  let transcendentals = 0;
  let hloOpcode = "";
}
def IsInfOp : IsInf<"is_inf">;
def IsNegInfOp : IsInf<"is_neg_inf">;
def IsPosInfOp : IsInf<"is_pos_inf">;
def LgammaOp : ChloUnary<"lgamma", FloatHlo> { let hloOpcode = ""; }
def SinhOp : ChloUnary<"sinh", FloatOrComplexHlo>;
def SquareOp : ChloUnary<"square", IntFloatOrComplexHlo> {
  let flops = 1;
  let transcendentals = 0;
  let hloOpcode = "multiply";
}
def TanOp : ChloUnary<"tan", FloatOrComplexHlo>;

def MulhiOp : ChloBinary<"mulhi", IntHlo> {
  let flops = 1;
  let transcendentals = 0;
  let hloOpcode = "";
}
def NextAfterOp : ChloBinary<"next_after", FloatHlo> {
  let flops = 1;
  let transcendentals = 0;
  let hloOpcode = "";
}
def PolygammaOp : ChloBinary<"polygamma", FloatHlo> { let hloOpcode = ""; }
def ZetaOp : ChloBinary<"zeta", FloatHlo> { let hloOpcode = ""; }

// The binary operations of StableHLO with NumPy's broadcasting. The importer expands them.
class Broadcasting<string mnemonic, Type type = AnyHlo, Type result = type> : Chlo_Op<"broadcast_" # mnemonic, [InferredTypes]> {
  let arguments = (ins type:$lhs, type:$rhs, OptionalAttr<HloDims>:$broadcast_dimensions);
  let results = (outs result:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)";
  let hloOpcode = "";
}
def BroadcastAddOp : Broadcasting<"add">;
def BroadcastAndOp : Broadcasting<"and", PredOrIntHlo>;
def BroadcastAtan2Op : Broadcasting<"atan2">;
def BroadcastComplexOp : Broadcasting<"complex", PartHlo, ComplexHlo>;
def BroadcastDivideOp : Broadcasting<"divide">;
def BroadcastMaximumOp : Broadcasting<"maximum">;
def BroadcastMinimumOp : Broadcasting<"minimum">;
def BroadcastMultiplyOp : Broadcasting<"multiply">;
def BroadcastNextAfterOp : Broadcasting<"next_after">;
def BroadcastOrOp : Broadcasting<"or", PredOrIntHlo>;
def BroadcastPolygammaOp : Broadcasting<"polygamma">;
def BroadcastPowerOp : Broadcasting<"power">;
def BroadcastRemainderOp : Broadcasting<"remainder">;
def BroadcastShiftLeftOp : Broadcasting<"shift_left">;
def BroadcastShiftRightArithmeticOp : Broadcasting<"shift_right_arithmetic">;
def BroadcastShiftRightLogicalOp : Broadcasting<"shift_right_logical">;
def BroadcastSubtractOp : Broadcasting<"subtract">;
def BroadcastXorOp : Broadcasting<"xor", PredOrIntHlo>;
def BroadcastZetaOp : Broadcasting<"zeta">;
def BroadcastCompareOp : Broadcasting<"compare", AnyHlo, PredHlo> {
  let arguments = (ins AnyHlo:$lhs, AnyHlo:$rhs, OptionalAttr<HloDims>:$broadcast_dimensions,
                       Chlo_ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<Chlo_ComparisonTypeAttr>:$compare_type);
}
def BroadcastSelectOp : Chlo_Op<"broadcast_select", [InferredTypes]> {
  let arguments = (ins PredHlo:$pred, AnyHlo:$on_true, AnyHlo:$on_false);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict
      `:` `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->` type($result)
  }];
  let hloOpcode = "";
}

def ConstantOp : Chlo_Op<"constant", [ConstantLike, InferredTypes]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyHlo:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}
def ConstantLikeOp : Chlo_Op<"constant_like", [InferredTypes]> {
  let arguments = (ins TypedAttrInterface:$value, AnyHlo:$operand);
  let results = (outs AnyHlo:$result);
  let hloOpcode = "";
}
def RaggedDotOp : Chlo_Op<"ragged_dot"> {
  let arguments = (ins AnyHlo:$lhs, AnyHlo:$rhs, IntHlo:$group_sizes,
                       Chlo_RaggedDotDimensionNumbersAttr:$ragged_dot_dimension_numbers,
                       OptionalAttr<TypedArrayAttrBase<Chlo_PrecisionAttr, "precisions">>:$precision_config);
  let results = (outs AnyHlo:$result);
  let hasVerifier = 1;
  let hloOpcode = "ragged-dot";
}
def ScanOp : Fact_Op<Chlo_Dialect, "scan", [AttrSizedOperandSegments, AttrSizedResultSegments,
    RecursiveMemoryEffects, RecursivelySpeculatable,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let hloOpcode = "";
  let hasCustomAssemblyFormat = 1;
  let arguments = (ins Variadic<AnyHlo>:$inputs, Variadic<AnyHlo>:$inits, I64Attr:$dimension,
                       OptionalAttr<I64Attr>:$scan_dim_size, DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse,
                       OptionalAttr<BoolAttr>:$is_associative);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyHlo>:$outputs, Variadic<AnyHlo>:$carries);
}
def TopKOp : Chlo_Op<"top_k", [InferredTypes]> {
  let arguments = (ins AnyHlo:$operand, I64Attr:$k, DefaultValuedOptionalAttr<BoolAttr, "true">:$is_stable);
  let results = (outs AnyHlo:$values, AnyHlo:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k `)` attr-dict `:` type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
  let hloOpcode = "topk";
}

#endif
