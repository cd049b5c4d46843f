// To add a backend: implement Client, Executable and Buffer, and call register_backend.
// Programs come as StableHLO modules; buffers are dense, row-major unless their layout says so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/aval.h"
#include "tenon/detail/ref.h"
#include "tenon/device.h"

#pragma GCC visibility push(default)

namespace tenon {

class Module;  // a StableHLO module; src/dialect/module.h

/// Memory of one array on one device; perhaps still being computed.
/// Thread safe. A failed computation is stored and thrown by every wait.
class Buffer : public detail::RefCounted {
 public:
  virtual int64_t size_bytes() const = 0;
  virtual Device device() const = 0;
  /// False while the computation that fills it runs. True when it has failed.
  virtual bool is_ready() const = 0;
  /// Returns when the contents are there. Throws the error of the computation, each time.
  virtual void wait() const = 0;
  /// Waits, then gives the contents in host memory; nullptr when the device's memory cannot be
  /// read by the host. Valid while the buffer lives. Throws RuntimeError when deleted or donated.
  virtual const void* host_data() const = 0;
  /// Copies the contents to `destination` (size_bytes() of them). Waits.
  virtual void copy_to_host(void* destination) const = 0;
  /// The address without waiting: identity of the memory.
  virtual const void* unsafe_pointer() const = 0;
  /// Gives the memory up: donated to a program or deleted by the user.
  virtual void mark_deleted() = 0;
  virtual bool is_deleted() const = 0;
  /// Another handle of the same contents, good when this one is deleted or donated; null when there can be none.
  virtual detail::Ref<Buffer> share() const { return {}; }
};
using BufferRef = detail::Ref<Buffer>;
using BufferRefs = std::vector<BufferRef>;

/// Calls the owner's release function when the last user of foreign memory is gone.
struct ForeignOwner {
  void* context = nullptr;
  void (*release)(void* context) = nullptr;
};

struct MemoryAnalysis {
  int64_t argument_size_in_bytes = 0;
  int64_t output_size_in_bytes = 0;
  int64_t temp_size_in_bytes = 0;
  int64_t alias_size_in_bytes = 0;
  int64_t generated_code_size_in_bytes = 0;
  /// Of one operation while it runs, the most of one (kept rows, panels, sorts), for as many threads as the pool has; part of the peak, not of `temp`.
  int64_t scratch_size_in_bytes = 0;
  int64_t peak_memory_in_bytes = 0;
  int64_t host_argument_size_in_bytes = 0;
  int64_t host_output_size_in_bytes = 0;
  int64_t host_temp_size_in_bytes = 0;
  int64_t host_alias_size_in_bytes = 0;
  int64_t host_generated_code_size_in_bytes = 0;
};

struct ExecuteOptions {
  /// Run on the calling thread and return when done.
  bool synchronous = false;
  /// donated[i]: the program may reuse the memory of argument i. Empty: none.
  const std::vector<bool>* donated = nullptr;
};

/// A program with the memory that its runs need.
class PlannedRun : public detail::RefCounted {
 public:
  /// On the calling thread alone, without allocating or taking a lock. One run at a time.
  virtual void run(const void* const* arguments, void* const* results) noexcept = 0;
};

/// A compiled program.
class Executable : public detail::RefCounted {
 public:
  virtual const Avals& argument_avals() const = 0;
  virtual const Avals& result_avals() const = 0;
  /// Starts the program; results may be pending. Arguments are held until it has run.
  virtual BufferRefs execute(const BufferRefs& arguments, const ExecuteOptions& options) = 0;
  virtual int64_t generated_code_size_bytes() const = 0;
  /// Of the kernel that needs most of it for itself while it runs.
  virtual int64_t scratch_size_bytes() const { return 0; }
  /// Null where the backend has none. Throws UnimplementedError for a program that allocates while it runs, OutOfMemoryError.
  virtual detail::Ref<PlannedRun> plan() { return {}; }
  /// What was generated: kind "mlir", "llvm" or "asm" as text, "object" as the bytes of an object file. Empty when there is none.
  virtual std::string generated_code(std::string_view) const { return {}; }
};
using ExecutableRef = detail::Ref<Executable>;

/// A process-wide handle of a backend and its devices. Never destroyed.
class Client {
 public:
  virtual ~Client() = default;
  virtual std::string_view platform() const = 0;
  virtual int device_count() const = 0;
  /// True when `compile` takes the module as lowered and optimizes it itself (PJRT plugins);
  /// false when it takes the output of Tenon's passes.
  virtual bool optimizes_itself() const = 0;
  /// True when a kernel may hold a dot whose product only the kernel itself needs.
  virtual bool has_products_in_kernels() const { return false; }
  /// Throws CompileError.
  virtual ExecutableRef compile(const Module& module) = 0;
  /// The same; `saved` receives what `load` makes the executable of again, empty where the backend has none.
  virtual ExecutableRef compile(const Module& module, std::string& saved) {
    saved.clear();
    return compile(module);
  }
  /// The executable of `module`, which is the one that was compiled. Throws CompileError when `saved` is not of it.
  virtual ExecutableRef load(const Module& module, std::string_view saved) {
    static_cast<void>(saved);
    return compile(module);
  }
  /// What saved executables depend on besides the module and the library: the instruction set.
  virtual std::string code_kind() const { return {}; }
  /// Uninitialized memory. Throws OutOfMemoryError.
  virtual BufferRef allocate(int64_t size_bytes, int device) = 0;
  /// Copies `size_bytes` from host memory.
  virtual BufferRef copy_from_host(const void* source, int64_t size_bytes, int device) = 0;
  /// Uses the caller's memory without a copy where the device can; else copies and releases.
  virtual BufferRef adopt(void* memory, int64_t size_bytes, int device, ForeignOwner owner) = 0;
  /// Returns when the effects of all programs started before have happened; throws the first error
  /// of such a program since the last call. Nothing to do where `execute` returns after the effects.
  virtual void wait_for_effects() {}
};

/// Makes `client` (never destroyed) available under its platform's name.
void register_backend(Client* client);
/// All backends, in the order of their registration.
std::vector<Client*> clients();
/// Throws RuntimeError that lists what there is. Empty name: the default backend.
Client& find_client(std::string_view platform = {});

}  // namespace tenon

#pragma GCC visibility pop
