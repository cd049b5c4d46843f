// Values of the options (options.inc), as the calling thread sees them.
#pragma once

#include <cstdint>
#include <string>

namespace tenon {

struct OptionValues {
#define TENON_OPTION(type, name, default_value, doc) type name = default_value;
#include "base/options.inc"
#undef TENON_OPTION
  /// Another number for each set of values there ever was.
  uint64_t serial = 0;
};

/// The values in force: those of the innermost config::Scope of this thread, else the process's.
/// The reference is good until the next update or scope.
const OptionValues& options();

}  // namespace tenon
