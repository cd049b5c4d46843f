// Walks over the indices of a shape without recursion.
#pragma once

#include <cstdint>
#include <vector>

namespace tenon::evaluator {

/// An index that counts through `sizes` in row-major order, carrying a linear offset along.
///
///     for (Odometer at(sizes, strides); !at.done(); at.next()) use(at.offset());
class Odometer {
 public:
  Odometer(std::vector<std::int64_t> sizes, std::vector<std::int64_t> strides, std::int64_t offset = 0)
      : sizes_(std::move(sizes)), strides_(std::move(strides)), index_(sizes_.size(), 0), offset_(offset) {
    for (std::int64_t size : sizes_) done_ |= size == 0;
  }

  bool done() const { return done_; }
  std::int64_t offset() const { return offset_; }
  const std::vector<std::int64_t>& index() const { return index_; }
  void next() {
    for (std::size_t d = sizes_.size(); d-- > 0;) {
      offset_ += strides_[d];
      if (++index_[d] < sizes_[d]) return;
      offset_ -= strides_[d] * sizes_[d];
      index_[d] = 0;
    }
    done_ = true;
  }

 private:
  std::vector<std::int64_t> sizes_, strides_, index_;
  std::int64_t offset_;
  bool done_ = false;
};

}  // namespace tenon::evaluator
