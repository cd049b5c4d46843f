// A compiled program as bytes: the optimized module as text, and what its backend keeps of it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "dialect/module.h"

namespace tenon::detail {

/// The module without its name and source lines, and what its captured arrays hold: all of it that code depends on.
std::string key_text(const Module& lowered);

/// `optimized` was made of `lowered`, whose captured arrays are not written but named by number. `executable`: what Client::load takes.
std::string write_entry(const Module& optimized, const Module& lowered, std::string_view executable);

/// The optimized module, in the context of `lowered`, with its captured arrays; and the executable's bytes.
/// Throws ParseError for what is none.
std::pair<Module, std::string> read_entry(std::string_view entry, const Module& lowered);

}  // namespace tenon::detail
