// What XLA of jaxlib 0.12 is known to do otherwise on a CPU, beyond errors of rounding.
#pragma once

#include <string_view>
#include <vector>

#include "tenon/tenon.h"

namespace tenon::oracle {

/// One such way. A noisy run that takes it shows how far its consequences go.
struct XlaWay {
  const char* reason;
  /// Changes the results of an operation, given its name and operands; `run` is the number of the run.
  void (*change)(std::string_view name, const EqnParams& params, const Arrays& operands, Arrays& results, uint64_t run);
  /// Only in programs where such an operation has been before; empty: in any.
  std::string_view after = {};
};
const std::vector<XlaWay>& xla_ways();

}  // namespace tenon::oracle
