// A quarter of the generated operation classes.
#include "dialect/assembly.h"
#include "dialect/chlo.h"
#include "mlir/IR/Builders.h"

#define GET_OP_DEFS_2
#include "dialect/stablehlo_ops.cpp.inc"
#undef GET_OP_DEFS_2
#define GET_OP_DEFS_2
#include "dialect/chlo_ops.cpp.inc"
