#include "api/debug_values.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/fail.h"
#include "base/options.h"
#include "control/checkify.h"
#include "core/nodes.h"
#include "tenon/config.h"
#include "tenon/host.h"

namespace tenon::detail {
namespace {

using checkify::Checks;

// What of the forbidden the array holds: "nan", "inf", or nothing.
const char* found_in(const Array& array) {
  const DType dtype = array.dtype();
  if (!dtype.is_inexact()) return nullptr;
  const OptionValues& o = options();
  const BufferRef buffer = buffer_of(array, "debug_nans");
  const BufferRef here = buffer->host_data() ? buffer : buffer_of(to_host(array), "debug_nans");
  const auto* data = static_cast<const char*>(here->host_data());
  constexpr int64_t kAtOnce = 1024;
  const int parts = dtype.is_complex() ? 2 : 1;
  double numbers[2 * kAtOnce];
  for (int64_t i = 0; i < array.size(); i += kAtOnce) {
    const int64_t count = std::min(kAtOnce, array.size() - i);
    convert_elements(data + i * dtype.itemsize(), dtype, numbers, dtype.is_complex() ? jnp::complex128 : jnp::float64, count);
    for (int64_t k = 0; k < count * parts; ++k) {
      if (o.debug_nans && std::isnan(numbers[k])) return "nan";
      if (o.debug_infs && std::isinf(numbers[k])) return "inf";
    }
  }
  return nullptr;
}

}  // namespace

void check_values(const std::string& who, const Arrays& results) {
  for (const Array& result : results)
    if (const char* found = found_in(result)) fail<FloatingPointError>(who, "invalid value (", found, ") in its result, ", result.aval());
}

void check_values(const std::string& who, const Arrays& results, const Jaxpr& jaxpr, const Arrays& arguments) {
  for (size_t i = 0; i < results.size(); ++i) {
    const char* const found = found_in(results[i]);
    if (!found) continue;
    const OptionValues& o = options();
    const Checks checks = (o.debug_nans ? Checks::nan : Checks::none) | (o.debug_infs ? Checks::inf : Checks::none);
    const config::Scope quiet{{"debug_nans", false}, {"debug_infs", false}};
    const checkify::Error error = eval_checked(jaxpr, arguments, checks).error;
    if (const CheckMessage* first = failed_check(error))
      fail<FloatingPointError>(who, "invalid value (", first->category == Checks::nan ? "nan" : "inf", ") encountered in ", first->text,
                               first->location.empty() ? "" : " at ", first->location);
    fail<FloatingPointError>(who, "invalid value (", found, ") in result ", i, ", ", results[i].aval(), "; no operation made it: it came with an argument");
  }
}

}  // namespace tenon::detail
