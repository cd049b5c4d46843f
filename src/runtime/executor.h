// Whose threads do the parallel work: our own, or those of the host program.
#pragma once

#include "tenon/runtime.h"

namespace tenon::runtime {

using tenon::Executor;

}  // namespace tenon::runtime
