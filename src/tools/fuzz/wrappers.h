// The kinds of transformations, by file.
#pragma once

#include "tools/fuzz/wrap.h"

namespace tenon::fuzz {

const std::vector<Wrapper>& loop_wrappers();        // wrap_loops.cpp
const std::vector<Wrapper>& derivative_wrappers();  // wrap_derivatives.cpp

}  // namespace tenon::fuzz
