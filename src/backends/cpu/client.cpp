#include "backends/cpu/client.h"

#include "backends/cpu/compile.h"
#include "runtime/allocation_site.h"
#include "runtime/effects.h"
#include "runtime/host_buffer.h"

namespace tenon::cpu {

namespace {

using runtime::HostBuffer;

class CpuClient final : public Client {
 public:
  std::string_view platform() const override { return "cpu"; }
  int device_count() const override { return 1; }
  bool optimizes_itself() const override { return false; }
  bool has_products_in_kernels() const override { return true; }
  ExecutableRef compile(const Module& module) override {
    return cpu::compile(module, Device(this, 0));
  }
  ExecutableRef compile(const Module& module, std::string& saved) override { return cpu::compile(module, Device(this, 0), &saved); }
  ExecutableRef load(const Module& module, std::string_view saved) override { return cpu::load(module, Device(this, 0), saved); }
  std::string code_kind() const override {
    const Target target = Target::selected();
    return target.cpu + "|" + target.tune + "|" + std::to_string(target.vector_bits);
  }
  BufferRef allocate(int64_t size_bytes, int device) override {
    static runtime::AllocationSite& site = runtime::allocation_site("results of eager operations");
    return HostBuffer::allocate(Device(this, device), size_bytes, &site);
  }
  BufferRef copy_from_host(const void* source, int64_t size_bytes, int device) override {
    return HostBuffer::copy(Device(this, device), source, size_bytes);
  }
  BufferRef adopt(void* memory, int64_t size_bytes, int device, ForeignOwner owner) override {
    return HostBuffer::adopt(Device(this, device), memory, size_bytes, owner);
  }
  void wait_for_effects() override { runtime::wait_for_effects(); }
};

[[maybe_unused]] const bool is_registered = (register_backend(&client()), true);

}  // namespace

Client& client() {
  static auto* client = new CpuClient;
  return *client;
}

}  // namespace tenon::cpu
