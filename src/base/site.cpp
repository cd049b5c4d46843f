#include "base/site.h"

#include <string_view>

namespace tenon::detail {

thread_local const std::source_location* t_site = nullptr;

std::string site_str(const std::source_location& location) {
  if (location.line() == 0) return "";
  std::string_view file(location.file_name());
  file.remove_prefix(file.rfind('/') + 1);  // npos + 1 == 0
  return std::string(file) + ":" + std::to_string(location.line());
}

std::string site_suffix() { return t_site ? " (" + site_str(*t_site) + ")" : ""; }

}  // namespace tenon::detail
