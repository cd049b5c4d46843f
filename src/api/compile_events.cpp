#include "api/compile_events.h"

#include "base/fail.h"
#include "base/log.h"
#include "base/options.h"
#include "tenon/transforms.h"

namespace tenon {
namespace detail {
namespace {
thread_local CompileListener* t_listener = nullptr;
thread_local int t_forbidden = 0;
}  // namespace

CompileListener::CompileListener(std::string name) : name(std::move(name)), outer_(t_listener) { t_listener = this; }
CompileListener::~CompileListener() { t_listener = outer_; }

void announce_compile(const std::string& name, const Avals& avals) {
  std::string types = "[";
  for (size_t i = 0; i < avals.size(); ++i) types += (i > 0 ? ", " : "") + avals[i].str();
  types += "]";
  if (t_forbidden > 0) {
    std::string short_types;
    for (const Aval& aval : avals) short_types += (short_types.empty() ? "" : ", ") + aval.str_short();
    fail<CompileForbiddenError>("NoCompileScope", name, " would have to be compiled for (", short_types,
                                "); call it with these types before the scope begins");
  }
  std::string message = "Compiling " + name + " with global shapes and types " + types + ".";
  for (CompileListener* l = t_listener; l; l = l->outer_)
    if (l->name == name) l->messages.push_back(message);
  log("tenon.compiler", options().log_compiles ? logging::Level::warning : logging::Level::debug, message);
}

}  // namespace detail

NoCompileScope::NoCompileScope() { ++detail::t_forbidden; }
NoCompileScope::~NoCompileScope() { --detail::t_forbidden; }

}  // namespace tenon
