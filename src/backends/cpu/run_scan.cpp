#include "backends/cpu/run_scan.h"

#include <algorithm>
#include <complex>
#include <cstring>

#include "math/scan_order.h"
#include "runtime/thread_pool.h"

namespace tenon::cpu {

using namespace tenon::elements;

static constexpr int64_t kColumns = 256;            // lines side by side whose totals stay in the first cache
static constexpr int64_t kChunkElements = 1 << 14;  // worth a thread's attention: some 10 us

namespace {

template <CombineOp op, class T>
struct ScanLoops {
  using C = Computed<T>;
  static C combine(C a, C b) { return combine_elements<op>(a, b); }

  static void line(const T* in, T* out, int64_t count, bool reverse, C init) {
    math::scan_in_order(
        count, reverse, init, [&](int64_t i) { return widen(in[i]); }, [&](int64_t i, C total) { out[i] = narrow<T>(total); },
        combine);
  }

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

template <CombineOp op, class T>
void scan(const ScanStep& step, void* const* buffers) {
  const auto* in = static_cast<const T*>(buffers[0]);
  auto* out = static_cast<T*>(buffers[2]);
  const auto init = widen(*static_cast<const T*>(buffers[1]));
  const auto& [outer, length, inner] = step.lines;
  if (outer * length * inner == 0) return;
  if (inner == 1) {
    runtime::parallel_for(outer, std::max<int64_t>(1, kChunkElements / length), [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o)
        ScanLoops<op, T>::line(in + o * length, out + o * length, length, step.reverse, init);
    });
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
