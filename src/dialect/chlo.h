// CHLO: functions that StableHLO lacks.
#pragma once

#include "dialect/stablehlo.h"

#include "dialect/chlo_dialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/chlo_attrs.h.inc"

#define GET_OP_CLASSES
#include "dialect/chlo_ops.h.inc"
