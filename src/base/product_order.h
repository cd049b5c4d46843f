// The order in which products of matrices are summed, for all who multiply (runtime/gemm/gemm.h).
#pragma once

#include <cstdint>

namespace tenon::detail {

/// k is cut into blocks of so many elements, whose sums are added in order.
inline constexpr std::int64_t kProductBlock = 512;  // halves what 256 spends on reading C again

}  // namespace tenon::detail
