// What a process holds: generated code, and its heap.
#pragma once

#include <malloc.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace tenon::test {

/// Bytes of executable memory that belongs to no file: machine code made by this process.
inline int64_t code_memory_bytes() {
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (!maps) return -1;
  char line[512];
  int64_t bytes = 0;
  while (std::fgets(line, sizeof line, maps)) {
    unsigned long begin = 0, end = 0;
    char protection[8] = "", name[256] = "";
    std::sscanf(line, "%lx-%lx %7s %*s %*s %*s %255s", &begin, &end, protection, name);
    if (std::strchr(protection, 'x') && name[0] == 0) bytes += static_cast<int64_t>(end - begin);
  }
  std::fclose(maps);
  return bytes;
}

/// Bytes in use on the heap.
inline int64_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

}  // namespace tenon::test
