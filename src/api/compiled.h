// What the handles of compiled programs share.
#pragma once

#include "api/program.h"

namespace tenon::detail {

/// The program behind a handle. Throws ValueError when there is none.
const CompiledProgram& compiled(const Ref<RefCounted>& program, const char* who);
/// Throws TypeError where the call is not of the types that the program was compiled for.
void check_call(const CompiledProgram& program, const Call& call);

}  // namespace tenon::detail
