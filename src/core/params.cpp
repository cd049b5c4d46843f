// Parameters of equations: printing as Python prints, comparing, hashing.
#include <algorithm>
#include <cstring>

#include "base/fail.h"
#include "core/named_jaxprs.h"
#include "tenon/jaxpr.h"

namespace tenon {
namespace detail {

std::string param_str(bool v) { return v ? "True" : "False"; }
std::string param_str(int64_t v) { return std::to_string(v); }
std::string param_str(double v) { return python_repr(v); }
std::string param_str(const std::string& v) { return v; }
std::string param_str(DType v) { return v.str(); }
std::string param_str(const Shape& v) { return v.str(); }
std::string param_str(const Axes& v) { return v.str(); }
std::string param_str(const Jaxpr& v) { return v.str(); }
std::string param_str(const std::vector<Jaxpr>& v) {
  std::string out = "(";
  for (const Jaxpr& jaxpr : v) out += jaxpr.str() + ", ";
  return out + ")";
}

size_t hash_bytes(const void* data, size_t size, size_t seed) {
  // FNV-1a, finished by a multiply-shift: short keys, no adversary.
  uint64_t hash = 0xcbf29ce484222325u ^ seed;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3u;
  return hash ^ (hash >> 29);
}

size_t hash_text(const std::string& text) { return hash_bytes(text.data(), text.size()); }

// A jaxpr is the same parameter when it is the same object; its text would cost too much.
template <>
size_t ParamValue<Jaxpr>::hash() const {
  const void* id = value.id();
  return hash_bytes(&id, sizeof id);
}
template <>
size_t ParamValue<std::vector<Jaxpr>>::hash() const {
  size_t seed = 0;
  for (const Jaxpr& jaxpr : value) {
    const void* id = jaxpr.id();
    seed = hash_bytes(&id, sizeof id, seed);
  }
  return seed;
}
// 0.0 and -0.0 are two values, NaN is one.
template <>
bool ParamValue<double>::equals(const ParamNode& other) const {
  return other.type() == typeid(double) &&
         std::memcmp(&static_cast<const ParamValue&>(other).value, &value, sizeof value) == 0;
}

}  // namespace detail

Param::Param(bool v) : node_(detail::make_ref<detail::ParamValue<bool>>(v)) {}
Param::Param(int v) : Param(static_cast<int64_t>(v)) {}
Param::Param(int64_t v) : node_(detail::make_ref<detail::ParamValue<int64_t>>(v)) {}
Param::Param(double v) : node_(detail::make_ref<detail::ParamValue<double>>(v)) {}
Param::Param(const char* v) : Param(std::string(v)) {}

void Param::throw_type(const std::type_info& wanted) const {
  throw InternalError(std::string("param: wanted a ") + wanted.name() + "; got " + str());
}

bool EqnParams::Entry::operator==(const Entry&) const = default;
bool EqnParams::operator==(const EqnParams&) const = default;

EqnParams::EqnParams(std::initializer_list<Entry> entries) : entries_(entries) {
  std::ranges::sort(entries_, {}, &Entry::name);
}

const Param* EqnParams::find(std::string_view name) const {
  for (const Entry& e : entries_)
    if (e.name == name) return &e.value;
  return nullptr;
}

const Param& EqnParams::at(std::string_view name) const {
  if (const Param* param = find(name)) return *param;
  std::string names;
  for (const Entry& e : entries_) names += " " + std::string(e.name);
  fail<ValueError>("params", "there is no parameter called '", name, "'; there are:", names);
}

EqnParams EqnParams::with(std::string_view name, Param value) const {
  EqnParams copy = *this;
  auto at = std::ranges::lower_bound(copy.entries_, name, {}, &Entry::name);
  if (at != copy.entries_.end() && at->name == name)
    at->value = std::move(value);
  else
    copy.entries_.insert(at, {name, std::move(value)});
  return copy;
}

size_t EqnParams::hash() const {
  size_t seed = entries_.size();
  for (const Entry& e : entries_) {
    size_t value = e.value.hash();
    seed = detail::hash_bytes(&value, sizeof value, detail::hash_bytes(e.name.data(), e.name.size(), seed));
  }
  return seed;
}

std::vector<Jaxpr> detail::jaxprs_of(const Param& value) {
  if (value.is<Jaxpr>()) return {value.get<Jaxpr>()};
  if (value.is<std::vector<Jaxpr>>()) return value.get<std::vector<Jaxpr>>();
  return value.is<NamedJaxprs>() ? value.get<NamedJaxprs>().jaxprs() : std::vector<Jaxpr>();
}

std::vector<Jaxpr> jaxprs_in_params(const EqnParams& params) {
  std::vector<Jaxpr> found;
  for (const auto& [name, value] : params)
    for (Jaxpr& jaxpr : detail::jaxprs_of(value)) found.push_back(std::move(jaxpr));
  return found;
}

}  // namespace tenon
