// Host memory to arrays.
#include "tenon/host.h"

#include <cstdlib>
#include <cstring>

#include "base/fail.h"
#include "base/promotion.h"
#include "core/nodes.h"
#include "core/trace.h"

namespace tenon {
namespace {

constexpr size_t kAlignment = 64;

// Row-major order of what is stored column-major.
std::vector<char> to_row_major(const HostView& view) {
  const Shape& shape = view.aval().shape;
  size_t item = static_cast<size_t>(view.aval().dtype.itemsize());
  std::vector<char> out(static_cast<size_t>(view.aval().nbytes()));
  std::vector<size_t> index(shape.size(), 0), stride(shape.size(), 1);
  for (size_t axis = 1; axis < shape.size(); ++axis) stride[axis] = stride[axis - 1] * static_cast<size_t>(shape[axis - 1]);
  size_t from = 0;
  for (size_t at = 0; at < out.size(); at += item) {
    std::memcpy(&out[at], static_cast<const char*>(view.data()) + from * item, item);
    for (size_t axis = shape.size(); axis-- > 0;) {
      from += stride[axis];
      if (++index[axis] < static_cast<size_t>(shape[axis])) break;
      from -= stride[axis] * index[axis];
      index[axis] = 0;
    }
  }
  return out;
}

void check(const HostView& view) {
  for (int64_t dim : view.aval().shape)
    if (dim < 0) fail<ShapeError>("HostView", "sizes must not be negative; got shape ", view.aval().shape);
  if (!view.data() && view.aval().nbytes() > 0)
    fail<ValueError>("HostView", "the pointer is null; got shape ", view.aval().shape);
}

}  // namespace

void* detail::allocate_aligned(size_t count, size_t size_bytes) {
  constexpr size_t kMost = size_t{1} << 62;
  void* memory = nullptr;
  if (count <= kMost / size_bytes)
    memory = std::aligned_alloc(kAlignment, (count * size_bytes + kAlignment) / kAlignment * kAlignment);
  if (!memory)
    fail<OutOfMemoryError>("aligned_host_buffer", "cannot allocate ", count, " elements of ", size_bytes, " bytes");
  return memory;
}
void detail::free_aligned(void* memory) { std::free(memory); }

Array device_put(const HostView& view) {
  check(view);
  const Aval& aval = view.aval();
  std::vector<char> row_major;
  const void* data = view.data();
  if (view.order() == Order::F && aval.ndim() > 1) {
    row_major = to_row_major(view);
    data = row_major.data();
  }
  DType dtype = canonical_dtype(aval.dtype);
  if (dtype == aval.dtype) return detail::array_of(find_client().copy_from_host(data, aval.nbytes(), 0), aval);
  Aval narrow = aval.with_dtype(dtype);
  std::vector<char> converted(static_cast<size_t>(narrow.nbytes()));
  detail::convert_elements(data, aval.dtype, converted.data(), dtype, aval.shape.num_elements());
  return detail::array_of(find_client().copy_from_host(converted.data(), narrow.nbytes(), 0), narrow);
}

Array detail::adopt_host(const HostView& view, ForeignOwner owner) {
  struct Release {
    ForeignOwner owner;
    ~Release() {
      if (owner.release) owner.release(owner.context);
    }
  } release{owner};
  check(view);
  bool aligned = reinterpret_cast<uintptr_t>(view.data()) % kAlignment == 0;
  bool row_major = view.order() == Order::C || view.aval().ndim() <= 1;
  if (!aligned || !row_major || canonical_dtype(view.aval().dtype) != view.aval().dtype) return device_put(view);
  BufferRef buffer = find_client().adopt(const_cast<void*>(view.data()), view.aval().nbytes(), 0, owner);
  release.owner = {};
  return array_of(std::move(buffer), view.aval());
}

Array detail::to_host(const Array& array) {
  array.block_until_ready();
  return device_put(array, Device(&find_client("cpu"), 0));
}

Array device_put(const Array& array) { return device_put(array, Device(&find_client(), 0)); }

Array device_put(const Array& array, const Device& device) {
  if (!device.client()) fail<ValueError>("device_put", "the Device is empty; ask devices()");
  if (array.is_tracer()) return array;  // placed by the program it is part of
  const detail::ArrayNode& node = array.node("device_put");
  if (node.kind() == detail::ArrayNode::Kind::concrete) {
    const auto& concrete = static_cast<const detail::ConcreteNode&>(node);
    if (!concrete.buffer->is_deleted() && concrete.buffer->device() == device)
      return Array(detail::make_ref<detail::ConcreteNode>(array.aval(), concrete.buffer, true, concrete.layout()));
  }
  BufferRef buffer = detail::buffer_of(array, "device_put");
  if (buffer->device() == device)
    return Array(detail::make_ref<detail::ConcreteNode>(array.aval(), std::move(buffer), true));
  const void* data = buffer->host_data();
  std::vector<char> staged;
  if (!data) {
    staged.resize(static_cast<size_t>(buffer->size_bytes()));
    buffer->copy_to_host(staged.data());
    data = staged.data();
  }
  return Array(detail::make_ref<detail::ConcreteNode>(
      array.aval(), device.client()->copy_from_host(data, buffer->size_bytes(), device.id()), true));
}

}  // namespace tenon
