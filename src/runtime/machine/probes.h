// The probes as templates over the vector width; included by one source file for each instruction set. Everything is in
// an unnamed namespace: see gemm/kernel_table.h.
#pragma once

#include "runtime/machine/probe_table.h"

namespace tenon::runtime {
namespace {

template <class T, int kBytes>
struct Probe {
  typedef T Vec __attribute__((vector_size(kBytes), may_alias));
  static constexpr int kLanes = kBytes / sizeof(T);
  static constexpr int kSums = kBytes == 64 ? 24 : 12;  // a multiply-add takes 4 cycles, and two begin in each
  static constexpr int64_t kFlops = 2 * kSums * kLanes;

  static Vec splat(T x) { return x - Vec{}; }
  static Vec multiply_add(Vec a, Vec b, Vec c) {
#if defined(__FMA__) || defined(__aarch64__)
    return __builtin_elementwise_fma(a, b, c);
#else
    return a * b + c;
#endif
  }

  static void multiply_adds(int64_t rounds, T* numbers) {
    const Vec factor = splat(numbers[0]), term = splat(numbers[1]);
    Vec sums[kSums];
    for (int i = 0; i < kSums; ++i) sums[i] = splat(static_cast<T>(i));
    for (int64_t round = 0; round < rounds; ++round) {
      for (int i = 0; i < kSums; ++i) sums[i] = multiply_add(sums[i], factor, term);
    }
    for (int i = 1; i < kSums; ++i) sums[0] += sums[i];
    for (int i = 0; i < kLanes; ++i) numbers[i] += sums[0][i] * 0;
  }

  static Vec load(const T* p) { return *reinterpret_cast<const Vec*>(p); }
  static void add(const T* a, const T* b, T* c, int64_t count) {
    for (int64_t i = 0; i < count; i += 4 * kLanes) {
      for (int k = 0; k < 4; ++k) *reinterpret_cast<Vec*>(c + i + k * kLanes) = load(a + i + k * kLanes) + load(b + i + k * kLanes);
    }
  }
  static void add_around_caches(const T* a, const T* b, T* c, int64_t count) {
    for (int64_t i = 0; i < count; i += 4 * kLanes) {
      for (int k = 0; k < 4; ++k)
        __builtin_nontemporal_store(load(a + i + k * kLanes) + load(b + i + k * kLanes), reinterpret_cast<Vec*>(c + i + k * kLanes));
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);  // such stores are not in order
  }
};

template <int kBytes>
constexpr MachineProbes probes() {
  using F32 = Probe<float, kBytes>;
  using F64 = Probe<double, kBytes>;
  return {F32::kFlops, F64::kFlops, F32::multiply_adds, F64::multiply_adds, F32::add, F32::add_around_caches};
}

}  // namespace
}  // namespace tenon::runtime
