// Who holds memory in, a profile for pprof out, gzipped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::profiler {

struct Frame {
  std::string function, file;
  int64_t line = 0;
};
struct MemorySample {
  std::vector<Frame> stack;  // the innermost first
  std::string kind, device;  // "buffer", "executable"; "cpu:0"
  int64_t count = 0, bytes = 0, peak_bytes = 0;
};

std::string memory_profile_gz(const std::vector<MemorySample>& samples);

}  // namespace tenon::profiler
