// Large constants of bools in text, `dense<"0x...">`: the original (and JAX) writes a byte for each bool,
// MLIR 22 a bit. Text that goes out has bytes; text that comes in may have either.
#pragma once

#include <string>
#include <string_view>

namespace tenon::detail {

/// Bytes to bits in each bool literal that has bytes.
std::string pack_bool_literals(std::string_view text);
/// Bits to bytes in each bool literal that has bits.
std::string unpack_bool_literals(std::string text);

}  // namespace tenon::detail
