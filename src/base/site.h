// The line of the user's program that is at work on this thread: errors and equations name it.
#pragma once

#include <source_location>
#include <string>

namespace tenon::detail {

/// Null outside of any public function that knows its caller. Set by SiteScope (tenon/primitive.h).
extern thread_local const std::source_location* t_site;

/// "main.cpp:12"; "" for a location without a line.
std::string site_str(const std::source_location& location);
/// " (main.cpp:12)" for the line at work; "" when there is none.
std::string site_suffix();

}  // namespace tenon::detail
