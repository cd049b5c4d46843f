#include "core/layout.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "base/fail.h"
#include "core/nodes.h"
#include "core/trace.h"
#include "tenon/host.h"

namespace tenon::detail {
namespace {

std::vector<int> order_of(const Layout& layout, int ndim) {
  std::vector<int> order = layout.major_to_minor;
  if (order.empty()) {
    order.resize(static_cast<size_t>(ndim));
    std::iota(order.begin(), order.end(), 0);
  }
  return order;
}

struct CopyAxis {
  int64_t size, from, to;  // strides in elements
};

// Elements of `Size` bytes. The last two axes are those that lie close in the copy and in the source: they are walked in
// blocks, of which both sides stay in the cache.
template <size_t Size>
void permute(const char* from, char* to, const std::vector<CopyAxis>& axes) {
  constexpr int64_t kBlock = 32, kBytes = static_cast<int64_t>(Size);
  const CopyAxis &outer = axes[axes.size() - 2], &inner = axes.back();
  std::vector<int64_t> index(axes.size() - 2, 0);
  while (true) {
    for (int64_t i = 0; i < outer.size; i += kBlock) {
      for (int64_t j = 0; j < inner.size; j += kBlock) {
        for (int64_t a = i; a < std::min(i + kBlock, outer.size); ++a)
          for (int64_t b = j; b < std::min(j + kBlock, inner.size); ++b)
            std::memcpy(to + (a * outer.to + b * inner.to) * kBytes, from + (a * outer.from + b * inner.from) * kBytes, Size);
      }
    }
    size_t k = index.size();
    while (true) {
      if (k-- == 0) return;
      from += axes[k].from * kBytes, to += axes[k].to * kBytes;
      if (++index[k] < axes[k].size) break;
      from -= axes[k].from * axes[k].size * kBytes, to -= axes[k].to * axes[k].size * kBytes;
      index[k] = 0;
    }
  }
}

}  // namespace

Layout checked_layout(const Layout& layout, const ShapedArray& aval, std::string_view who) {
  std::vector<int> sorted = layout.major_to_minor;
  std::ranges::sort(sorted);
  const bool is_order = layout.major_to_minor.empty() || sorted == order_of({}, aval.ndim());
  if (layout.is_auto) fail<ValueError>(who, "Layout.AUTO is for in_formats and out_formats of jit, which choose; name the axes here; got ", aval);
  if (!is_order) fail<ValueError>(who, "a layout names each axis of the array once; got ", layout.str(), " for ", aval);
  if (std::ranges::is_sorted(layout.major_to_minor)) return {};
  if (aval.dtype.is_prng_key()) fail<UnimplementedError>(who, "arrays of keys are row-major; got ", layout.str(), " for ", aval);
  return layout;
}

static std::vector<int64_t> strides_of(const std::vector<int>& order, const Shape& shape) {
  std::vector<int64_t> strides(order.size());
  int64_t next = 1;
  for (size_t i = order.size(); i-- > 0; next *= shape[static_cast<size_t>(order[i])]) strides[static_cast<size_t>(order[i])] = next;
  return strides;
}

BufferRef in_other_layout(const BufferRef& buffer, const ShapedArray& aval, const Layout& from, const Layout& to) {
  const std::vector<int> order = order_of(to, aval.ndim());
  const std::vector<int64_t> source = strides_of(order_of(from, aval.ndim()), aval.shape), target = strides_of(order, aval.shape);
  std::vector<CopyAxis> axes(order.size() < 2 ? 2 - order.size() : 0, CopyAxis{1, 0, 0});
  for (int axis : order) axes.push_back({aval.shape[static_cast<size_t>(axis)], source[static_cast<size_t>(axis)], target[static_cast<size_t>(axis)]});
  const auto close = std::ranges::min_element(axes.begin(), axes.end() - 1, {}, [](const CopyAxis& a) { return a.size > 1 ? a.from : INT64_MAX; });
  std::rotate(close, close + 1, axes.end() - 1);  // before the last one

  const Device device = buffer->device();
  Client& client = find_client(device.platform());
  const auto copy_to = [&](char* copy) {
    std::vector<char> staged;
    const void* data = buffer->host_data();
    if (!data) {
      staged.resize(static_cast<size_t>(aval.nbytes()));
      buffer->copy_to_host(staged.data());
      data = staged.data();
    }
    const char* elements = static_cast<const char*>(data);
    switch (aval.dtype.itemsize()) {
      case 1: return permute<1>(elements, copy, axes);
      case 2: return permute<2>(elements, copy, axes);
      case 4: return permute<4>(elements, copy, axes);
      case 8: return permute<8>(elements, copy, axes);
      case 16: return permute<16>(elements, copy, axes);
      default: fail<UnimplementedError>("layout", "elements of ", aval.dtype.itemsize(), " bytes are not moved; got ", aval);
    }
  };
  BufferRef result = client.allocate(aval.nbytes(), device.id());
  if (aval.nbytes() == 0) return result;
  if (const void* memory = result->host_data()) {
    copy_to(static_cast<char*>(const_cast<void*>(memory)));
    return result;
  }
  std::vector<char> copy(static_cast<size_t>(aval.nbytes()));
  copy_to(copy.data());
  return client.copy_from_host(copy.data(), aval.nbytes(), device.id());
}

BufferRef buffer_of(const Array& array, const Layout& layout, const char* who) {
  if (layout.major_to_minor.empty()) return buffer_of(array, who);
  const ArrayNode& node = array.node(who);
  if (node.kind() == ArrayNode::Kind::concrete) {
    const auto& concrete = static_cast<const ConcreteNode&>(node);
    if (concrete.layout() == layout && !concrete.buffer->is_deleted()) return concrete.buffer;
  }
  return in_other_layout(buffer_of(array, who), node.aval(), {}, layout);
}

}  // namespace tenon::detail

namespace tenon {

Array device_put(const Array& array, const Format& format) {
  if (array.is_tracer()) fail<TypeError>("device_put", "the program decides layouts inside of a trace; got a traced ", array.aval());
  const Layout layout = detail::checked_layout(format.layout, array.aval(), "device_put");
  const detail::ArrayNode& node = array.node("device_put");
  BufferRef buffer;
  if (node.kind() == detail::ArrayNode::Kind::concrete && layout.major_to_minor.empty()) {
    const auto& concrete = static_cast<const detail::ConcreteNode&>(node);
    if (!concrete.layout().major_to_minor.empty() && !concrete.buffer->is_deleted())  // a copy of its own
      buffer = detail::in_other_layout(concrete.buffer, array.aval(), concrete.layout(), layout);
  }
  if (!buffer) buffer = detail::buffer_of(array, layout, "device_put");
  return Array(detail::make_ref<detail::ConcreteNode>(array.aval(), std::move(buffer), true, layout));
}

}  // namespace tenon
