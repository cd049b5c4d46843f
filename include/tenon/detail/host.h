// Arrays out of host memory, for the library's own functions.
#pragma once

#include "tenon/array.h"

#pragma GCC visibility push(default)

namespace tenon {
namespace detail {

/// Copies dense row-major elements of `aval` from `data` to the default device.
Array array_from_host(const void* data, const Aval& aval);
/// A strong or weak scalar of `dtype` with the value of `value` converted as astype would.
Array scalar_array(double value, DType dtype, bool weak = false);

}  // namespace detail
}  // namespace tenon

#pragma GCC visibility pop
