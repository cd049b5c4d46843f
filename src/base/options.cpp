#include "base/options.h"

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "base/fail.h"
#include "tenon/config.h"

namespace tenon {
namespace {

using config::Value;

void assign(bool& option, const Value& v, std::string_view name) {
  if (v.kind() != Value::Kind::boolean && v.kind() != Value::Kind::integer)
    fail<TypeError>("config", "option ", name, " is a bool; got ", v);
  option = v.integer() != 0;
}
void assign(int64_t& option, const Value& v, std::string_view name) {
  if (v.kind() != Value::Kind::integer) fail<TypeError>("config", "option ", name, " is an integer; got ", v);
  option = v.integer();
}
void assign(double& option, const Value& v, std::string_view name) {
  if (v.kind() != Value::Kind::number && v.kind() != Value::Kind::integer)
    fail<TypeError>("config", "option ", name, " is a number; got ", v);
  option = v.number();
}
void assign(std::string& option, const Value& v, std::string_view name) {
  if (v.kind() != Value::Kind::string) fail<TypeError>("config", "option ", name, " is a string; got ", v);
  option = v.string();
}

void set(OptionValues& values, std::string_view name, const Value& value) {
#define TENON_OPTION(type, option, default_value, doc) \
  if (name == #option) return assign(values.option, value, name);
#include "base/options.inc"
#undef TENON_OPTION
  std::string known;
#define TENON_OPTION(type, option, default_value, doc) known += " " #option;
#include "base/options.inc"
#undef TENON_OPTION
  fail<ValueError>("config", "there is no option called '", name, "'; options are:", known);
}

// Numbers that are of the right type, and mean nothing.
void check(const OptionValues& values) {
  if (values.stream_min_bytes < 0)
    fail<ValueError>("config", "option stream_min_bytes is a size in bytes, 0 or more; got ", values.stream_min_bytes);
}

// Text of an environment variable to a value of the option's type; malformed text is ignored.
void assign_text(bool& option, std::string_view text) {
  if (text == "1" || text == "true" || text == "True") option = true;
  if (text == "0" || text == "false" || text == "False") option = false;
}
template <class T>
  requires std::is_arithmetic_v<T>
void assign_text(T& option, std::string_view text) {
  T value;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) option = value;
}
void assign_text(std::string& option, std::string_view text) { option = text; }

std::string environment_name(std::string_view option) {
  std::string name = "TENON_";
  for (char c : option) name += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name;
}

OptionValues from_environment() {
  OptionValues values;
#define TENON_OPTION(type, option, default_value, doc) \
  if (const char* text = std::getenv(environment_name(#option).c_str())) assign_text(values.option, text);
#include "base/options.inc"
#undef TENON_OPTION
  if (values.stream_min_bytes < 0) values.stream_min_bytes = OptionValues().stream_min_bytes;
  return values;
}

// Values that a thread may still be reading are kept: one small struct an update.
std::atomic<const OptionValues*>& process_values() {
  static std::atomic<const OptionValues*> values{new OptionValues(from_environment())};
  return values;
}
std::mutex g_update_mutex;
std::atomic<uint64_t> g_serial{0};

// The values of a Scope. One that ends before a younger one, or on another thread, is marked only: its values
// may be in use until the younger one ends.
struct ScopeValues : OptionValues {
  explicit ScopeValues(const OptionValues& values) : OptionValues(values) {}
  const ScopeValues* previous = nullptr;
  std::atomic<bool> has_ended{false};
};
thread_local const ScopeValues* t_scope_values = nullptr;

}  // namespace

const OptionValues& options() {
  if (t_scope_values) return *t_scope_values;
  return *process_values().load(std::memory_order_acquire);
}

namespace config {

std::string Value::str() const {
  switch (kind_) {
    case Kind::boolean: return integer_ ? "True" : "False";
    case Kind::integer: return std::to_string(integer_);
    case Kind::number: return detail::python_repr(number_);
    case Kind::string: return "'" + string_ + "'";
  }
  return {};
}

void update(std::string_view name, Value value) {
  std::lock_guard lock(g_update_mutex);
  auto next = std::make_unique<OptionValues>(*process_values().load());
  set(*next, name, value);
  check(*next);
  next->serial = ++g_serial;
  process_values().store(next.release(), std::memory_order_release);
}

Scope::Scope(std::initializer_list<Setting> settings) : Scope(std::vector<Setting>(settings)) {}
Scope::Scope(const std::vector<Setting>& settings) {
  auto values = std::make_unique<ScopeValues>(options());
  values->previous = t_scope_values;
  for (const Setting& s : settings) set(*values, s.name, s.value);
  check(*values);
  values->serial = ++g_serial;
  values_ = values.release();
  t_scope_values = static_cast<const ScopeValues*>(values_);
}
Scope::~Scope() {
  static_cast<ScopeValues*>(values_)->has_ended = true;
  while (t_scope_values && t_scope_values->has_ended) {
    const ScopeValues* ended = t_scope_values;
    t_scope_values = ended->previous;
    delete ended;
  }
}

}  // namespace config
}  // namespace tenon
