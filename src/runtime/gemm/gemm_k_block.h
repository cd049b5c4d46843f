// The length of the K blocks, part of the order of summation (gemm.h).
#pragma once

#include "base/product_order.h"

namespace tenon::runtime {

inline constexpr int64_t kGemmKBlock = tenon::detail::kProductBlock;

}  // namespace tenon::runtime
