#include "api/compile_options.h"

#include <algorithm>

#include "base/fail.h"
#include "base/options.h"
#include "base/text.h"
#include "runtime/thread_pool.h"

namespace tenon::detail {

static constexpr std::string_view kNames[] = {
#define TENON_OPTION(type, name, value, doc)
#define TENON_COMPILE_OPTION(type, name, value, doc) #name,
#include "base/options.inc"
#undef TENON_OPTION
};

std::vector<config::Setting> settings_of(const CompileOptions& options, std::string_view who) {
  if (options.max_bytes < 0) fail<ValueError>(who, "max_bytes is a number of bytes, or 0 for any; got ", options.max_bytes);
  for (const config::Setting& setting : options.config) {
    if (std::ranges::find(kNames, setting.name) != std::end(kNames)) continue;
    std::string known;
    for (std::string_view name : kNames) known += (known.empty() ? "" : ", ") + std::string(name);
    fail<ValueError>(who, "compilations do not read an option '", setting.name, "'; they read: ", known);
  }
  std::vector<config::Setting> settings = options.config;
  if (options.max_bytes > 0) settings.push_back({"max_bytes", options.max_bytes});
  if (!settings.empty()) config::Scope check(settings);  // their types
  return settings;
}

std::string key_of(const std::vector<config::Setting>& settings) {
  std::string key;
  for (const config::Setting& setting : settings) key += setting.name + "=" + setting.value.str() + "|";
  return key;
}

std::string compile_options_key() {
  const OptionValues& o = options();
  // What kernels take for themselves grows with the threads.
  const int threads = o.max_bytes > 0 ? runtime::ThreadPool::get().size() : 0;
  return text(o.disable_passes, "|", o.stream_min_bytes, "|", o.max_bytes, "|", threads, "|", o.bisect_limit, "|", o.cpu_target, "|", o.default_backend);
}

}  // namespace tenon::detail
