// Reductions: by a monoid in the canonical order (math/reduction_order.h), by any body in sequence.
#include <algorithm>
#include <cstring>
#include <limits>

#include "evaluator/element.h"
#include "evaluator/index_space.h"
#include "evaluator/kernels.h"
#include "evaluator/scalar_functions.h"
#include "math/reduction_order.h"

namespace tenon::evaluator {
namespace {

/// The dimensions of an operand, kept and reduced ones apart, with their strides.
struct Split {
  Dims kept_sizes, kept_strides, reduced_sizes, reduced_strides;
  math::ReductionOrder order;

  Split(const Shape& shape, const Dims& dimensions) {
    const Dims strides = row_major_strides(shape);
    const auto is_reduced = std::make_unique<bool[]>(shape.size());
    for (std::int64_t d : dimensions) is_reduced[static_cast<std::size_t>(d)] = true;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      (is_reduced[d] ? reduced_sizes : kept_sizes).push_back(shape[d]);
      (is_reduced[d] ? reduced_strides : kept_strides).push_back(strides[d]);
    }
    order = math::reduction_order(shape.dims(), {is_reduced.get(), shape.size()});
  }
};

Dims all_offsets(Dims sizes, Dims strides) {
  Dims offsets;
  for (Odometer at(std::move(sizes), std::move(strides)); !at.done(); at.next()) offsets.push_back(at.offset());
  return offsets;
}

/// A true identity: combining it changes nothing, not even -0 or NaN.
template <class Function, class T>
constexpr T identity() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<Function, Add>) return is_float<T> ? T(-0.0) : T(0);
  else if constexpr (is_complex<T>) return std::is_same_v<Function, Multiply> ? T(1) : T(0);
  else if constexpr (std::is_same_v<Function, Multiply>) return T(1);
  else if constexpr (std::is_same_v<Function, Maximum>) return is_float<T> ? -Limits::infinity() : Limits::lowest();
  else if constexpr (std::is_same_v<Function, Minimum>) return is_float<T> ? Limits::infinity() : Limits::max();
  else if constexpr (std::is_same_v<Function, And>) return std::is_same_v<T, bool> ? T(1) : static_cast<T>(-1);
  else return T(0);  // or, xor
}
template <>
constexpr Complex64 identity<Add, Complex64>() { return {-0.0f, -0.0f}; }
template <>
constexpr Complex128 identity<Add, Complex128>() { return {-0.0, -0.0}; }

/// The loops of one monoid on one type.
struct ReduceLoops {
  /// One result: its runs begin at `runs[r]` elements from `in` and are contiguous.
  void (*row)(const void* in, const std::int64_t* runs, const math::ReductionOrder& order, const void* init, void* out);
  /// `count` neighbouring results: row r of the operand begins at `rows[r]`.
  void (*columns)(const void* in, const std::int64_t* rows, const math::ReductionOrder& order, std::int64_t count,
                  const void* init, void* out);
};

constexpr std::int64_t kStretch = 256;  // columns at once: the accumulators stay in the first cache

template <class Function, class T>
struct LoopsOf {
  using C = Computed<T>;
  static constexpr ScalarParams kNoParams{};
  [[gnu::always_inline]] static inline C combine(C a, C b) { return Function::apply(kNoParams, a, b); }

  static void row(const void* data, const std::int64_t* runs, const math::ReductionOrder& order, const void* init,
                  void* out) {
    math::PairwiseTree<C> tree;
    for (std::int64_t c = 0; c < order.chunks; ++c) {
      const math::ReductionChunk chunk = math::reduction_chunk(order, c);
      C lanes[math::kLanes];
      std::fill_n(lanes, math::kLanes, identity<Function, C>());
      for (std::int64_t r = 0; r < chunk.runs; ++r) {
        const T* in = static_cast<const T*>(data) + runs[chunk.first_run + r] + chunk.begin;
        const std::int64_t count = chunk.end - chunk.begin;
        std::int64_t i = 0;
        for (; i + math::kLanes <= count; i += math::kLanes)
          for (int l = 0; l < math::kLanes; ++l) lanes[l] = combine(lanes[l], widen(in[i + l]));
        for (int l = 0; i + l < count; ++l) lanes[l] = combine(lanes[l], widen(in[i + l]));
      }
      math::combine_lanes(lanes, combine);
      tree.push(lanes[0], combine);
    }
    const C first = widen(*static_cast<const T*>(init));
    *static_cast<T*>(out) = narrow<T>(order.chunks == 0 ? first : combine(first, tree.total(combine)));
  }

