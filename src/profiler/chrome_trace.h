// A trace in, the JSON of the Chrome trace format out, gzipped: what Perfetto and chrome://tracing read.
#pragma once

#include <string>

#include "profiler/trace_text.h"

namespace tenon::profiler {

std::string chrome_trace_gz(const NamedTrace& trace, const std::string& host);

}  // namespace tenon::profiler
