// Dialect of StableHLO's test files: several processes in one program.
#ifndef TENON_DIALECT_INTERPRETER_OPS
#define TENON_DIALECT_INTERPRETER_OPS

include "stablehlo_attrs.td"

def Interpreter_Dialect : Dialect {
  let name = "interpreter";
  let cppNamespace = "::tenon::check";
}
def RunParallelOp : Op<Interpreter_Dialect, "run_parallel"> {
  let arguments = (ins Variadic<AnyValue>:$inputs, OptionalAttr<ArrayAttr>:$infeed, ArrayAttr:$programs);
  let results = (outs Variadic<AnyValue>:$results);
}

#endif
