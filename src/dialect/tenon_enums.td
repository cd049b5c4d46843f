// Enumerations of our own dialect.
#ifndef TENON_DIALECT_TENON_ENUMS
#define TENON_DIALECT_TENON_ENUMS

include "mlir/IR/EnumAttr.td"

def BufferKind : I32EnumAttr<"BufferKind", "", [
    I32EnumAttrCase<"Argument", 0, "argument">, I32EnumAttrCase<"Output", 1, "output">,
    I32EnumAttrCase<"Temp", 2, "temp">, I32EnumAttrCase<"Constant", 3, "constant">]> {
  let cppNamespace = "::tenon::ir";
  let genSpecializedAttr = 0;
}
def FusionKind : I32EnumAttr<"FusionKind", "", [
    I32EnumAttrCase<"Loop", 0, "loop">, I32EnumAttrCase<"Input", 1, "input">,
    I32EnumAttrCase<"Output", 2, "output">, I32EnumAttrCase<"Custom", 3, "custom">]> {
  let cppNamespace = "::tenon::ir";
  let genSpecializedAttr = 0;
}

#endif
