#include "backends/cpu/run_scan.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <utility>

#include "math/scan_order.h"
#include "runtime/thread_pool.h"

namespace tenon::cpu {

using namespace tenon::elements;

static constexpr int64_t kColumns = 256;            // lines side by side whose totals stay in the first cache
static constexpr int64_t kChunkElements = 1 << 14;  // worth a thread's attention: some 10 us
static constexpr int64_t kLongLine = 1 << 17;       // shared by threads

namespace {

template <CombineOp op, class T>
struct ScanLoops {
  using C = Computed<T>;
  static C combine(C a, C b) { return combine_elements<op>(a, b); }

  // In a line each addition waits for the one before, so kSide chunks are summed side by side; the carries join
  // afterwards, in order.
  static constexpr int64_t kSide = 8, kGroup = kSide * math::kScanChunk;

  template <bool kReverse>
  struct Line {
    const T* in;
    T* out;
    int64_t count;

    int64_t index(int64_t p) const { return kReverse ? count - 1 - p : p; }
    static C join(C before, C after) { return kReverse ? combine(after, before) : combine(before, after); }

    /// The local totals of kSide whole chunks from place `first` on; of each element where `each` has room, else of the chunks.
    template <bool kEach>
    void locals(int64_t first, C* each, C (&total)[kSide]) const {
      for (int64_t p = 0; p < math::kScanChunk; ++p) {
#pragma clang loop unroll(full) vectorize(disable)  // chains in registers, not gathers
        for (int64_t w = 0; w < kSide; ++w) {
          const C element = widen(in[index(first + w * math::kScanChunk + p)]);
          total[w] = p == 0 ? element : join(total[w], element);
          if constexpr (kEach) each[w * math::kScanChunk + p] = total[w];
        }
      }
    }
    /// Results of a group, behind carries: `carry(w, total)` gives the one of its chunk w, whose local total is told.
    template <class Carry>
    void group(int64_t first, Carry&& carry) const {
      C each[kGroup], total[kSide];
      locals<true>(first, each, total);
      for (int64_t w = 0; w < kSide; ++w) {
        const C before = carry(w, total[w]);
        for (int64_t p = w * math::kScanChunk; p < (w + 1) * math::kScanChunk; ++p) out[index(first + p)] = narrow<T>(join(before, each[p]));
      }
    }
    /// From place `first` on, the begin of a chunk, behind `carry`.
    void rest(int64_t first, C carry) const {
      const int64_t begin = kReverse ? 0 : first;
      math::scan_in_order(
          count - first, kReverse, carry, [&](int64_t i) { return widen(in[begin + i]); },
          [&](int64_t i, C total) { out[begin + i] = narrow<T>(total); }, combine);
    }

    void scan(C carry) const {
      const int64_t groups = count / kGroup;
      for (int64_t g = 0; g < groups; ++g) {
        group(g * kGroup, [&](int64_t, C total) { return std::exchange(carry, join(carry, total)); });
      }
      rest(groups * kGroup, carry);
    }

    /// On several threads, not in place: totals of all chunks, carries in order, results. What is of a chunk waits where
    /// its first result will stand.
    void scan_parallel(C carry) const {
      static_assert(std::is_same_v<T, C>);
      const int64_t groups = count / kGroup;
      const auto place = [&](int64_t g, int64_t w) -> T& { return out[index(g * kGroup + w * math::kScanChunk)]; };
      const auto for_each_group = [&](auto&& visit) {
        runtime::parallel_for(groups, kChunkElements / kGroup, [&](int64_t begin, int64_t end) {
          for (int64_t g = begin; g < end; ++g) visit(g);
        });
      };
      for_each_group([&](int64_t g) {
        C total[kSide];
        locals<false>(g * kGroup, nullptr, total);
        for (int64_t w = 0; w < kSide; ++w) place(g, w) = total[w];
      });
      for (int64_t g = 0; g < groups; ++g)
        for (int64_t w = 0; w < kSide; ++w) {
          const C total = std::exchange(place(g, w), carry);
          carry = join(carry, total);
        }
      for_each_group([&](int64_t g) {
        C before[kSide];
        for (int64_t w = 0; w < kSide; ++w) before[w] = place(g, w);
        group(g * kGroup, [&](int64_t w, C) { return before[w]; });
      });
      rest(groups * kGroup, carry);
    }
  };

