// The compiled programs of this process, by their executables: what traces and memory profiles call them by.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

#include "dialect/module.h"
#include "tenon/backend.h"

namespace tenon::detail {

class CompiledProgram;

/// Tells that a program is there, while it lives. A member of the program.
class LiveProgram {
 public:
  explicit LiveProgram(const CompiledProgram& program);
  ~LiveProgram();
  LiveProgram(const LiveProgram&) = delete;
  LiveProgram& operator=(const LiveProgram&) = delete;

 private:
  const CompiledProgram& program_;
};

struct ProgramHandle {
  ExecutableRef executable;
  Module module;  // optimized
  bool has_kernels;  // that are operations of `module`
  int64_t number;    // in the order of compilation
  std::source_location made_at;  // without a line where it is not known
};
/// Those that live, and those that are kept.
std::vector<ProgramHandle> live_programs();

/// While it lives, programs that would go are kept (so no other executable gets the address of one); of many the oldest go.
class KeepPrograms {
 public:
  KeepPrograms();
  ~KeepPrograms();
  KeepPrograms(const KeepPrograms&) = delete;
  KeepPrograms& operator=(const KeepPrograms&) = delete;
};

}  // namespace tenon::detail
