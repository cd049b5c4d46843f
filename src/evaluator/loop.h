// One loop over elements from one scalar function, for the instruction sets that matter here.
//
// Functions of src/math are inlined into the loop, so the loop's instruction set is theirs: with FMA
// `fma` is one instruction, without it a call that gives the same bits.
#pragma once

#include <tuple>
#include <utility>

#include "evaluator/element.h"
#include "evaluator/elementwise.h"

namespace tenon::evaluator {

#if defined(__x86_64__)
inline const bool kHasFma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#define TENON_TARGET_FMA [[gnu::target("avx2,fma")]]
#else
inline constexpr bool kHasFma = false;
#define TENON_TARGET_FMA
#endif

/// The loop of `Function::apply(A...) -> R` over stored types. Function is a type with
/// `static Computed<R> apply(const ScalarParams&, Computed<A>...)`, always inlined.
template <class Function, class R, class... A>
struct Loop {
  template <std::size_t... I>
  [[gnu::always_inline]] static inline void all(const void* const* operands, const std::int64_t* steps,
                                                void* result, std::int64_t count, const ScalarParams& params,
                                                std::index_sequence<I...>) {
    R* out = static_cast<R*>(result);
    if (((steps[I] == 1) && ...)) {
      for (std::int64_t i = 0; i < count; ++i)
        out[i] = narrow<R>(Function::apply(params, widen(static_cast<const A*>(operands[I])[i])...));
    } else {
      for (std::int64_t i = 0; i < count; ++i)
        out[i] = narrow<R>(Function::apply(params, widen(static_cast<const A*>(operands[I])[i * steps[I]])...));
    }
  }
  /// Functions with rare arguments: a stretch without one runs without the test, in vectors.
  template <std::int64_t kStretch = 64>
  [[gnu::always_inline]] static inline void by_stretches(const void* const* operands, const std::int64_t* steps,
                                                         void* result, std::int64_t count,
                                                         const ScalarParams& params) {
    using T = std::tuple_element_t<0, std::tuple<A...>>;
    const T* in = static_cast<const T*>(operands[0]);
    R* out = static_cast<R*>(result);
    std::int64_t i = 0;
    for (; steps[0] == 1 && i + kStretch <= count; i += kStretch) {
      int rare = 0;
      for (std::int64_t j = 0; j < kStretch; ++j) rare |= Function::is_rare(widen(in[i + j]));
      if (rare) {
        for (std::int64_t j = 0; j < kStretch; ++j) out[i + j] = narrow<R>(Function::apply(params, widen(in[i + j])));
      } else {
        for (std::int64_t j = 0; j < kStretch; ++j) out[i + j] = narrow<R>(Function::apply_common(widen(in[i + j])));
      }
    }
    const void* rest[] = {in + i * steps[0]};
    all(rest, steps, out + i, count - i, params, std::index_sequence_for<A...>{});
  }
  [[gnu::always_inline]] static inline void any(const void* const* operands, const std::int64_t* steps, void* result,
                                                std::int64_t count, const ScalarParams& params) {
    if constexpr (requires { Function::is_rare(std::declval<Computed<A>>()...); })
      by_stretches(operands, steps, result, count, params);
    else
      all(operands, steps, result, count, params, std::index_sequence_for<A...>{});
  }
  static void baseline(const void* const* operands, const std::int64_t* steps, void* result, std::int64_t count,
                       const ScalarParams& params) {
    any(operands, steps, result, count, params);
  }
  TENON_TARGET_FMA static void fma(const void* const* operands, const std::int64_t* steps, void* result,
                                   std::int64_t count, const ScalarParams& params) {
    any(operands, steps, result, count, params);
  }
};

/// The stored type of what `Function` gives for operands A...: T itself where T was computed with.
template <class Function, class T, class... A>
struct ResultOf {
  using Value = decltype(Function::apply(std::declval<const ScalarParams&>(), std::declval<Computed<A>>()...));
  using Type = std::conditional_t<std::is_same_v<Value, Computed<T>>, T, Value>;
};

template <class Function, class R, class... A>
ElementwiseLoop make_loop() {
  if constexpr ((is_float<Computed<A>> || ...)) {
    if (kHasFma) return Loop<Function, R, A...>::fma;
  }
  return Loop<Function, R, A...>::baseline;
}

/// The loop of Function on operands of types A...; nullptr when it has no overload for them.
template <class Function, class T, class... A>
ElementwiseLoop loop_if_defined() {
  if constexpr (requires(const ScalarParams& params) { Function::apply(params, std::declval<Computed<A>>()...); }) {
    return make_loop<Function, typename ResultOf<Function, T, A...>::Type, A...>();
  } else {
    return nullptr;
  }
}

// find_loop by number of operands; each in a file of its own, because they take long to compile.
ElementwiseLoop find_unary_loop(ScalarOp op, DType operand);
ElementwiseLoop find_transcendental_loop(ScalarOp op, DType operand);
ElementwiseLoop find_binary_loop(ScalarOp op, DType operand, const ScalarParams& params);
ElementwiseLoop find_ternary_loop(ScalarOp op, DType operand);

}  // namespace tenon::evaluator
