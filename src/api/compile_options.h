// Options of one compilation, over those in force.
#pragma once

#include <string>

#include "tenon/config.h"
#include "tenon/stages.h"

namespace tenon::detail {

/// Throws ValueError when `options` names an option that compilations do not read, or holds values that make no sense.
/// who: "jit f", "compile".
std::vector<config::Setting> settings_of(const CompileOptions& options, std::string_view who);

/// What tells settings apart: `settings` as text.
std::string key_of(const std::vector<config::Setting>& settings);

/// The options in force that change what compilation makes, as a key.
std::string compile_options_key();

}  // namespace tenon::detail
