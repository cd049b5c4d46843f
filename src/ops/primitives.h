// The records of all primitives of this room.
#pragma once

#include "tenon/primitive.h"

namespace tenon::lax {

#define TENON_OP(name) extern const Primitive name;
#include "ops/list.inc"
#undef TENON_OP

}  // namespace tenon::lax
