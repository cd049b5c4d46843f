#include "evaluator/tensor.h"

#include <unistd.h>

#include <new>

#include "base/fail.h"

namespace tenon::evaluator {

static constexpr std::align_val_t kAlignment{64};

static std::int64_t machine_memory_bytes() {
  static const std::int64_t bytes = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return bytes;
}

std::shared_ptr<void> allocate(std::int64_t size_bytes) {
  // The kernel would promise the memory and kill the process when it is used.
  void* memory = nullptr;
  if (size_bytes <= machine_memory_bytes())
    memory = ::operator new(static_cast<std::size_t>(size_bytes > 0 ? size_bytes : 1), kAlignment, std::nothrow);
  if (memory == nullptr)
    fail<OutOfMemoryError>("evaluator", "an array or program needs ", size_bytes, " bytes; this machine has ",
                           machine_memory_bytes());
  return {memory, [](void* p) { ::operator delete(p, kAlignment); }};
}

Tensor::Tensor(Aval aval) : aval_(std::move(aval)) {
  std::shared_ptr<void> memory = allocate(aval_.nbytes());
  data_ = memory.get();
  owner_ = std::move(memory);
}

void Tensor::check_count(std::size_t count) const {
  if (static_cast<std::int64_t>(count) != size())
    fail<ShapeError>("Tensor", "the number of values differs from the shape's; got ", count, " for ", aval_);
}

void Tensor::check_element_size(std::size_t size) const {
  if (static_cast<int>(size) != dtype().itemsize())
    fail<TypeError>("Tensor", "elements of ", aval_, " asked for as a type of ", size, " bytes");
}

}  // namespace tenon::evaluator
