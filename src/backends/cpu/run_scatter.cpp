#include "backends/cpu/run_scatter.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <utility>

namespace tenon::cpu {

using namespace tenon::elements;

namespace {

/// A window of updates that has a place: offsets of its first element, in elements.
struct Target {
  int64_t to, from;
};
constexpr int64_t kBlock = 256;  // targets found at once

/// Walks over all indices of `sizes`, row-major, with offsets along several lists of strides.
class Walk {
 public:
  Walk(const Dims& sizes, std::initializer_list<const Dims*> strides) : sizes_(sizes), index_(sizes.size()), strides_(strides) {
    count_ = element_count(sizes);
  }
  bool done() const { return at_ >= count_; }
  int64_t offset(size_t list) const { return offsets_[list]; }
  void next() {
    ++at_;
    for (size_t d = sizes_.size(); d-- > 0;) {
      const bool wraps = ++index_[d] == sizes_[d];
      for (size_t s = 0; s < strides_.size(); ++s)
        offsets_[s] += (*strides_[s])[d] * (wraps ? 1 - sizes_[d] : 1);
      if (!wraps) return;
      index_[d] = 0;
    }
  }

 private:
  const Dims& sizes_;
  Dims index_;
  std::vector<const Dims*> strides_;
  int64_t offsets_[3] = {};
  int64_t at_ = 0, count_;
};

/// Finds targets from index vectors of one integer type.
template <class I>
class Targets {
 public:
  Targets(const ScatterStep& step, const void* indices)
      : step_(step), indices_(static_cast<const I*>(indices)), outer_(step.vectors), vector_strides_(step.vector_strides),
        update_strides_(step.update_strides), batch_strides_(step.batch_strides), run_(take_last(outer_)), vector_step_(take_last(vector_strides_)),
        update_step_(take_last(update_strides_)), batch_step_(take_last(batch_strides_)),
        walk_(outer_, {&vector_strides_, &update_strides_, &batch_strides_}) {
    const Dims strides = dense_strides(step.shape);
    for (int64_t d : step.entry_dims) {
      highest_.push_back(step.shape[d] - step.extents[d]);
      strides_.push_back(strides[d]);
    }
  }
  /// The next targets; 0 at the end only.
  int64_t next(Target (&block)[kBlock]) {
    int64_t count = 0;
    while (count < kBlock && !walk_.done()) {
      const int64_t last = std::min(run_, at_ + kBlock - count);
      count += highest_.empty() ? find_same(last, block + count) : highest_.size() == 1 ? find<1>(last, block + count) : find<0>(last, block + count);
      if (at_ < run_) continue;
      at_ = 0;
      walk_.next();
    }
    return count;
  }

 private:
  /// Targets of the vectors before `last` of this run. kEntries: of a vector; 0: whatever there are.
  template <size_t kEntries>
  int64_t find(int64_t last, Target* out) {
    const size_t entries = kEntries > 0 ? kEntries : highest_.size();
    const int64_t *highest = highest_.data(), *strides = strides_.data();
    const int64_t entry_stride = step_.entry_stride, vector_step = vector_step_, batch_step = batch_step_, update_step = update_step_;
    const I* vector = indices_ + walk_.offset(0) + at_ * vector_step;
    int64_t to = walk_.offset(2) + at_ * batch_step, from = walk_.offset(1) + at_ * update_step, count = 0;
    const auto first_highest = static_cast<uint64_t>(highest[0]), first_stride = static_cast<uint64_t>(strides[0]);
    const int64_t vectors = last - std::exchange(at_, last);
    for (int64_t n = 0; n < vectors; ++n, vector += vector_step, to += batch_step, from += update_step) {
      const auto first = static_cast<uint64_t>(vector[0]);  // a negative one is large
      uint64_t offset = first * first_stride;               // of an index out of bounds it may wrap
      bool inside = first <= first_highest;
      for (size_t i = 1; i < entries; ++i) {
        const auto index = static_cast<uint64_t>(vector[static_cast<int64_t>(i) * entry_stride]);
        inside &= index <= static_cast<uint64_t>(highest[i]);
        offset += index * static_cast<uint64_t>(strides[i]);
      }
      out[count] = {static_cast<int64_t>(static_cast<uint64_t>(to) + offset), from};
      count += inside;
    }
    return count;
  }
  /// Vectors without entries: the batch says it all.
  int64_t find_same(int64_t last, Target* out) {
    int64_t count = 0;
    for (; at_ < last; ++at_) out[count++] = {walk_.offset(2) + at_ * batch_step_, walk_.offset(1) + at_ * update_step_};
    return count;
  }
  /// The last axis is walked in a plain loop; a single vector is an axis of one.
  static int64_t take_last(Dims& list) {
    if (list.empty()) return 1;
    const int64_t last = list.back();
    list.pop_back();
    return last;
  }

  const ScatterStep& step_;
  const I* indices_;
  Dims outer_, vector_strides_, update_strides_, batch_strides_;
  int64_t run_, vector_step_, update_step_, batch_step_, at_ = 0;
  Walk walk_;
  Dims highest_, strides_;
};

/// What remains of windows when contiguous rows are taken out.
struct Rows {
  int64_t length = 1;
  Dims sizes, strides, update_strides;

