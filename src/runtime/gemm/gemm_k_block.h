// The length of the K blocks, part of the order of summation (gemm.h).
#pragma once

#include <cstdint>

namespace tenon::runtime {

inline constexpr int64_t kGemmKBlock = 512;  // halves what 256 spends on reading C again

}  // namespace tenon::runtime
