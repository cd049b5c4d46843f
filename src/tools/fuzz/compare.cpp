// Results against results.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "tools/fuzz/wrap.h"

namespace tenon::fuzz {

static std::string at(size_t i, double x, double y) {
  char text[120];
  std::snprintf(text, sizeof text, "element %zu: %.17g (%a) and %.17g (%a)", i, x, x, y, y);
  return text;
}

static std::string types_differ(const Array& a, const Array& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() ? "" : a.aval().str_short() + " and " + b.aval().str_short();
}

std::string difference(const Array& a, const Array& b) {
  if (std::string types = types_differ(a, b); !types.empty()) return types;
  if (a.dtype().is_complex()) {
    const std::string where = difference(lax::real(a), lax::real(b));
    return where.empty() ? difference(lax::imag(a), lax::imag(b)) : where;
  }
  if (a.dtype().is_floating()) {
    const auto x = a.to_vector<double>(), y = b.to_vector<double>();
    for (size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(x[i]) && std::isnan(y[i])) continue;
      if (std::memcmp(&x[i], &y[i], sizeof(double)) != 0) return at(i, x[i], y[i]);
    }
    return "";
  }
  const auto x = a.to_vector<int64_t>(), y = b.to_vector<int64_t>();
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] != y[i]) return "element " + std::to_string(i) + ": " + std::to_string(x[i]) + " and " + std::to_string(y[i]);
  }
  return "";
}

double rounding_of(DType dtype) { return dtype.bits() >= 64 ? 1e-6 : dtype.bits() == 32 ? 1e-3 : 0.2; }

std::string rough_difference(const Array& a, const Array& b) {
  if (std::string types = types_differ(a, b); !types.empty()) return types;
  if (!a.dtype().is_floating()) return "";
  const auto x = a.to_vector<double>(), y = b.to_vector<double>();
  double size = 0;
  for (size_t i = 0; i < x.size(); ++i)
    if (std::isfinite(x[i]) && std::isfinite(y[i])) size = std::max({size, std::abs(x[i]), std::abs(y[i])});
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isfinite(x[i]) && std::isfinite(y[i]) && std::abs(x[i] - y[i]) > rounding_of(a.dtype()) * size) return at(i, x[i], y[i]);
  }
  return "";
}

}  // namespace tenon::fuzz