  /// `width` neighbouring lines with their elements `stride` apart: the order of scan_in_order in each.
  template <bool kReverse>
  static void columns(const T* in, T* out, int64_t count, int64_t stride, int64_t width, C init) {
    C carry[kColumns], local[kColumns], total[kColumns];
    std::fill_n(carry, width, init);
    for (int64_t p = 0; p < count; ++p) {
      const int64_t row = (kReverse ? count - 1 - p : p) * stride;
      const bool is_first = p % math::kScanChunk == 0;
      if (is_first && p > 0) std::copy_n(total, width, carry);
      for (int64_t k = 0; k < width; ++k) {
        const C element = widen(in[row + k]);
        local[k] = is_first ? element : kReverse ? combine(element, local[k]) : combine(local[k], element);
        total[k] = kReverse ? combine(local[k], carry[k]) : combine(carry[k], local[k]);
        out[row + k] = narrow<T>(total[k]);
      }
    }
  }
};

template <CombineOp op, class T, bool kReverse>
void lines(const T* in, T* out, int64_t outer, int64_t length, Computed<T> init, bool is_shared) {
  const auto line = [&](int64_t o) { return typename ScanLoops<op, T>::template Line<kReverse>{in + o * length, out + o * length, length}; };
  if constexpr (std::is_same_v<T, Computed<T>>) {
    if (is_shared) {
      for (int64_t o = 0; o < outer; ++o) line(o).scan_parallel(init);
      return;
    }
  }
  runtime::parallel_for(outer, std::max<int64_t>(1, kChunkElements / length), [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) line(o).scan(init);
  });
}

template <CombineOp op, class T>
void scan(const ScanStep& step, void* const* buffers) {
  const auto* in = static_cast<const T*>(buffers[0]);
  auto* out = static_cast<T*>(buffers[2]);
  const auto init = widen(*static_cast<const T*>(buffers[1]));
  const auto& [outer, length, inner] = step.lines;
  if (outer * length * inner == 0) return;
  if (inner == 1) {
    const bool is_apart = in + outer * length <= out || out + outer * length <= in;
    const int threads = runtime::ThreadPool::get().size();
    const bool is_shared = std::is_same_v<T, Computed<T>> && outer < threads && length >= kLongLine && is_apart;
    step.reverse ? lines<op, T, true>(in, out, outer, length, init, is_shared) : lines<op, T, false>(in, out, outer, length, init, is_shared);
    return;
  }
  const int64_t blocks = (inner + kColumns - 1) / kColumns;
  const int64_t grain = std::max<int64_t>(1, kChunkElements / (length * std::min(inner, kColumns)));
  runtime::parallel_for(outer * blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t first = unit % blocks * kColumns, width = std::min(kColumns, inner - first);
      const int64_t at = unit / blocks * length * inner + first;
      const auto columns = step.reverse ? ScanLoops<op, T>::template columns<true> : ScanLoops<op, T>::template columns<false>;
      columns(in + at, out + at, length, inner, width, init);
    }
  });
}

void scan_with(const ScanStep& step, ScalarFunction body, void* const* buffers) {
  using Any = std::complex<double>;  // room for an element of any type
  const int64_t itemsize = step.type.itemsize();
  const auto size = static_cast<size_t>(itemsize);
  Any init;
  std::memcpy(&init, buffers[1], size);
  const auto& [outer, length, inner] = step.lines;
  runtime::parallel_for(outer * inner, std::max<int64_t>(1, 256 / std::max<int64_t>(1, length)), [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      const int64_t at = (line / inner * length * inner + line % inner) * itemsize, stride = inner * itemsize;
      const char* in = static_cast<const char*>(buffers[0]) + at;
      char* out = static_cast<char*>(buffers[2]) + at;
      const auto load = [&](int64_t i) {
        Any element;
        std::memcpy(&element, in + i * stride, size);
        return element;
      };
      const auto store = [&](int64_t i, const Any& total) { std::memcpy(out + i * stride, &total, size); };
      const auto combine = [&](Any a, Any b) {
        Any result;
        void* arguments[] = {&a, &b, &result};
        body(arguments);
        return result;
      };
      math::scan_in_order(length, step.reverse, init, load, store, combine);
    }
  });
}

}  // namespace

void run_scan(const ScanStep& step, ScalarFunction body, void* const* buffers) {
  if (step.op == CombineOp::general) return scan_with(step, body, buffers);
  with_combine_op(step.op, [&]<CombineOp op>() {
    if constexpr (op == CombineOp::add || op == CombineOp::multiply || op == CombineOp::maximum || op == CombineOp::minimum)
      with_element_type(step.type, [&]<class T>() { scan<op, T>(step, buffers); });
  });
}

}  // namespace tenon::cpu
