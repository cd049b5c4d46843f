// The header of a .npy file: a Python dictionary that says dtype, order and shape.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tenon/aval.h"

namespace tenon::detail {

struct NpyHeader {
  Aval aval;
  bool big_endian = false;
  bool fortran_order = false;
};

/// Reads the dictionary, e.g. {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
/// Nothing when it is malformed; `*error` then says what is wrong.
std::optional<NpyHeader> parse_npy_header(std::string_view text, std::string* error);

/// All that stands before the elements, magic and padding included, for a row-major array.
/// Throws TypeError when .npy has no name for the dtype.
std::string npy_prefix(const Aval& aval);

}  // namespace tenon::detail
