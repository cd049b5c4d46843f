#include "backends/cpu/saved_code.h"

#include <cstring>
#include <type_traits>

#include "base/fail.h"

namespace tenon::cpu {
namespace {

class Writer {
 public:
  template <class T>
    requires std::is_arithmetic_v<T>
  void field(const T& value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out.append(bytes, sizeof value);
  }
  void field(const std::string& text) { bytes(text.data(), text.size()); }
  void field(const ObjectCode& object) { bytes(object.data(), object.size()); }
  template <class T>
  void list(const std::vector<T>& elements) {
    field(static_cast<uint64_t>(elements.size()));
  }
  std::string out;

 private:
  void bytes(const char* data, size_t size) {
    field(static_cast<uint64_t>(size));
    out.append(data, size);
  }
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  template <class T>
    requires std::is_arithmetic_v<T>
  void field(T& value) {
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
  }
  void field(std::string& text) { text = take(size()); }
  void field(ObjectCode& object) {
    const std::string_view bytes = take(size());
    object.assign(bytes.begin(), bytes.end());
  }
  template <class T>
  void list(std::vector<T>& elements) {
    elements.resize(size());  // of which each has a byte at least
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  uint64_t size() {
    uint64_t size = 0;
    field(size);
    if (size > rest_.size()) fail<CompileError>("cpu", "saved code is cut off: ", size, " bytes are said to follow, ", rest_.size(), " do");
    return size;
  }
  std::string_view take(size_t size) {
    if (size > rest_.size()) fail<CompileError>("cpu", "saved code is cut off");
    const std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return part;
  }
  std::string_view rest_;
};

// All fields of a Kernel, in one order for writing and reading.
template <class Archive, class Kernels>
void kernels_in(Archive& archive, Kernels& kernels) {
  archive.list(kernels);
  for (auto& kernel : kernels) {
    archive.field(kernel.name);
    archive.field(kernel.scratch_bytes);
    archive.list(kernel.functions);
    for (auto& function : kernel.functions) {
      archive.field(function.symbol);
      archive.field(function.units);
      archive.field(function.unit_seconds);
      archive.field(function.stack_bytes);
    }
  }
}

}  // namespace

std::string save_code(const std::vector<Kernel>& kernels, const ObjectCode& object) {
  Writer writer;
  kernels_in(writer, kernels);
  writer.field(object);
  return std::move(writer.out);
}

SavedCode load_code(std::string_view bytes) {
  SavedCode code;
  Reader reader(bytes);
  kernels_in(reader, code.kernels);
  reader.field(code.object);
  if (!reader.is_at_end()) fail<CompileError>("cpu", "saved code has more bytes than it should");
  return code;
}

}  // namespace tenon::cpu
