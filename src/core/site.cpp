// The user's line and the named scopes, per thread.
#include <algorithm>

#include "base/site.h"
#include "core/trace.h"

namespace tenon {
namespace detail {
namespace {
thread_local std::string t_name_stack;
thread_local const SourceInfo* t_source = nullptr;
thread_local uint32_t t_call = 0;        // the one at work
thread_local uint32_t t_last_call = 0;
constexpr uint32_t kOneOperand = 1u << 31;
uint32_t next_call() { return t_last_call = t_last_call + 1 == kOneOperand ? 1 : t_last_call + 1; }
}  // namespace

// A line of the standard library or of our headers, which called a function for the user: std::apply, our callables.
static bool is_users(const Loc& loc) {
  const std::string_view file = loc.file_name();
  return loc.line() != 0 && file.find("/c++/") == file.npos && file.find("include/tenon/") == file.npos;
}

SiteScope::SiteScope(const Loc& loc) : outermost_(t_site == nullptr && is_users(loc)) {
  if (outermost_) t_site = &loc;
}
SiteScope::~SiteScope() {
  if (outermost_) t_site = nullptr;
}
const Loc* current_site() { return t_site; }

FunctionScope::FunctionScope(const Loc& loc) : SiteScope(loc), opens_call_(t_call == 0) {
  if (opens_call_) t_call = next_call();
}
FunctionScope::FunctionScope(const Operand& only) : FunctionScope(only.loc) {
  if (opens_call_) t_call |= kOneOperand;
}
FunctionScope::~FunctionScope() {
  if (opens_call_) t_call = 0;
}
CallScope::CallScope() : previous_(std::exchange(t_call, next_call())) {}
CallScope::~CallScope() { t_call = previous_; }
uint32_t current_call() { return t_call; }
bool takes_one_operand(uint32_t call) { return (call & kOneOperand) != 0; }

SiteReset::SiteReset()
    : previous_(std::exchange(t_site, nullptr)), source_(std::exchange(t_source, nullptr)), call_(std::exchange(t_call, 0)) {}
SiteReset::~SiteReset() {
  t_call = call_;
  t_site = previous_;
  t_source = source_;
}

NameStackReset::NameStackReset() : previous_(std::move(t_name_stack)) { t_name_stack.clear(); }
NameStackReset::~NameStackReset() { t_name_stack = std::move(previous_); }

const std::string& current_name_stack() { return t_name_stack; }

SourceInfo current_source() {
  SourceInfo info;
  if (t_source) info = *t_source;
  else if (t_site) info = {t_site->file_name(), t_site->function_name(), t_site->line(), t_site->column(), {}};
  if (!t_name_stack.empty()) info.scope = info.scope.empty() ? t_name_stack : t_name_stack + "/" + info.scope;
  return info;
}

SourceScope::SourceScope(const SourceInfo& source) : previous_(std::exchange(t_source, &source)) {}
SourceScope::~SourceScope() { t_source = previous_; }

}  // namespace detail

named_scope::named_scope(std::string_view name) : previous_size_(detail::t_name_stack.size()) {
  if (!detail::t_name_stack.empty()) detail::t_name_stack += '/';
  detail::t_name_stack += name;
}
named_scope::~named_scope() { detail::t_name_stack.resize(previous_size_); }

}  // namespace tenon
