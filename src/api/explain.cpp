#include "api/explain.h"

#include "base/log.h"

namespace tenon::detail {

int distance_between(const Call& call, const std::vector<StaticArgument>& statics, const Avals& before, const std::vector<StaticArgument>& statics_before) {
  constexpr int kOtherTree = 1 << 20, kOtherRank = 4, kOtherShape = 2;
  int distance = call.leaves.size() == before.size() ? 0 : kOtherTree;
  for (size_t i = 0; i < before.size() && i < call.leaves.size(); ++i) {
    const Aval now = call.leaves[i].aval();
    distance += now.ndim() != before[i].ndim() ? kOtherRank : now.shape != before[i].shape ? kOtherShape : 0;
    distance += (now.dtype != before[i].dtype) + (now.weak_type != before[i].weak_type);
  }
  for (size_t k = 0; k < statics.size() && k < statics_before.size(); ++k) distance += statics[k].text != statics_before[k].text;
  return distance;
}

void log_cache_miss(const std::string& function, const std::vector<std::string>& names, const Call& call,
                    const Avals& before, const std::vector<StaticArgument>& statics_before,
                    const std::vector<std::string>& arg_names) {
  std::vector<std::string> differences;
  if (call.leaves.size() != before.size()) {
    differences.push_back(text("the number of arrays is another one, now ", call.leaves.size(), " and before ", before.size()));
  } else {
    for (size_t i = 0; i < before.size(); ++i) {
      Aval now = call.leaves[i].aval();
      if (now == before[i]) continue;
      std::string note;
      if (now.weak_type != before[i].weak_type) note = now.weak_type ? ", now of weak type" : ", now not of weak type";
      differences.push_back(text("at ", names[i], ", now ", now, " and before ", before[i], note));
    }
  }
  auto statics = call.static_arguments();
  for (size_t k = 0; k < statics.size() && k < statics_before.size(); ++k)
    if (statics[k].text != statics_before[k].text) {
      size_t index = statics[k].index;
      differences.push_back(text("static argument ", index < arg_names.size() ? arg_names[index] : "arg" + std::to_string(index),
                                 ", now ", statics[k].text, " and before ", statics_before[k].text));
    }
  if (differences.empty()) differences.push_back("the structure of a tree or a static value differs");
  std::string site = call.loc.line() ? text(" (", call.loc.file_name(), ":", call.loc.line(), ")") : "";
  log("tenon.tracing", logging::Level::warning, "TRACING CACHE MISS for ", function, site, ": ", differences);
}

}  // namespace tenon::detail
