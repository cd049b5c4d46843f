// debug_nans and debug_infs: no result holds a NaN or an infinity, or an error names the operation that made it.
#pragma once

#include <string>

#include "tenon/jaxpr.h"

namespace tenon::detail {

/// Waits for `results`, those of `jaxpr` for `arguments`. Throws FloatingPointError where one holds what the options forbid: with the first
/// operation of the program that gave such a value, found by running it again operation by operation.
void check_values(const std::string& who, const Arrays& results, const Jaxpr& jaxpr, const Arrays& arguments);
/// The same of one operation.
void check_values(const std::string& who, const Arrays& results);

}  // namespace tenon::detail
