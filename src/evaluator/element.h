// Elements as C++ types.
#pragma once

#include "base/element.h"

namespace tenon::evaluator {
using namespace tenon::elements;
}
