// Dialects of StableHLO's test files.
#pragma once

#include "dialect/stablehlo.h"

#include "dialect/check_dialect.h.inc"
#include "dialect/interpreter_dialect.h.inc"

#define GET_OP_CLASSES
#include "dialect/check_ops.h.inc"
#define GET_OP_CLASSES
#include "dialect/interpreter_ops.h.inc"
