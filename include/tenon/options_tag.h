// Options are written {.axis = 1}; a positional {0, 1} must not compile.
#pragma once

#pragma GCC visibility push(default)

namespace tenon {
class named_only {
 public:
  explicit named_only() = default;
};
}  // namespace tenon

/// First member of every options struct.
#define TENON_NAMED ::tenon::named_only named_only_ = ::tenon::named_only()

#pragma GCC visibility pop
