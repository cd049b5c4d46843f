// Log messages. Nothing is printed: messages go to captures and to a sink that the host sets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace tenon {
namespace logging {

enum class Level { debug, info, warning, error };

/// Receives every message at or above its level. Called from any thread, one call at a time.
using Sink = void (*)(void* context, Level level, std::string_view logger, std::string_view message);
/// Replaces the sink; nullptr removes it.
void set_sink(Sink sink, void* context, Level level = Level::info);

/// Collects the messages of `logger` and its children ("tenon" hears "tenon.compiler") from all
/// threads while it lives.
class Capture {
 public:
  Capture(std::string_view logger, Level level);
  ~Capture();
  Capture(const Capture&) = delete;
  std::vector<std::string> messages() const;

 private:
  struct Impl;
  Impl* impl_;
};

}  // namespace logging
}  // namespace tenon

#pragma GCC visibility pop
