// Our own dialect: what optimized modules hold beside StableHLO.
#ifndef TENON_DIALECT_TENON_OPS
#define TENON_DIALECT_TENON_OPS

include "stablehlo_attrs.td"
include "tenon_enums.td"

def Tenon_Dialect : Dialect {
  let name = "tenon";
  let cppNamespace = "::tenon::ir";
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::tenon::stablehlo::StablehloDialect"];
}
class Tenon_Op<string mnemonic, list<Trait> traits = []> : Fact_Op<Tenon_Dialect, mnemonic, traits>;

def BufferAttr : AttrDef<Tenon_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "where a result of an entry operation lives";
  let description = [{
    argument: aliases argument `index` of the program; output: result buffer `index` of the program;
    temp: `offset` bytes into the arena (index 0); constant: constant `index` of the program.
  }];
  let parameters = (ins EnumParameter<BufferKind>:$kind, "int64_t":$index, "int64_t":$offset);
  let assemblyFormat = "`<` $kind `,` $index `,` $offset `>`";
  let genVerifyDecl = 1;
}
def LayoutAttr : AttrDef<Tenon_Dialect, "Layout", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "order of the axes in memory, minor first; no layout means row-major";
  let parameters = (ins Dims:$minor_to_major);
  let hasCustomAssemblyFormat = 1;
}

def FusionKindAttr : EnumAttr<Tenon_Dialect, FusionKind, "fusion_kind">;

def FusionOp : Tenon_Op<"fusion", [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "several operations, one kernel";
  let description = [{
    loop: a chain of elementwise and index-mapped operations; input: holds reductions, whose results are
    roots or consumed inside; output: a dot with its epilogue; custom: a library-like pattern.
    Block arguments stand for the operands, one to one.
  }];
  let arguments = (ins Variadic<AnyValue>:$inputs, FusionKindAttr:$kind, StrAttr:$name);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyValue>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def YieldOp : Tenon_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["FusionOp"]>]> {
  let arguments = (ins Variadic<AnyValue>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
  let hloOpcode = "";
}
def CopyOp : Tenon_Op<"copy", [Pure]> {
  let summary = "the operand in a buffer of its own; the layout may differ";
  let arguments = (ins AnyHlo:$operand);
  let results = (outs AnyHlo:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
  let hasVerifier = 1;
}

#endif
