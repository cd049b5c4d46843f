// Size classes of the allocator: multiples of 64 bytes up to 1 KiB, then 8 steps a doubling, so
// that at most an eighth of a block is unused.
#pragma once

#include <bit>
#include <cstdint>

namespace tenon::runtime {

inline constexpr int kLinearClasses = 16;  // 64, 128, ..., 1024
inline constexpr int kStepsPerDoubling = 8;
inline constexpr int kMaxLog2Bytes = 46;  // larger requests are out of memory anyway
inline constexpr int kSizeClasses = kLinearClasses + (kMaxLog2Bytes - 10) * kStepsPerDoubling;

/// The smallest class that holds `size_bytes`, 0 <= size_bytes <= 2^kMaxLog2Bytes.
constexpr int size_class_of(int64_t size_bytes) {
  if (size_bytes <= 1024) return size_bytes == 0 ? 0 : static_cast<int>((size_bytes - 1) / 64);
  const auto last = static_cast<uint64_t>(size_bytes - 1);
  const int log2 = std::bit_width(last) - 1;  // >= 10
  const int step = static_cast<int>(last >> (log2 - 3)) & 7;
  return kLinearClasses + (log2 - 10) * kStepsPerDoubling + step;
}

constexpr int64_t block_bytes_of(int size_class) {
  if (size_class < kLinearClasses) return (size_class + 1) * int64_t{64};
  const int log2 = (size_class - kLinearClasses) / kStepsPerDoubling + 10;
  const int step = (size_class - kLinearClasses) % kStepsPerDoubling;
  return (int64_t{kStepsPerDoubling} + step + 1) << (log2 - 3);
}

}  // namespace tenon::runtime
