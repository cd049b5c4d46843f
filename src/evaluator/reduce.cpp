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

template <class Function, class T>
class Reduce : public Kernel {
  using C = Computed<T>;
  static constexpr ScalarParams kNoParams{};
  static C combine(C a, C b) { return Function::apply(kNoParams, a, b); }

 public:
  Reduce(const Shape& shape, const Dims& dimensions) : split_(shape, dimensions) {}

  void run(const void* const* operands, void* const* results) const override {
    const T* in = static_cast<const T*>(operands[0]);
    const C init = widen(*static_cast<const T*>(operands[1]));
    T* out = static_cast<T*>(results[0]);
    if (split_.order.is_row)
      rows(in, init, out);
    else
      columns(in, init, out);
  }

 private:
  /// A result at a time; its runs are contiguous.
  void rows(const T* in, C init, T* out) const {
    const math::ReductionOrder& order = split_.order;
    // Offsets of the runs: the reduced dimensions left of the last run.
    Dims sizes = split_.reduced_sizes, strides = split_.reduced_strides;
    for (std::int64_t run = 1; !sizes.empty() && run < order.run;) {
      run *= sizes.back();
      sizes.pop_back();
      strides.pop_back();
    }
    const Dims runs = order.count() == 0 ? Dims{} : all_offsets(sizes, strides);
    for (Odometer at(split_.kept_sizes, split_.kept_strides); !at.done(); at.next()) {
      math::PairwiseTree<C> tree;
      for (std::int64_t c = 0; c < order.chunks; ++c) {
        const math::ReductionChunk chunk = math::reduction_chunk(order, c);
        C lanes[math::kLanes];
        std::ranges::fill(lanes, identity<Function, C>());
        for (std::int64_t r = 0; r < chunk.runs; ++r) {
          const T* first = in + at.offset() + runs[static_cast<std::size_t>(chunk.first_run + r)] + chunk.begin;
          const std::int64_t count = chunk.end - chunk.begin;
          std::int64_t i = 0;
          for (; i + math::kLanes <= count; i += math::kLanes)
            for (int l = 0; l < math::kLanes; ++l) lanes[l] = combine(lanes[l], widen(first[i + l]));
          for (int l = 0; i + l < count; ++l) lanes[l] = combine(lanes[l], widen(first[i + l]));
        }
        math::combine_lanes(lanes, combine);
        tree.push(lanes[0], combine);
      }
      *out++ = narrow<T>(order.chunks == 0 ? init : combine(init, tree.total(combine)));
    }
  }

  /// A stretch of neighbouring results at a time: the kept dimensions right of the last reduced one.
  void columns(const T* in, C init, T* out) const {
    const math::ReductionOrder& order = split_.order;
    Dims sizes = split_.kept_sizes, strides = split_.kept_strides;
    std::int64_t width = 1;
    while (!sizes.empty() && strides.back() == width) {
      width *= sizes.back();
      sizes.pop_back();
      strides.pop_back();
      if (width == 0) return;
    }
    const Dims rows = order.count() == 0 ? Dims{} : all_offsets(split_.reduced_sizes, split_.reduced_strides);
    constexpr std::int64_t stretch = 256;  // columns at once: the accumulators stay in the first cache
    for (Odometer at(sizes, strides); !at.done(); at.next(), out += width) {
      for (std::int64_t first = 0; first < width; first += stretch) {
        const std::int64_t count = std::min(stretch, width - first);
        C total[stretch];
        std::fill_n(total, count, init);
        if (order.chunks > 0) sum_columns(in + at.offset() + first, rows, count, total);
        for (std::int64_t k = 0; k < count; ++k) out[first + k] = narrow<T>(total[k]);
      }
    }
  }

  void sum_columns(const T* in, const Dims& rows, std::int64_t count, C* total) const {
    // The pairwise tree of math::PairwiseTree, whose values are stretches of columns.
    std::vector<std::unique_ptr<C[]>> stack;
    const auto combine_into = [count](C* left, const C* right) {
      for (std::int64_t k = 0; k < count; ++k) left[k] = combine(left[k], right[k]);
    };
    for (std::int64_t c = 0; c < split_.order.chunks; ++c) {
      const math::ReductionChunk chunk = math::reduction_chunk(split_.order, c);
      auto sums = std::make_unique<C[]>(static_cast<std::size_t>(count));
      C* s = sums.get();
      std::fill_n(s, count, identity<Function, C>());
      for (std::int64_t r = 0; r < chunk.runs; ++r) {
        const T* row = in + rows[static_cast<std::size_t>(chunk.first_run + r)];
        for (std::int64_t k = 0; k < count; ++k) s[k] = combine(s[k], widen(row[k]));
      }
      for (std::int64_t n = c; n & 1; n >>= 1) {
        combine_into(stack.back().get(), sums.get());
        sums = std::move(stack.back());
        stack.pop_back();
      }
      stack.push_back(std::move(sums));
    }
    while (stack.size() > 1) {
      combine_into(stack[stack.size() - 2].get(), stack.back().get());
      stack.pop_back();
    }
    combine_into(total, stack[0].get());
  }

  Split split_;
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

template <class Function>
KernelRef make_reduce(const Aval& operand, const Dims& dimensions) {
  return with_element_type(operand.dtype, [&]<class T>() -> KernelRef {
    using C = Computed<T>;
    constexpr bool ordered = std::is_same_v<Function, Maximum> || std::is_same_v<Function, Minimum>;
    if constexpr (is_complex<T> && ordered) return nullptr;
    else if constexpr (requires(const ScalarParams& p, C c) { Function::apply(p, c, c); })
      return std::make_shared<Reduce<Function, T>>(operand.shape, dimensions);
    else return nullptr;
  });
}

}  // namespace

KernelRef reduce_kernel(ScalarOp op, const Aval& operand, const Dims& dimensions) {
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
