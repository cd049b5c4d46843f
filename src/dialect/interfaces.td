// What passes, the evaluator and backends ask of an operation instead of its name.
// Each operation's answers stand in its ODS record (stablehlo_base.td tells how).
#ifndef TENON_DIALECT_INTERFACES
#define TENON_DIALECT_INTERFACES

include "mlir/IR/OpBase.td"

def HloOpInterface : OpInterface<"HloOpInterface"> {
  let cppNamespace = "::tenon";
  let description = [{The operation's name in HLO text.}];
  let methods = [
    InterfaceMethod<[{"multiply", "exponential", "dot"; empty where HLO has none.}],
                    "::llvm::StringRef", "hloOpcode">,
  ];
}

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::tenon";
  let description = [{
    Cost of one element of the result, by the conventions of XLA's HloCostAnalysis: an elementwise
    operation is one flop, or one transcendental and no flop. Zero for operations whose cost is not
    a multiple of the result's elements (dot, reduce, ...): their analysis looks at shapes.
  }];
  let methods = [
    InterfaceMethod<"", "int64_t", "flopsPerElement">,
    InterfaceMethod<"", "int64_t", "transcendentalsPerElement">,
  ];
}

def ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface"> {
  let cppNamespace = "::tenon";
  let description = [{
    Each element of the result is a scalar function of the operands' elements at the same index.
    Operands have the result's shape; only the operands named by `mayBeScalar` can be rank 0
    beside a result of any rank (predicate of select, bounds of clamp).
  }];
  let methods = [
    InterfaceMethod<[{Whether this use is elementwise; bitcast_convert is when it keeps the width.
                      Ask through `tenon::is_elementwise(op)`.}], "bool", "isElementwise", (ins), "", [{ return true; }]>,
    InterfaceMethod<"Which scalar function; evaluator and backends each have one table over it.",
                    "::tenon::ScalarOp", "scalarOp">,
    InterfaceMethod<"", "bool", "mayBeScalar", (ins "unsigned":$operand), "", [{
      (void)operand;
      return false;
    }]>,
  ];
}

def DataMovementOpInterface : OpInterface<"DataMovementOpInterface"> {
  let cppNamespace = "::tenon";
  let description = [{
    The result's elements are elements of operands (or of a padding value); nothing is computed.
  }];
  let methods = [
    InterfaceMethod<[{
        Map from the result's index to the operand's index, where one map holds for all elements
        (broadcast, transpose, slice, reverse, reshape); nothing for pad, concatenate, gather, ...
      }], "std::optional<::mlir::AffineMap>", "indexMap", (ins "unsigned":$operand), "", [{
      (void)operand;
      return std::nullopt;
    }]>,
    InterfaceMethod<"Whether row-major operand and result have the same bytes in the same order.",
                    "bool", "keepsBytes", (ins), "", [{ return false; }]>,
  ];
}

def ReductionOpInterface : OpInterface<"ReductionOpInterface"> {
  let cppNamespace = "::tenon";
  let description = [{Folds dimensions of its inputs with a combiner.}];
  let methods = [
    InterfaceMethod<"", "::mlir::OperandRange", "reductionInputs">,
    InterfaceMethod<"One scalar for each input.", "::mlir::OperandRange", "reductionInits">,
    InterfaceMethod<"", "::llvm::ArrayRef<int64_t>", "reducedDimensions">,
    InterfaceMethod<"The combiner's scalar operation, when it is a single one of its two arguments in order.",
                    "std::optional<::tenon::ScalarOp>", "combinerOp">,
  ];
}

#endif
