// A program whose operations err as other correct implementations may.
#pragma once

#include <cstdint>

#include "xla_ways.h"

namespace tenon::oracle {

/// What another implementation may do otherwise.
struct Noise {
  uint64_t seed = 0;
  /// Results that are rounded are off by up to so many units of the last place (half as many in 16-bit formats, which are
  /// computed in wider ones), again at each use: a producer may be computed twice, contracted into one of its consumers.
  int units = 0;
  /// Part of the operations that take subnormal operands for zero and round subnormal results to zero.
  double flushes = 0;
  /// What XLA is known to do otherwise, or null.
  const XlaWay* way = nullptr;
};

/// The least normal number; 0 for float16, which is computed in float32.
double least_normal(DType part);

/// The results of `jaxpr`, operation by operation. Values that every implementation has in common (integers, what was
/// only moved, a sum of two given numbers) are not disturbed; sums are, as if they were taken in order.
Arrays noisy_run(const Jaxpr& jaxpr, const Arrays& inputs, const Noise& noise);

}  // namespace tenon::oracle
