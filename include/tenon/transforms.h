// Functions of functions, and guards around them.
#pragma once

#include "tenon/jit.h"

#pragma GCC visibility push(default)

namespace tenon {

/// While it lives on a thread, a compilation on it throws CompileForbiddenError that names the
/// function and the argument types. Scopes nest.
class NoCompileScope {
 public:
  [[nodiscard]] NoCompileScope();
  ~NoCompileScope();
  NoCompileScope(const NoCompileScope&) = delete;
};

}  // namespace tenon

#pragma GCC visibility pop
