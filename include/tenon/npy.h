// Arrays in NumPy's .npy files.
#pragma once

#include <string>

#include "tenon/array.h"

#pragma GCC visibility push(default)

namespace tenon {

/// The array in the file at `path`: formats 1.0 to 3.0, any byte order, C and Fortran order (the
/// result is row-major). 64-bit elements become 32-bit ones unless enable_x64 is set; what JAX
/// writes for bfloat16 ('V2') is read as bfloat16.
///
/// Throws RuntimeError when the file cannot be read, and ParseError when it is malformed, too
/// short, longer than its array, or of elements that Tenon lacks (objects, text, records).
Array load_npy(const std::string& path);

/// Writes `array` to the file at `path`, byte for byte as numpy.save does. Waits for the elements.
///
/// A file appears whole or not at all; one that was there is replaced then. Throws RuntimeError
/// when it cannot be written, TypeError for keys and dtypes that .npy files do not know.
void save_npy(const std::string& path, const Array& array);

}  // namespace tenon

#pragma GCC visibility pop
