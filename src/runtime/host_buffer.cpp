#include "runtime/host_buffer.h"

#include <cstring>
#include <mutex>
#include <string>

#include "runtime/allocation_site.h"
#include "runtime/trace_hook.h"
#include "tenon/error.h"

namespace tenon::runtime {

HostBuffer::HostBuffer(Device device, Ref<HostMemory> memory, Ref<Completion> completion) noexcept
    : device_(device),
      memory_(std::move(memory)),
      offset_bytes_(0),
      size_bytes_(memory_->size_bytes()),
      completion_(std::move(completion)) {
  memory_->add_view();
}

HostBuffer::HostBuffer(Device device, Ref<HostMemory> memory, int64_t offset_bytes,
                       int64_t size_bytes, Ref<Completion> completion)
    : device_(device),
      memory_(std::move(memory)),
      offset_bytes_(offset_bytes),
      size_bytes_(size_bytes),
      completion_(std::move(completion)) {
  const int64_t total = memory_->size_bytes();
  if (offset_bytes < 0 || size_bytes < 0 || offset_bytes > total ||
      size_bytes > total - offset_bytes) {
    throw InternalError("buffer: a view must lie inside its memory; got " +
                        std::to_string(size_bytes) + " bytes from " + std::to_string(offset_bytes) +
                        " of " + std::to_string(total));
  }
  memory_->add_view();
}

HostBuffer::~HostBuffer() {
  if (memory_) memory_->remove_view();
}

Ref<HostBuffer> HostBuffer::allocate(Device device, int64_t size_bytes, AllocationSite* site) {
  return make_ref<HostBuffer>(device, make_ref<HostMemory>(size_bytes, site));
}

Ref<HostBuffer> HostBuffer::copy(Device device, const void* source, int64_t size_bytes) {
  TraceSpan span(TraceEventKind::copy, "copy_from_host", nullptr, 0, size_bytes);
  static AllocationSite& site = allocation_site("copies of host data");
  auto memory = make_ref<HostMemory>(size_bytes, &site);
  if (size_bytes > 0) std::memcpy(memory->data(), source, static_cast<size_t>(size_bytes));
  return make_ref<HostBuffer>(device, std::move(memory));
}

Ref<HostBuffer> HostBuffer::adopt(Device device, void* memory, int64_t size_bytes,
                                  ForeignOwner owner) {
  Ref<HostMemory> held;
  try {
    held = make_ref<HostMemory>(memory, size_bytes, owner);
  } catch (...) {
    if (owner.release) owner.release(owner.context);
    throw;
  }
  return make_ref<HostBuffer>(device, std::move(held));
}

Ref<HostBuffer> HostBuffer::slice(const HostBuffer& whole, int64_t offset_bytes,
                                  int64_t size_bytes) {
  if (offset_bytes < 0 || size_bytes < 0 || size_bytes > whole.size_bytes() - offset_bytes) {
    throw InternalError("slice: a slice must lie inside its buffer; got " +
                        std::to_string(size_bytes) + " bytes from " + std::to_string(offset_bytes) +
                        " of " + std::to_string(whole.size_bytes()));
  }
  return make_ref<HostBuffer>(whole.device_, whole.memory(), whole.offset_bytes_ + offset_bytes,
                              size_bytes, whole.completion_);
}

BufferRef HostBuffer::share() const {
  return memory()->is_held() ? BufferRef(slice(*this, 0, size_bytes_)) : BufferRef();
}

void HostBuffer::wait() const {
  if (completion_) completion_->wait();
}

const void* HostBuffer::host_data() const {
  wait();
  return static_cast<const char*>(memory()->data()) + offset_bytes_;
}

void HostBuffer::copy_to_host(void* destination) const {
  wait();
  const Ref<HostMemory> held = memory();
  if (size_bytes_ == 0) return;
  TraceSpan span(TraceEventKind::copy, "copy_to_host", nullptr, 0, size_bytes_);
  std::memcpy(destination, static_cast<const char*>(held->data()) + offset_bytes_,
              static_cast<size_t>(size_bytes_));
}

const void* HostBuffer::unsafe_pointer() const {
  std::lock_guard guard(lock_);
  return memory_ ? static_cast<const char*>(memory_->data()) + offset_bytes_ : nullptr;
}

void HostBuffer::mark_deleted() {
  Ref<HostMemory> dropped;  // freed outside of the lock: an owner's release may do anything
  {
    std::lock_guard guard(lock_);
    dropped = std::move(memory_);
  }
  if (dropped) dropped->remove_view();
}

bool HostBuffer::is_deleted() const {
  std::lock_guard guard(lock_);
  return !memory_;
}

Ref<HostMemory> HostBuffer::memory() const {
  {
    std::lock_guard guard(lock_);
    if (memory_) return memory_;
  }
  raise_deleted("buffer");
}

Ref<HostMemory> HostBuffer::donate() {
  {
    std::lock_guard guard(lock_);
    if (memory_) {
      if (memory_->is_foreign() || memory_->views() != 1) return {};
      memory_->remove_view();
      return std::move(memory_);
    }
  }
  raise_deleted("donate");
}

void HostBuffer::raise_deleted(const char* what) {
  throw RuntimeError(std::string(what) +
                     ": the array has been deleted or donated to a program; copy it before, or do "
                     "not donate it");
}

}  // namespace tenon::runtime
