#include "backends/cpu/run_update.h"

#include <algorithm>
#include <cstring>

namespace tenon::cpu {

static int64_t start_at(const void* start, DType type, int64_t largest) {
  const auto read = [&]<class T>(T) {
    T value;
    std::memcpy(&value, start, sizeof value);
    // Of the largest unsigned ones, which no int64_t holds, too.
    if (value > T{0} && static_cast<uint64_t>(value) > static_cast<uint64_t>(largest)) return largest;
    return std::clamp<int64_t>(static_cast<int64_t>(value), 0, largest);
  };
  switch (type.code()) {
    case DType::kInt8: return read(int8_t{});
    case DType::kInt16: return read(int16_t{});
    case DType::kInt32: return read(int32_t{});
    case DType::kInt64: return read(int64_t{});
    case DType::kUInt8: return read(uint8_t{});
    case DType::kUInt16: return read(uint16_t{});
    case DType::kUInt32: return read(uint32_t{});
    default: return read(uint64_t{});
  }
}

void run_update(const UpdateStep& step, void* const* buffers) {
  const size_t rank = step.shape.size();
  auto* to = static_cast<char*>(buffers[2 + rank]);
  if (to != buffers[0]) std::memcpy(to, buffers[0], static_cast<size_t>(element_count(step.shape) * step.itemsize));
  // Axes that are replaced whole, and the one before them, are contiguous.
  int64_t offset = 0, stride = step.itemsize;
  Dims strides(rank);
  for (size_t d = rank; d-- > 0;) {
    strides[d] = stride;
    offset += stride * start_at(buffers[2 + d], step.index_type, step.shape[d] - step.update[d]);
    stride *= step.shape[d];
  }
  size_t outer = rank;  // axes before the contiguous part
  int64_t bytes = step.itemsize;
  while (outer > 0) {
    --outer;
    bytes *= step.update[outer];
    if (step.update[outer] != step.shape[outer]) break;
  }
  int64_t rows = 1;
  for (size_t d = 0; d < outer; ++d) rows *= step.update[d];
  const auto* from = static_cast<const char*>(buffers[1]);
  to += offset;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t rest = row, at = 0;
    for (size_t d = outer; d-- > 0;) {
      at += rest % step.update[d] * strides[d];
      rest /= step.update[d];
    }
    if (bytes > 0) std::memcpy(to + at, from + row * bytes, static_cast<size_t>(bytes));
  }
}

}  // namespace tenon::cpu
