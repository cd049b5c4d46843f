// Numbers of one array as NumPy prints them: all with one format, which depends on all of them.
#pragma once

#include <string>
#include <vector>

#include "tenon/dtype.h"

namespace tenon::detail {

/// The texts of `count` elements of `dtype`, aligned where NumPy aligns them. `scalar`: they are
/// not part of a list.
std::vector<std::string> number_texts(const std::vector<const void*>& elements, DType dtype, bool scalar);

}  // namespace tenon::detail
