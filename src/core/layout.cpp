#include "core/layout.h"

#include <algorithm>
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

// Elements of `Size` bytes, those along the last axis of the copy in one loop.
template <size_t Size>
void permute(const char* from, char* to, const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
  std::vector<int64_t> index(sizes.size(), 0);
  const size_t last = sizes.size() - 1;
  while (true) {
    for (int64_t i = 0; i < sizes[last]; ++i, to += Size) std::memcpy(to, from + i * strides[last] * static_cast<int64_t>(Size), Size);
    size_t axis = last;
    while (true) {
      if (axis-- == 0) return;
      from += strides[axis] * static_cast<int64_t>(Size);
      if (++index[axis] < sizes[axis]) break;
      from -= strides[axis] * sizes[axis] * static_cast<int64_t>(Size);
      index[axis] = 0;
    }
  }
}

}  // namespace

Layout checked_layout(const Layout& layout, const ShapedArray& aval, std::string_view who) {
  std::vector<int> sorted = layout.major_to_minor;
  std::ranges::sort(sorted);
  const bool is_order = layout.major_to_minor.empty() || sorted == order_of({}, aval.ndim());
  if (layout.is_auto || !is_order) fail<ValueError>(who, "a layout names each axis of the array once; got ", layout.str(), " for ", aval);
  return std::ranges::is_sorted(layout.major_to_minor) ? Layout() : layout;
}

BufferRef in_other_layout(const BufferRef& buffer, const ShapedArray& aval, const Layout& from, const Layout& to) {
  std::vector<char> source(static_cast<size_t>(aval.nbytes())), copy(source.size());
  buffer->copy_to_host(source.data());
  std::vector<int64_t> stride(static_cast<size_t>(aval.ndim())), sizes, strides;
  int64_t next = 1;
  const std::vector<int> old_order = order_of(from, aval.ndim());
  for (size_t i = old_order.size(); i-- > 0;) {
    stride[static_cast<size_t>(old_order[i])] = next;
    next *= aval.shape[static_cast<size_t>(old_order[i])];
  }
  for (int axis : order_of(to, aval.ndim())) {
    sizes.push_back(aval.shape[static_cast<size_t>(axis)]);
    strides.push_back(stride[static_cast<size_t>(axis)]);
  }
  if (!source.empty()) {
    switch (aval.dtype.itemsize()) {
      case 1: permute<1>(source.data(), copy.data(), sizes, strides); break;
      case 2: permute<2>(source.data(), copy.data(), sizes, strides); break;
      case 4: permute<4>(source.data(), copy.data(), sizes, strides); break;
      case 8: permute<8>(source.data(), copy.data(), sizes, strides); break;
      case 16: permute<16>(source.data(), copy.data(), sizes, strides); break;
      default: fail<UnimplementedError>("layout", "elements of ", aval.dtype.itemsize(), " bytes are not moved; got ", aval);
    }
  }
  const Device device = buffer->device();
  return find_client(device.platform()).copy_from_host(copy.data(), aval.nbytes(), device.id());
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
  return Array(detail::make_ref<detail::ConcreteNode>(array.aval(), detail::buffer_of(array, layout, "device_put"), true, layout));
}

}  // namespace tenon
