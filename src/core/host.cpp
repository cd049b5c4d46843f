// Host memory to arrays.
#include "tenon/host.h"

#include <cstdlib>
#include <cstring>
#include <functional>

#include "base/fail.h"
#include "base/promotion.h"
#include "core/nodes.h"
#include "core/trace.h"

namespace tenon {
namespace {

constexpr size_t kAlignment = 64;

bool is_row_major(const HostView& view) {
  const std::vector<int64_t> strides = view.strides();
  int64_t wanted = 1;
  for (size_t axis = strides.size(); axis-- > 0; wanted *= view.aval().shape[axis])
    if (view.aval().shape[axis] > 1 && strides[axis] != wanted) return false;
  return true;
}

char* bytes_of(const BufferRef& buffer) { return static_cast<char*>(const_cast<void*>(buffer->unsafe_pointer())); }

// What is stored otherwise in row-major order.
BufferRef to_row_major(const HostView& view) {
  const Shape& shape = view.aval().shape;
  const int64_t item = view.aval().dtype.itemsize(), size = view.aval().nbytes();
  BufferRef ordered = find_client().allocate(size, 0);
  char* const out = bytes_of(ordered);
  std::vector<int64_t> index(shape.size(), 0), strides = view.strides();
  int64_t from = 0;  // elements
  for (int64_t at = 0; at < size; at += item) {
    std::memcpy(out + at, static_cast<const char*>(view.data()) + from * item, static_cast<size_t>(item));
    for (size_t axis = shape.size(); axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < shape[axis]) break;
      from -= strides[axis] * index[axis];
      index[axis] = 0;
    }
  }
  return ordered;
}

void check(const HostView& view) {
  for (int64_t dim : view.aval().shape)
    if (dim < 0) fail<ShapeError>("HostView", "sizes must not be negative; got shape ", view.aval().shape);
  if (!view.data() && view.aval().nbytes() > 0)
    fail<ValueError>("HostView", "the pointer is null; got shape ", view.aval().shape);
  static_cast<void>(view.strides());
}

}  // namespace

std::vector<int64_t> HostView::strides() const {
  const Shape& shape = aval_.shape;
  if (is_strided_ && strides_.size() != shape.size())
    fail<ShapeError>("HostView", "there is one stride for each axis; got ", strides_.size(), " strides for shape ", shape);
  if (is_strided_) return strides_;
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t k = 1; k < shape.size(); ++k) {
    if (order_ == Order::F) strides[k] = strides[k - 1] * shape[k - 1];
    else strides[shape.size() - 1 - k] = strides[shape.size() - k] * shape[shape.size() - k];
  }
  return strides;
}

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
  const BufferRef ordered = is_row_major(view) ? BufferRef() : to_row_major(view);
  const void* const data = ordered ? ordered->unsafe_pointer() : view.data();
  const DType dtype = canonical_dtype(aval.dtype);
  if (dtype == aval.dtype) return detail::array_of(ordered ? ordered : find_client().copy_from_host(data, aval.nbytes(), 0), aval);
  const Aval narrow = aval.with_dtype(dtype);
  BufferRef converted = find_client().allocate(narrow.nbytes(), 0);
  detail::convert_elements(data, aval.dtype, bytes_of(converted), dtype, aval.shape.num_elements());
  return detail::array_of(std::move(converted), narrow);
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
  if (!aligned || !is_row_major(view) || canonical_dtype(view.aval().dtype) != view.aval().dtype) return device_put(view);
  BufferRef buffer = find_client().adopt(const_cast<void*>(view.data()), view.aval().nbytes(), 0, owner);
  release.owner = {};
  return array_of(std::move(buffer), view.aval());
}

BufferRef detail::held_elements(const Array& array, DType::Code dtype, const char* who) {
  if (array.node(who).aval().dtype.code() != dtype)
    fail<TypeError>(who, "the elements are ", array.dtype(), "; asked for ", DType(dtype), "; convert them with astype");
  BufferRef buffer = buffer_of(array, who);
  if (!buffer->host_data()) buffer = buffer_of(to_host(array), who);
  if (BufferRef shared = buffer->share()) return shared;
  return buffer;
}

void detail::copy_out(const Array& array, DType::Code dtype, void* out, int64_t count, Loc loc) {
  const char* who = "copy_to";
  SiteScope site(loc);
  if (count != array.size()) fail<ValueError>(who, "the array has ", array.size(), " elements; got room for ", count);
  if (array.is_tracer()) fail<TracerArrayConversionError>(who, "a traced ", array.aval(), " has no elements yet");
  const BufferRef buffer = buffer_of(array, who);
  const auto* const from = static_cast<const char*>(buffer->host_data());
  const auto* const to = static_cast<const char*>(out);
  const int64_t bytes = count * DType(dtype).itemsize();
  if (from && count > 0 && std::less<>()(from, to + bytes) && std::less<>()(to, from + buffer->size_bytes()))
    fail<ValueError>(who, "the memory is that of the array, ", array.aval(), ", which does not change; give other memory");
  copy_elements(array, dtype, out, count, who, loc);
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