  static void combine_into(C* left, const C* right, std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k) left[k] = combine(left[k], right[k]);
  }
  /// The tree of math::PairwiseTree, whose values are stretches of columns.
  static void columns(const void* data, const std::int64_t* rows, const math::ReductionOrder& order,
                      std::int64_t count, const void* init, void* out) {
    const auto stack = std::make_unique_for_overwrite<C[]>(64 * kStretch);
    int depth = 0;
    for (std::int64_t c = 0; c < order.chunks; ++c) {
      const math::ReductionChunk chunk = math::reduction_chunk(order, c);
      C* sums = stack.get() + depth++ * kStretch;
      std::fill_n(sums, count, identity<Function, C>());
      for (std::int64_t r = 0; r < chunk.runs; ++r) {
        const T* in = static_cast<const T*>(data) + rows[chunk.first_run + r];
        for (std::int64_t k = 0; k < count; ++k) sums[k] = combine(sums[k], widen(in[k]));
      }
      for (std::int64_t n = c; n & 1; n >>= 1, --depth, sums -= kStretch) combine_into(sums - kStretch, sums, count);
    }
    for (; depth > 1; --depth)
      combine_into(stack.get() + (depth - 2) * kStretch, stack.get() + (depth - 1) * kStretch, count);
    const C first = widen(*static_cast<const T*>(init));
    for (std::int64_t k = 0; k < count; ++k)
      static_cast<T*>(out)[k] = narrow<T>(depth == 0 ? first : combine(first, stack[k]));
  }

  static constexpr ReduceLoops kLoops{row, columns};
};

class Reduce : public Kernel {
 public:
  Reduce(const ReduceLoops& loops, int itemsize, const Shape& shape, const Dims& dimensions)
      : loops_(loops), itemsize_(itemsize), split_(shape, dimensions) {
    Dims sizes = split_.reduced_sizes, strides = split_.reduced_strides;
    if (split_.order.is_row) {  // the last run's dimensions are walked inside
      for (std::int64_t run = 1; !sizes.empty() && run < split_.order.run;) {
        run *= sizes.back();
        sizes.pop_back();
        strides.pop_back();
      }
    }
    // Without results there is nothing to reduce, however much there is of it.
    const bool has_results = std::ranges::find(split_.kept_sizes, 0) == split_.kept_sizes.end();
    if (split_.order.count() > 0 && has_results) parts_ = all_offsets(sizes, strides);
    sizes = split_.kept_sizes, strides = split_.kept_strides;
    while (!split_.order.is_row && !sizes.empty() && strides.back() == width_ && width_ > 0) {
      width_ *= sizes.back();
      sizes.pop_back();
      strides.pop_back();
    }
    outer_sizes_ = sizes;
    outer_strides_ = strides;
  }

  void run(const void* const* operands, void* const* results) const override {
    auto* out = static_cast<std::byte*>(results[0]);
    for (Odometer at(outer_sizes_, outer_strides_); !at.done(); at.next()) {
      const auto* in = static_cast<const std::byte*>(operands[0]) + at.offset() * itemsize_;
      if (split_.order.is_row) {
        loops_.row(in, parts_.data(), split_.order, operands[1], out);
        out += itemsize_;
        continue;
      }
      for (std::int64_t first = 0; first < width_; first += kStretch) {
        const std::int64_t count = std::min(kStretch, width_ - first);
        loops_.columns(in + first * itemsize_, parts_.data(), split_.order, count, operands[1], out);
        out += count * itemsize_;
      }
    }
  }

 private:
  const ReduceLoops& loops_;
  int itemsize_;
  Split split_;
  Dims parts_;                         // where runs (row order) or rows (column order) begin
  Dims outer_sizes_, outer_strides_;   // of the kept dimensions, without those that `width_` covers
  std::int64_t width_ = 1;             // column order: neighbouring results
};

/// Accumulators of a body that is called on scalars: two sets, which take turns.
class Accumulators {
 public:
  Accumulators(const Avals& inputs, const Program& body) : inputs_(inputs), body_(body) {
    for (auto& side : sides_) side.resize(inputs.size());
    arguments_.resize(2 * inputs.size());
    outputs_.resize(inputs.size());
  }
  void start(const void* const* inits) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) std::memcpy(&sides_[now_][i], inits[i], itemsize(i));
  }
  /// accumulators = body(accumulators, elements at `offset`).
  void take(const void* const* inputs, std::int64_t offset) {
    const std::size_t count = inputs_.size();
    for (std::size_t i = 0; i < count; ++i) {
      arguments_[i] = &sides_[now_][i];
      arguments_[count + i] = static_cast<const std::byte*>(inputs[i]) + static_cast<std::size_t>(offset) * itemsize(i);
      outputs_[i] = &sides_[1 - now_][i];
    }
    body_.run(arguments_.data(), outputs_.data());
    now_ = 1 - now_;
  }
  void store(void* const* results, std::int64_t at) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      std::memcpy(static_cast<std::byte*>(results[i]) + static_cast<std::size_t>(at) * itemsize(i), &sides_[now_][i],
                  itemsize(i));
  }

 private:
  std::size_t itemsize(std::size_t i) const { return static_cast<std::size_t>(inputs_[i].dtype.itemsize()); }
  const Avals& inputs_;
  const Program& body_;
  std::vector<std::complex<double>> sides_[2];  // room for an element of any type
  int now_ = 0;
  std::vector<const void*> arguments_;
  std::vector<void*> outputs_;
};

