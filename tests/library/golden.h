// Programs that print as JAX prints them; the texts stand in core/jaxpr_goldens.
#pragma once

#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tenon/tenon.h"

namespace tenon::test {

struct Golden {
  std::string name;
  std::string (*text)();
};
inline void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }

/// Those with transforms (jaxpr_goldens_transforms_test.cpp).
const std::vector<Golden>& transform_goldens();

constexpr const char* kGoldenFolder = TENON_TEST_DATA "/core/jaxpr_goldens";

template <class F, class... A>
std::string show(F f, const A&... args) {
  return make_jaxpr(f)(args...).str() + "\n";
}

/// The text of a file, as Tenon prints it: integers for NumPy's integers, and nothing of JAX's descriptions of the
/// trees of a scan.
inline std::string golden_text(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(std::string(kGoldenFolder) + "/" + name + ".txt").rdbuf();
  // What was broken because of those was longer than it is.
  const std::string joined = std::regex_replace(text.str(), std::regex(R"(\[\n +([^\n]*np\.int64[^\n]*)\n +\])"), "[$1]");
  const std::string integers = std::regex_replace(joined, std::regex(R"(np\.int64\((-?\d+)\))"), "$1");
  return std::regex_replace(integers, std::regex(R"( *ft_(in|out)=.*\n)"), "");
}
/// Ours, without what it has instead: the numbers of constants and carries.
inline std::string without_counts(const std::string& text) {
  return std::regex_replace(text, std::regex(R"( *num_(carry|consts)=\d+\n)"), "");
}

}  // namespace tenon::test
