// A backend whose buffers are host memory and which compiles nothing; for tests of rooms below the runtime.
#pragma once

#include <cstring>
#include <memory>

#include "tenon/backend.h"
#include "tenon/error.h"

namespace tenon {

class TestBuffer final : public Buffer {
 public:
  TestBuffer(void* memory, int64_t size_bytes, Client* client, ForeignOwner owner)
      : memory_(memory), size_bytes_(size_bytes), client_(client), owner_(owner) {}
  ~TestBuffer() override { TestBuffer::mark_deleted(); }
  int64_t size_bytes() const override { return size_bytes_; }
  Device device() const override { return Device(client_, 0); }
  bool is_ready() const override { return ready; }
  void wait() const override { ready = true; }
  const void* host_data() const override {
    wait();
    return memory_;
  }
  void copy_to_host(void* destination) const override { std::memcpy(destination, host_data(), static_cast<size_t>(size_bytes_)); }
  const void* unsafe_pointer() const override { return memory_; }
  void mark_deleted() override {
    if (owner_.release) std::exchange(owner_, {}).release(owner_.context);
    deleted_ = true;
  }
  bool is_deleted() const override { return deleted_; }

  mutable bool ready = true;  // tests make a buffer pending; waiting makes it ready

 private:
  void* memory_;
  int64_t size_bytes_;
  Client* client_;
  ForeignOwner owner_;
  bool deleted_ = false;
};

class TestClient final : public Client {
 public:
  std::string_view platform() const override { return "cpu"; }
  int device_count() const override { return 1; }
  bool optimizes_itself() const override { return false; }
  ExecutableRef compile(const Module&) override { throw CompileError("test client: it compiles nothing"); }
  BufferRef allocate(int64_t size_bytes, int) override {
    char* memory = new char[static_cast<size_t>(size_bytes) + 1];
    return adopt(memory, size_bytes, 0, {memory, [](void* p) { delete[] static_cast<char*>(p); }});
  }
  BufferRef copy_from_host(const void* source, int64_t size_bytes, int) override {
    BufferRef buffer = allocate(size_bytes, 0);
    if (size_bytes > 0) std::memcpy(const_cast<void*>(buffer->unsafe_pointer()), source, static_cast<size_t>(size_bytes));
    return buffer;
  }
  BufferRef adopt(void* memory, int64_t size_bytes, int, ForeignOwner owner) override {
    return BufferRef(new TestBuffer(memory, size_bytes, this, owner));
  }

  /// Makes it the backend "cpu" of this process, at the first call.
  static TestClient& instance() {
    static TestClient* client = [] {
      auto* made = new TestClient;
      register_backend(made);
      return made;
    }();
    return *client;
  }
};

}  // namespace tenon
