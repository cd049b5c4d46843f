// What the runtime has to know about its process: the processors it may use, and whether it forked.
#pragma once

#include <cstdint>

namespace tenon::runtime {

/// Processors that this process may run on (affinity mask, cgroup quota); at least 1.
int available_processors() noexcept;

/// Bytes of memory that this process may use: physical memory or the cgroup's limit.
int64_t available_memory_bytes() noexcept;

/// 0 in the process that loaded the library, +1 in each child made by fork.
///
/// Threads do not survive a fork: what waits for one compares this with the value of before.
uint32_t fork_generation() noexcept;

/// Calls that surround fork(). A null one is skipped.
struct ForkHandlers {
  void (*prepare)() = nullptr;
  void (*parent)() = nullptr;
  void (*child)() = nullptr;
};
/// Registers `handlers` for the life of the process. Later ones prepare first.
void on_fork(const ForkHandlers& handlers) noexcept;

}  // namespace tenon::runtime
