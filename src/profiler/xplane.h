// A trace in, the bytes of an XSpace out.
#pragma once

#include <string>

#include "profiler/trace_text.h"

namespace tenon::profiler {

/// One plane, "/host:CPU", with a line for each thread; times are since 1970. Events that were dropped are told by a warning.
std::string xspace_bytes(const NamedTrace& trace, const std::string& host);

}  // namespace tenon::profiler
