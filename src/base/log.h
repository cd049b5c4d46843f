// How the library logs. Cheap when nobody listens.
#pragma once

#include "base/text.h"
#include "tenon/logging.h"

namespace tenon::detail {

/// Does anybody listen to `logger` at `level`?
bool log_enabled(std::string_view logger, logging::Level level);
void log_message(std::string_view logger, logging::Level level, std::string_view message);

template <class... Parts>
void log(std::string_view logger, logging::Level level, const Parts&... parts) {
  if (log_enabled(logger, level)) log_message(logger, level, text(parts...));
}

}  // namespace tenon::detail
