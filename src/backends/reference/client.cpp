#include "backends/reference/client.h"

#include "base/fail.h"
#include "evaluator/prepare.h"
#include "runtime/host_buffer.h"

namespace tenon::reference {
namespace {

using runtime::HostBuffer;

class ReferenceExecutable final : public Executable {
 public:
  ReferenceExecutable(Device device, evaluator::ProgramRef program) : device_(device), program_(std::move(program)) {}

  const Avals& argument_avals() const override { return program_->argument_avals(); }
  const Avals& result_avals() const override { return program_->result_avals(); }
  int64_t generated_code_size_bytes() const override { return 0; }

  BufferRefs execute(const BufferRefs& arguments, const ExecuteOptions& options) override {
    const Avals& avals = argument_avals();
    if (arguments.size() != avals.size())
      fail<TypeError>("reference", "the program takes ", avals.size(), " arguments; got ", arguments.size());
    std::vector<const void*> inputs;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i]->size_bytes() != avals[i].nbytes())
        fail<TypeError>("reference", "argument ", i, " has ", arguments[i]->size_bytes(), " bytes; the program takes ", avals[i]);
      inputs.push_back(arguments[i]->host_data());  // waits
    }
    BufferRefs results;
    std::vector<void*> outputs;
    for (const Aval& aval : result_avals()) {
      results.push_back(HostBuffer::allocate(device_, aval.nbytes()));
      outputs.push_back(const_cast<void*>(results.back()->unsafe_pointer()));
    }
    program_->run(inputs.data(), outputs.data());
    if (options.donated != nullptr) {
      for (std::size_t i = 0; i < arguments.size() && i < options.donated->size(); ++i)
        if ((*options.donated)[i]) arguments[i]->mark_deleted();
    }
    return results;
  }

 private:
  Device device_;
  evaluator::ProgramRef program_;
};

class ReferenceClient final : public Client {
 public:
  std::string_view platform() const override { return "reference"; }
  int device_count() const override { return 1; }
  bool optimizes_itself() const override { return false; }
  ExecutableRef compile(const Module& module) override {
    return detail::make_ref<ReferenceExecutable>(Device(this, 0), evaluator::prepare(module));
  }
  BufferRef allocate(int64_t size_bytes, int device) override { return HostBuffer::allocate(Device(this, device), size_bytes); }
  BufferRef copy_from_host(const void* source, int64_t size_bytes, int device) override {
    return HostBuffer::copy(Device(this, device), source, size_bytes);
  }
  BufferRef adopt(void* memory, int64_t size_bytes, int device, ForeignOwner owner) override {
    return HostBuffer::adopt(Device(this, device), memory, size_bytes, owner);
  }
};

[[maybe_unused]] const bool is_registered = (register_backend(&client()), true);

}  // namespace

Client& client() {
  static auto* client = new ReferenceClient;
  return *client;
}

}  // namespace tenon::reference