  explicit Rows(const ScatterStep& step) : sizes(step.window), strides(step.window_strides), update_strides(step.window_update_strides) {
    while (!sizes.empty() && (sizes.back() == 1 || (strides.back() == length && update_strides.back() == length))) {
      length *= sizes.back();
      sizes.pop_back();
      strides.pop_back();
      update_strides.pop_back();
    }
  }
};

template <CombineOp op, class T>
void apply(const Rows& rows, const Target* targets, int64_t count, T* out, const T* updates) {
  const auto at = [](T* to, T update) { *to = narrow<T>(combine_elements<op>(widen(*to), widen(update))); };
  if (rows.sizes.empty() && rows.length == 1) {
    for (int64_t k = 0; k < count; ++k) at(out + targets[k].to, updates[targets[k].from]);
    return;
  }
  for (int64_t k = 0; k < count; ++k)
    for (Walk walk(rows.sizes, {&rows.strides, &rows.update_strides}); !walk.done(); walk.next()) {
      T* to = out + targets[k].to + walk.offset(0);
      const T* from = updates + targets[k].from + walk.offset(1);
      for (int64_t i = 0; i < rows.length; ++i) at(to + i, from[i]);
    }
}

void apply_general(const ScatterStep& step, const Rows& rows, ScalarFunction body, const Target* targets, int64_t count,
                   void* const* updates, void* const* results) {
  const size_t inputs = step.types.size();
  std::vector<std::complex<double>> fresh(inputs);  // room for an element of any type
  std::vector<void*> arguments(3 * inputs);
  for (size_t i = 0; i < inputs; ++i) arguments[2 * inputs + i] = &fresh[i];
  for (int64_t k = 0; k < count; ++k)
    for (Walk walk(rows.sizes, {&rows.strides, &rows.update_strides}); !walk.done(); walk.next())
      for (int64_t n = 0; n < rows.length; ++n) {
        for (size_t i = 0; i < inputs; ++i) {
          const int64_t itemsize = step.types[i].itemsize();
          arguments[i] = static_cast<char*>(results[i]) + (targets[k].to + walk.offset(0) + n) * itemsize;
          arguments[inputs + i] = static_cast<char*>(updates[i]) + (targets[k].from + walk.offset(1) + n) * itemsize;
        }
        body(arguments.data());
        for (size_t i = 0; i < inputs; ++i) std::memcpy(arguments[i], &fresh[i], static_cast<size_t>(step.types[i].itemsize()));
      }
}

using Apply = void (*)(const Rows&, const Target*, int64_t, void*, const void*);

template <CombineOp op, class T>
Apply apply_of() {
  return [](const Rows& rows, const Target* targets, int64_t count, void* out, const void* updates) {
    apply<op, T>(rows, targets, count, static_cast<T*>(out), static_cast<const T*>(updates));
  };
}

Apply find_apply(CombineOp op, DType type) {
  if (op == CombineOp::assign) {  // by size
    switch (type.itemsize()) {
      case 1: return apply_of<CombineOp::assign, uint8_t>();
      case 2: return apply_of<CombineOp::assign, uint16_t>();
      case 4: return apply_of<CombineOp::assign, uint32_t>();
      case 8: return apply_of<CombineOp::assign, uint64_t>();
      default: return apply_of<CombineOp::assign, Complex128>();
    }
  }
  return with_combine_op(op, [&]<CombineOp known>() -> Apply {
    if constexpr (known == CombineOp::assign) return nullptr;
    else
      return with_element_type(type, []<class T>() -> Apply {
        if constexpr (has_combine<known, Computed<T>>()) return apply_of<known, T>();
        else return nullptr;
      });
  });
}

template <class I>
void scatter(const ScatterStep& step, ScalarFunction body, void* const* buffers) {
  const size_t inputs = step.types.size();
  void* const* updates = buffers + inputs + 1;
  void* const* results = updates + inputs;
  const Rows rows(step);
  const Apply apply_known = step.op == CombineOp::general ? nullptr : find_apply(step.op, step.types[0]);
  Targets<I> targets(step, buffers[inputs]);
  Target block[kBlock];
  while (const int64_t count = targets.next(block)) {
    if (apply_known) apply_known(rows, block, count, results[0], updates[0]);
    else apply_general(step, rows, body, block, count, updates, results);
  }
}

}  // namespace

void run_scatter(const ScatterStep& step, ScalarFunction body, void* const* buffers) {
  const size_t inputs = step.types.size();
  const int64_t count = element_count(step.shape);
  for (size_t i = 0; i < inputs; ++i) {
    void* result = buffers[2 * inputs + 1 + i];
    if (result != buffers[i]) std::memcpy(result, buffers[i], static_cast<size_t>(count * step.types[i].itemsize()));
  }
  if (count == 0 || element_count(step.vectors) == 0 || element_count(step.window) == 0) return;
  with_element_type(step.index_type, [&]<class I>() {
    if constexpr (is_integer<I>) scatter<I>(step, body, buffers);
  });
}

}  // namespace tenon::cpu
