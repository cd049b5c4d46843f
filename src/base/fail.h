// Throwing with a sentence: fail<ShapeError>("transpose", "permutation must ...; got ", p, " for ", x).
#pragma once

#include "base/site.h"
#include "base/text.h"
#include "tenon/error.h"

namespace tenon {

/// Throws E("<who>: <parts> (main.cpp:12)"), with the user's line where it is known. Parts are anything
/// that text() takes.
template <class E, class... Parts>
[[noreturn]] void fail(std::string_view who, const Parts&... parts) {
  throw E(detail::text(who, ": ", parts..., detail::site_suffix()));
}

namespace detail {
template <class... Parts>
[[noreturn]] void check_failed(const char* file, int line, const char* condition, const Parts&... parts) {
  std::string_view name(file);
  name.remove_prefix(name.rfind('/') + 1);
  throw InternalError(text("internal error at ", name, ":", line, ": ", condition, " does not hold; ", parts...,
                           "; this is a mistake in Tenon, please report it"));
}
}  // namespace detail
}  // namespace tenon

/// Our own invariants. Throws InternalError with the condition and the parts.
#define TENON_CHECK(condition, ...)                                                          \
  do {                                                                                       \
    if (!(condition)) [[unlikely]]                                                           \
      ::tenon::detail::check_failed(__FILE__, __LINE__, #condition __VA_OPT__(, ) __VA_ARGS__); \
  } while (false)
