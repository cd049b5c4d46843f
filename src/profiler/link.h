// Shows a trace in the browser: ui.perfetto.dev fetches it from this machine.
#pragma once

#include <string>

namespace tenon::profiler {

/// Offers `trace` on port 9001 of the loopback interface, prints and logs the address, and returns when it was fetched or
/// the time is over. Throws RuntimeError when the port is taken.
void serve_link(const std::string& trace, double seconds);

}  // namespace tenon::profiler
