// The StableHLO dialect, its type constraints and the classes of its operations.
//
// Facts of an operation are fields of its record, read from here by ODS and by generate.py:
//   hloOpcode                   name in HLO text
//   flops, transcendentals      per element of the result
//   scalar                      enumerator of ScalarOp (elementwise operations)
//   mayBeScalarMask             bit i: operand i of an elementwise operation may be rank 0
#ifndef TENON_DIALECT_STABLEHLO_BASE
#define TENON_DIALECT_STABLEHLO_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "interfaces.td"

def Stablehlo_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::tenon::stablehlo";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
}

// Element kinds, the bits of detail::ElementKind.
class Kind<int value> { int mask = value; }
def KPred : Kind<1>;
def KSInt : Kind<2>;
def KUInt : Kind<4>;
def KFloat : Kind<8>;
def KComplex : Kind<16>;
def KQuant : Kind<32>;
def KIndex : Kind<64>;

class HloTensor<list<Kind> kinds, string what, string extra = "true">
    : Type<And<[CPred<"::tenon::stablehlo::detail::is_tensor_of($_self, " #
                      !foldl(0, kinds, sum, k, !or(sum, k.mask)) # ")">,
                CPred<!subst("$T", "::llvm::cast<::mlir::RankedTensorType>($_self)", extra)>]>,
           "ranked tensor of " # what, "::mlir::RankedTensorType">;

def AnyHlo : HloTensor<[KPred, KSInt, KUInt, KFloat, KComplex, KQuant],
                       "bool, integer, float, complex or quantized values">;
def PredHlo : HloTensor<[KPred], "bool values">;
def PredOrIntHlo : HloTensor<[KPred, KSInt, KUInt], "bool or integer values">;
def IntHlo : HloTensor<[KSInt, KUInt], "integer values">;
def FloatHlo : HloTensor<[KFloat, KQuant], "float values">;
def PlainFloatHlo : HloTensor<[KFloat], "float values">;
def FloatOrComplexHlo : HloTensor<[KFloat, KComplex, KQuant], "float or complex values">;
def IntFloatOrComplexHlo : HloTensor<[KSInt, KUInt, KFloat, KComplex, KQuant],
                                     "integer, float or complex values">;
def SignedOrFloatHlo : HloTensor<[KSInt, KFloat, KComplex, KQuant],
                                 "signed integer, float or complex values">;
def ComplexHlo : HloTensor<[KComplex], "complex values">;
def QuantHlo : HloTensor<[KQuant], "quantized values">;
def FloatOrQuantHlo : HloTensor<[KFloat, KQuant], "float or quantized values">;
def PartHlo : HloTensor<[KFloat], "32- or 64-bit float values",
                        "($T.getElementType().isF32() || $T.getElementType().isF64())">;
def ScalarHlo : HloTensor<[KPred, KSInt, KUInt, KFloat, KComplex, KQuant], "one value, rank 0", "$T.getRank() == 0">;
def ScalarIntHlo : HloTensor<[KSInt, KUInt], "one integer, rank 0", "$T.getRank() == 0">;
def ScalarPredHlo : HloTensor<[KPred], "one bool, rank 0", "$T.getRank() == 0">;
def ScalarI32Hlo : HloTensor<[KSInt], "one 32-bit integer, rank 0",
                             "($T.getRank() == 0 && $T.getElementType().isInteger(32))">;
def ScalarUI32Hlo : HloTensor<[KUInt], "one unsigned 32-bit integer, rank 0",
                              "($T.getRank() == 0 && $T.getElementType().isInteger(32))">;
def VectorHlo : HloTensor<[KPred, KSInt, KUInt, KFloat, KComplex, KQuant], "values, rank 1", "$T.getRank() == 1">;
def FloatVectorHlo : HloTensor<[KFloat, KQuant], "float values, rank 1", "$T.getRank() == 1">;
def ShapeHlo : HloTensor<[KSInt, KUInt, KIndex], "integer or index values, rank 1", "$T.getRank() == 1">;
def IndexHlo : HloTensor<[KSInt, KUInt, KIndex], "integer or index values">;

class NamedTrait<string name, code declarations = [{}], code definitions = [{}]>
    : NativeOpTrait<name, [], declarations, definitions> {
  let cppNamespace = "::tenon::stablehlo::trait";
}

// Types are compatible when they agree wherever both are known (see types.h).
defvar compatible = [{
  static bool isCompatibleReturnTypes(::mlir::TypeRange l, ::mlir::TypeRange r) {
    return ::tenon::stablehlo::detail::are_compatible(l, r);
  }
}];
// Result types from operands and attributes: `infer(location, op, results)` in C++.
def InferredTypes : TraitList<[
  DeclareOpInterfaceMethods<InferTypeOpInterface>,
  NamedTrait<"InferredTypes", compatible # [{
    static ::llvm::LogicalResult infer(std::optional<::mlir::Location> location, Adaptor op,
                                       ::llvm::SmallVectorImpl<::mlir::Type> &results);
  }], [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location, ::mlir::ValueRange operands,
        ::mlir::DictionaryAttr attributes, ::mlir::OpaqueProperties properties,
        ::mlir::RegionRange regions, ::llvm::SmallVectorImpl<::mlir::Type> &results) {
      return infer(location, Adaptor(operands, attributes, properties, regions), results);
    }
  }]>
]>;
// The same for operations whose results have the operands' type: one shared definition.
def SameTypes : TraitList<[
  DeclareOpInterfaceMethods<InferTypeOpInterface>,
  NamedTrait<"SameTypes", compatible, [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location, ::mlir::ValueRange operands,
        ::mlir::DictionaryAttr, ::mlir::OpaqueProperties, ::mlir::RegionRange,
        ::llvm::SmallVectorImpl<::mlir::Type> &results) {
      return ::tenon::stablehlo::detail::infer_same_type(getOperationName(), location, operands, results);
    }
  }]>
]>;
// Result types without an adaptor: `inferReturnTypes` in C++, as MLIR declares it.
def OwnTypes : TraitList<[DeclareOpInterfaceMethods<InferTypeOpInterface>, NamedTrait<"OwnTypes", compatible>]>;

// An operation with the facts above. `declarations` is extra C++ for the class.
class Fact_Op<Dialect dialect, string mnemonic, list<Trait> traits>
    : Op<dialect, mnemonic, !listconcat(traits, [HloOpInterface, CostOpInterface])> {
  string hloOpcode = !subst("_", "-", mnemonic);
  int flops = 0;
  int transcendentals = 0;
  string scalar = "";
  int mayBeScalarMask = 0;
  code declarations = "";
  let extraClassDeclaration = declarations # [{
    static ::llvm::StringRef hloOpcode() { return "}] # hloOpcode # [{"; }
    static int64_t flopsPerElement() { return }] # flops # [{; }
    static int64_t transcendentalsPerElement() { return }] # transcendentals # [{; }
  }] # !if(!empty(scalar), "", [{
    static ::tenon::ScalarOp scalarOp() { return ::tenon::ScalarOp::k}] # scalar # [{; }
    static bool mayBeScalar(unsigned operand) { return operand < 32 && (}] # mayBeScalarMask # [{u >> operand & 1); }
  }]);
}
class Stablehlo_Op<string mnemonic, list<Trait> traits = []>
    : Fact_Op<Stablehlo_Dialect, mnemonic, traits>;

// An operation that runs one function on each element.
class Elementwise_Op<Dialect dialect, string mnemonic, list<Trait> traits>
    : Fact_Op<dialect, mnemonic,
              !listconcat(traits, [Pure, ElementwiseOpInterface])> {
  let flops = 1;
}

#endif
