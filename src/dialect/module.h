// A module of StableHLO: the program between lowering and the backend. No MLIR in this header.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tenon {

struct ModuleTextOptions {
  bool debug_info = false;  ///< with locations
  bool generic = false;     ///< MLIR's generic form of each operation
};

/// A module and the context it lives in. Copies are handles of one module; `clone` makes another.
/// One thread at a time.
class Module {
 public:
  struct Impl;  // module_impl.h
  explicit Module(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

  /// Reads text. `filename` stands in messages.
  /// Throws ParseError "<filename>:<line>:<column>: <what>".
  static Module parse(std::string_view text, std::string_view filename = "<text>");
  /// A copy of the operations in the same context, which both keep alive.
  Module clone() const;

  /// The function at which the program begins: `main`, or the only public one, or the only one.
  /// Throws ValueError, with the names of all functions, when there is no such one.
  std::string entry_name() const;
  /// A copy that begins at `function`, which is called `main` there, and alone is public.
  /// Throws ValueError when the module has no function of this name with a body.
  Module with_entry(std::string_view function) const;

  std::string str(const ModuleTextOptions& options = {}) const;
  /// "jit_f".
  std::string name() const;
  /// Throws CompileError with the first diagnostic when the module breaks a rule of its dialects.
  void verify() const;

  Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace tenon
