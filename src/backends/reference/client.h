// The backend "reference": programs as the evaluator runs them, operation by operation.
//
// It takes any module, optimized or not, so what a pass changed can be told from what it should not
// have. Everything runs on the calling thread.
#pragma once

#include "tenon/backend.h"

namespace tenon::reference {

/// The client of this process; never destroyed.
Client& client();

}  // namespace tenon::reference
