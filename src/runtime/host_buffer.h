// The Buffer of the backends that compute in host memory: a view of a HostMemory, and the
// completion of the work that fills it.
#pragma once

#include <cstdint>

#include "runtime/completion.h"
#include "runtime/host_memory.h"
#include "runtime/spin.h"
#include "tenon/backend.h"

namespace tenon::runtime {

class HostBuffer final : public Buffer {
 public:
  /// All of `memory`, ready when `completion` is (null: now).
  HostBuffer(Device device, Ref<HostMemory> memory, Ref<Completion> completion = {}) noexcept;
  /// `size_bytes` of `memory` from `offset_bytes`. Throws InternalError when that is outside.
  HostBuffer(Device device, Ref<HostMemory> memory, int64_t offset_bytes, int64_t size_bytes,
             Ref<Completion> completion = {});
  ~HostBuffer() override;

  /// Ready, uninitialized. Throws OutOfMemoryError.
  static Ref<HostBuffer> allocate(Device device, int64_t size_bytes,
                                  AllocationSite* site = nullptr);
  /// Ready, a copy of the caller's memory. Throws OutOfMemoryError.
  static Ref<HostBuffer> copy(Device device, const void* source, int64_t size_bytes);
  /// Ready, without a copy. `owner` is released when the last view is gone, or here when this
  /// throws.
  static Ref<HostBuffer> adopt(Device device, void* memory, int64_t size_bytes, ForeignOwner owner);
  /// A part of `whole`: same memory, same completion. Throws when deleted or outside.
  static Ref<HostBuffer> slice(const HostBuffer& whole, int64_t offset_bytes, int64_t size_bytes);

  int64_t size_bytes() const override { return size_bytes_; }
  Device device() const override { return device_; }
  bool is_ready() const override { return !completion_ || completion_->is_done(); }
  void wait() const override;
  const void* host_data() const override;
  void copy_to_host(void* destination) const override;
  const void* unsafe_pointer() const override;
  void mark_deleted() override;
  bool is_deleted() const override;
  /// Null for memory of others that nobody holds for us.
  BufferRef share() const override;

  // For programs:

  /// The memory, held; throws RuntimeError when deleted or donated.
  Ref<HostMemory> memory() const;
  int64_t offset_bytes() const { return offset_bytes_; }
  /// Null when the buffer was ready from the beginning.
  const Ref<Completion>& completion() const { return completion_; }
  /// Takes the memory away for a program that overwrites it; the buffer is deleted. Null when the
  /// memory is foreign or others see it too: then nothing changes. Throws when deleted before.
  ///
  /// Programs submitted earlier may still read it, so the program must run after them (queued, or
  /// on an idle dispatcher).
  Ref<HostMemory> donate();

 private:
  [[noreturn]] static void raise_deleted(const char* what);

  Device device_;
  mutable SpinLock lock_;   // of memory_
  Ref<HostMemory> memory_;  // null: deleted
  int64_t offset_bytes_;
  int64_t size_bytes_;
  Ref<Completion> completion_;
};

}  // namespace tenon::runtime
