// Reads a printed jaxpr back, for tests: text in, Jaxpr out. The layout of the text does not matter.
#pragma once

#include <string>
#include <string_view>

#include "tenon/primitive.h"

namespace tenon {

/// A primitive with that name and no rules; one object for each name.
const Primitive& test_primitive(const std::string& name);

/// The program that `text` begins with. Parameters become strings, besides graphs and tuples of
/// graphs. `*consumed` is the length of its text. Throws ParseError.
Jaxpr read_jaxpr(std::string_view text, size_t* consumed = nullptr);

}  // namespace tenon
