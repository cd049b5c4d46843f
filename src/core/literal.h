// Text of scalars as literals print them: the value rounded to its dtype, as Python's repr.
#pragma once

#include "tenon/array.h"

namespace tenon::detail {

/// "2.0:f32[]"; the value part alone with `with_type` false.
std::string literal_str(const Array& scalar, bool with_type = true);

}  // namespace tenon::detail
