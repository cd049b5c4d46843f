// Files that show every stage of a compilation, in the directory of the option dump_to:
//   module_0003.jit_f.before_optimizations.txt, module_0003.jit_f.pass_02_simplify.mlir, ...,
//   module_0003.jit_f.cpu_after_optimizations.txt, ...-buffer-assignment.txt, ....ll, ....s
// A dump that cannot be written is logged and lost; the compilation goes on.
#pragma once

#include <string>
#include <string_view>

#include "dialect/module.h"
#include "tenon/backend.h"

namespace tenon::detail {

class Dump {
 public:
  explicit Dump(const std::string& program_name);
  bool wanted() const { return !stem_.empty(); }
  void before_optimizations(const Module& module) const;
  void after_pass(int index, std::string_view pass, const Module& module) const;
  void after_optimizations(const Module& module) const;
  void executable(const Executable& executable) const;

 private:
  void write(const std::string& suffix, const std::string& contents) const;
  std::string stem_;  // directory and beginning of the file names; empty: no dump
};

}  // namespace tenon::detail
