// Operations that run one function on each element.
#ifndef TENON_DIALECT_ELEMENTWISE_OPS
#define TENON_DIALECT_ELEMENTWISE_OPS

include "stablehlo_attrs.td"

class StablehloElementwise<string mnemonic, list<Trait> traits> : Elementwise_Op<Stablehlo_Dialect, mnemonic, traits> {
  let scalar = !subst("Op", "", NAME);
}
class Unary<string mnemonic, Type type, list<Trait> traits = [SameTypes]> : StablehloElementwise<mnemonic, traits> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
}
// One transcendental function an element; may state how accurate it must be.
class Transcendental<string mnemonic, Type type = FloatOrComplexHlo> : Unary<mnemonic, type> {
  let arguments = (ins type:$operand, Accuracy:$result_accuracy);
  let flops = 0;
  let transcendentals = 1;
}
class Binary<string mnemonic, Type type, list<Trait> traits = []>
    : StablehloElementwise<mnemonic, !listconcat(traits, [SameTypes])> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
  }];
}

def AbsOp : Unary<"abs", SignedOrFloatHlo, [InferredTypes]>;
def CeilOp : Unary<"ceil", FloatHlo>;
def CountLeadingZerosOp : Unary<"count_leading_zeros", IntHlo>;
def FloorOp : Unary<"floor", FloatHlo>;
def NegateOp : Unary<"negate", IntFloatOrComplexHlo>;
def NotOp : Unary<"not", PredOrIntHlo>;
def PopcntOp : Unary<"popcnt", IntHlo>;
def RoundNearestAfzOp : Unary<"round_nearest_afz", FloatHlo>;
def RoundNearestEvenOp : Unary<"round_nearest_even", FloatHlo>;
def SignOp : Unary<"sign", SignedOrFloatHlo>;
def ImagOp : Unary<"imag", FloatOrComplexHlo, [InferredTypes]>;
def RealOp : Unary<"real", FloatOrComplexHlo, [InferredTypes]>;

def CbrtOp : Transcendental<"cbrt">;
def CosineOp : Transcendental<"cosine">;
def ExponentialOp : Transcendental<"exponential">;
def ExponentialMinusOneOp : Transcendental<"exponential_minus_one">;
def LogOp : Transcendental<"log">;
def LogPlusOneOp : Transcendental<"log_plus_one">;
def LogisticOp : Transcendental<"logistic">;
def RsqrtOp : Transcendental<"rsqrt">;
def SineOp : Transcendental<"sine">;
def SqrtOp : Transcendental<"sqrt">;
def TanOp : Transcendental<"tan">;
def TanhOp : Transcendental<"tanh">;

def IsFiniteOp : Unary<"is_finite", FloatHlo, [InferredTypes]> {
  let arguments = (ins FloatHlo:$x);
  let results = (outs PredHlo:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}
def ConvertOp : Unary<"convert", AnyHlo, [NamedTrait<"SameShape">]>;
def ReducePrecisionOp : Unary<"reduce_precision", FloatHlo> {
  let arguments = (ins FloatHlo:$operand, I32Attr:$exponent_bits, I32Attr:$mantissa_bits);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits)
    attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let hasVerifier = 1;
}

def AddOp : Binary<"add", AnyHlo, [Commutative]>;
def AndOp : Binary<"and", PredOrIntHlo, [Commutative]>;
def Atan2Op : Binary<"atan2", FloatOrComplexHlo> {
  let flops = 0;
  let transcendentals = 1;
}
def DivideOp : Binary<"divide", IntFloatOrComplexHlo>;
def MaximumOp : Binary<"maximum", AnyHlo, [Commutative]>;
def MinimumOp : Binary<"minimum", AnyHlo, [Commutative]>;
def MultiplyOp : Binary<"multiply", AnyHlo, [Commutative]>;
def OrOp : Binary<"or", PredOrIntHlo, [Commutative]>;
def PowerOp : Binary<"power", IntFloatOrComplexHlo> {
  let flops = 0;
  let transcendentals = 1;
}
def RemainderOp : Binary<"remainder", IntFloatOrComplexHlo>;
def ShiftLeftOp : Binary<"shift_left", IntHlo>;
def ShiftRightArithmeticOp : Binary<"shift_right_arithmetic", IntHlo>;
def ShiftRightLogicalOp : Binary<"shift_right_logical", IntHlo>;
def SubtractOp : Binary<"subtract", IntFloatOrComplexHlo>;
def XorOp : Binary<"xor", PredOrIntHlo, [Commutative]>;

def ComplexOp : StablehloElementwise<"complex", [InferredTypes]> {
  let arguments = (ins PartHlo:$lhs, PartHlo:$rhs);
  let results = (outs ComplexHlo:$result);
  let assemblyFormat = "operands attr-dict `:` custom<ComplexOpType>(type($lhs), type($rhs), type($result))";
}
def CompareOp : StablehloElementwise<"compare", [InferredTypes]> {
  let arguments = (ins AnyHlo:$lhs, AnyHlo:$rhs, ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<ComparisonTypeAttr>:$compare_type);
  let results = (outs PredHlo:$result);
  let assemblyFormat = [{
    custom<EnumWord>($comparison_direction) `,` $lhs `,` $rhs (`,` custom<EnumWord>($compare_type)^)?
    attr-dict `:` functional-type(operands, results)
  }];
}
def SelectOp : StablehloElementwise<"select", [InferredTypes]> {
  let arguments = (ins PredHlo:$pred, AnyHlo:$on_true, AnyHlo:$on_false);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<SelectOpType>(type($pred), type($on_true), type($on_false), type($result))
  }];
  let mayBeScalarMask = 1;
}
def ClampOp : StablehloElementwise<"clamp", [InferredTypes]> {
  let arguments = (ins AnyHlo:$min, AnyHlo:$operand, AnyHlo:$max);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict
      `:` custom<SameOperandsAndResultType>(type($min), type($operand), type($max), type($result))
  }];
  let mayBeScalarMask = 5;
}

// Quantized values: the storage type is an integer, the value a float.
def UniformDequantizeOp : StablehloElementwise<"uniform_dequantize", [InferredTypes]> {
  let arguments = (ins QuantHlo:$operand);
  let results = (outs FloatHlo:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
}
def UniformQuantizeOp : StablehloElementwise<"uniform_quantize", [NamedTrait<"SameShape">]> {
  let arguments = (ins FloatOrQuantHlo:$operand);
  let results = (outs QuantHlo:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
}

#endif
