// Values to text, for messages and dumps. Deterministic: no addresses, no locale.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/aval.h"

namespace tenon::detail {

/// Shortest decimal text that reads back as the same double, spelled as Python's repr:
/// 2.0, 1e-07, 1e+17, inf, -inf, nan.
std::string python_repr(double value);

inline void append_text(std::string& out, std::string_view v) { out += v; }
inline void append_text(std::string& out, const std::string& v) { out += v; }
inline void append_text(std::string& out, const char* v) { out += v; }
inline void append_text(std::string& out, char v) { out += v; }
inline void append_text(std::string& out, bool v) { out += v ? "True" : "False"; }
template <std::integral T>
void append_text(std::string& out, T v) { out += std::to_string(v); }
template <std::floating_point T>
void append_text(std::string& out, T v) { out += python_repr(v); }
inline void append_text(std::string& out, const ShapedArray& v) { out += v.str_short(); }
template <class T>
  requires requires(const T& v) { { v.str() } -> std::convertible_to<std::string>; }
void append_text(std::string& out, const T& v) { out += v.str(); }
/// "f32[3,4] and f32[5,2]", "1, 2 and 3".
template <class T>
void append_text(std::string& out, const std::vector<T>& list) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += i + 1 == list.size() ? " and " : ", ";
    append_text(out, list[i]);
  }
}

/// The parts one after the other.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::string out;
  (append_text(out, parts), ...);
  return out;
}

}  // namespace tenon::detail
