// A named tuple of jaxprs as the parameter of an equation.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tenon/jaxpr.h"

namespace tenon::detail {

/// Prints as Python prints it: "_LinearSolveTuple(matvec={ lambda ... }, vecmat=None)". A jaxpr may be empty.
struct NamedJaxprs {
  const char* name;
  std::vector<std::pair<const char*, Jaxpr>> fields;
  std::string str() const {
    std::string out = std::string(name) + "(";
    for (const auto& [field, jaxpr] : fields)
      out += (out.back() == '(' ? "" : ", ") + std::string(field) + "=" + (jaxpr.is_empty() ? "None" : jaxpr.str());
    return out + ")";
  }
  /// Those that are there.
  std::vector<Jaxpr> jaxprs() const {
    std::vector<Jaxpr> out;
    for (const auto& [field, jaxpr] : fields)
      if (!jaxpr.is_empty()) out.push_back(jaxpr);
    return out;
  }
  bool operator==(const NamedJaxprs&) const = default;
};

/// The programs in a value: itself, or those of a list or a named tuple.
std::vector<Jaxpr> jaxprs_of(const Param& value);

// By identity: the text of a graph is long.
template <>
inline size_t ParamValue<NamedJaxprs>::hash() const {
  return ParamValue<std::vector<Jaxpr>>(value.jaxprs()).hash();
}

}  // namespace tenon::detail
