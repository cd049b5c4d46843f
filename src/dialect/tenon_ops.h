// Our own dialect: fusion, copy, buffers, layouts.
#pragma once

#include "dialect/stablehlo.h"

#include "dialect/tenon_enums.h.inc"

#include "dialect/tenon_dialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/tenon_attrs.h.inc"

#define GET_OP_CLASSES
#include "dialect/tenon_ops.h.inc"