class ReduceWith : public Kernel {
 public:
  ReduceWith(const Avals& inputs, const Dims& dimensions, ProgramRef body)
      : inputs_(inputs), split_(inputs[0].shape, dimensions), body_(std::move(body)) {}
  void run(const void* const* operands, void* const* results) const override {
    Accumulators accumulators(inputs_, *body_);
    std::int64_t result = 0;
    for (Odometer at(split_.kept_sizes, split_.kept_strides); !at.done(); at.next()) {
      accumulators.start(operands + inputs_.size());
      for (Odometer in(split_.reduced_sizes, split_.reduced_strides, at.offset()); !in.done(); in.next())
        accumulators.take(operands, in.offset());
      accumulators.store(results, result++);
    }
  }

 private:
  Avals inputs_;
  Split split_;
  ProgramRef body_;
};

class ReduceWindow : public Kernel {
 public:
  ReduceWindow(const Avals& inputs, const Aval& result, Window window, ProgramRef body)
      : inputs_(inputs), shape_(inputs[0].shape), result_(result.shape), window_(std::move(window)),
        strides_(row_major_strides(shape_)), body_(std::move(body)) {}
  void run(const void* const* operands, void* const* results) const override {
    Accumulators accumulators(inputs_, *body_);
    const std::size_t rank = shape_.size();
    const Dims none(rank, 0);
    std::int64_t result = 0;
    for (Odometer at(result_.dims(), none); !at.done(); at.next()) {
      accumulators.start(operands + inputs_.size());
      for (Odometer in(window_.sizes, none); !in.done(); in.next()) {
        std::int64_t offset = 0;
        bool inside = true;
        for (std::size_t d = 0; d < rank; ++d) {
          // In the operand with its base dilation; holes hold nothing.
          const std::int64_t position = at.index()[d] * window_.strides[d] +
                                        in.index()[d] * window_.window_dilations[d] - window_.padding_low[d];
          const std::int64_t element = position / window_.base_dilations[d];
          inside &= position >= 0 && position % window_.base_dilations[d] == 0 && element < shape_[d];
          offset += element * strides_[d];
        }
        if (inside) accumulators.take(operands, offset);
      }
      accumulators.store(results, result++);
    }
  }

 private:
  Avals inputs_;
  Shape shape_, result_;
  Window window_;
  Dims strides_;
  ProgramRef body_;
};

/// Where the sign does not matter, integers of one width share their code.
template <class Function, class T>
using Representative = std::conditional_t<
    is_integer<T> && !std::is_same_v<Function, Maximum> && !std::is_same_v<Function, Minimum>,
    std::conditional_t<sizeof(T) == 1, std::uint8_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                          std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>,
    T>;

template <class Function>
KernelRef make_reduce(const Aval& operand, const Dims& dimensions) {
  return with_element_type(operand.dtype, [&]<class Element>() -> KernelRef {
    using T = Representative<Function, Element>;
    using C = Computed<T>;
    constexpr bool ordered = std::is_same_v<Function, Maximum> || std::is_same_v<Function, Minimum>;
    if constexpr (is_complex<T> && ordered) return nullptr;
    else if constexpr (requires(const ScalarParams& p, C c) { Function::apply(p, c, c); })
      return std::make_shared<Reduce>(LoopsOf<Function, T>::kLoops, operand.dtype.itemsize(), operand.shape, dimensions);
    else return nullptr;
  });
}

}  // namespace

KernelRef reduce_kernel(ScalarOp op, const Aval& operand, const Dims& dimensions) {
  if (operand.dtype.is_complex() && op != ScalarOp::kAdd) return nullptr;  // in sequence, as compiled
  switch (op) {
    case ScalarOp::kAdd: return make_reduce<Add>(operand, dimensions);
    case ScalarOp::kMultiply: return make_reduce<Multiply>(operand, dimensions);
    case ScalarOp::kMaximum: return make_reduce<Maximum>(operand, dimensions);
    case ScalarOp::kMinimum: return make_reduce<Minimum>(operand, dimensions);
    case ScalarOp::kAnd: return make_reduce<And>(operand, dimensions);
    case ScalarOp::kOr: return make_reduce<Or>(operand, dimensions);
    case ScalarOp::kXor: return make_reduce<Xor>(operand, dimensions);
    default: return nullptr;
  }
}

KernelRef reduce_with_kernel(const Avals& inputs, const Dims& dimensions, ProgramRef body) {
  return std::make_shared<ReduceWith>(inputs, dimensions, std::move(body));
}
KernelRef reduce_window_kernel(const Avals& inputs, const Aval& result, Window window, ProgramRef body) {
  return std::make_shared<ReduceWindow>(inputs, result, std::move(window), std::move(body));
}

}  // namespace tenon::evaluator
