// Who listens to compilations on this thread: counters of the test kit, and NoCompileScope.
#pragma once

#include <string>
#include <vector>

#include "tenon/aval.h"

namespace tenon::detail {

/// Counts the compilations of this thread while it lives. Listeners nest.
class CompileListener {
 public:
  explicit CompileListener(std::string name);
  virtual ~CompileListener();
  CompileListener(const CompileListener&) = delete;
  const std::string name;
  std::vector<std::string> messages;

 private:
  CompileListener* const outer_;
  friend void announce_compile(const std::string& name, const Avals& avals);
};

/// Says that `name` is being compiled for these arguments: to the listeners of this thread, and
/// to the log "tenon.compiler". Throws CompileForbiddenError inside a NoCompileScope.
void announce_compile(const std::string& name, const Avals& avals);

}  // namespace tenon::detail
