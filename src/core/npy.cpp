// Arrays to and from .npy files. The header is read by npy_header; elements go straight into the
// memory of the array.
#include "tenon/npy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>

#include "base/fail.h"
#include "core/nodes.h"
#include "core/npy_header.h"
#include "tenon/host.h"

namespace tenon {
namespace {

// Far more than 64 axes need; what claims more is not a header.
constexpr uint32_t kMaxHeaderBytes = 1 << 20;
// Some systems refuse a read or write of 2 GiB.
constexpr size_t kMaxTransfer = size_t{1} << 30;

[[noreturn]] void io_error(std::string_view who, std::string_view what, const std::string& path, int error) {
  fail<RuntimeError>(who, what, " failed: ", std::generic_category().message(error), "; got file ", path);
}
template <class... Parts>
[[noreturn]] void malformed(const std::string& path, const Parts&... what) {
  fail<ParseError>("load_npy", what..., "; got file ", path, "; write it again with numpy.save or save_npy");
}

class File {
 public:
  /// `path` is opened; messages name `user_path`.
  File(std::string_view who, const std::string& path, const std::string& user_path, int flags) : who_(who), path_(user_path) {
    do fd_ = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    while (fd_ < 0 && errno == EINTR);
    if (fd_ < 0) io_error(who, "open", path_, errno);
  }
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;

  struct stat status() const {
    struct stat s;
    if (::fstat(fd_, &s) != 0) io_error(who_, "stat", path_, errno);
    return s;
  }
  /// Bytes that were read; fewer than asked for only at the end of the file.
  size_t read(void* out, size_t size) {
    size_t done = 0;
    while (done < size) {
      ssize_t n = ::read(fd_, static_cast<char*>(out) + done, std::min(size - done, kMaxTransfer));
      if (n == 0) break;
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) io_error(who_, "read", path_, errno);
      done += static_cast<size_t>(n);
    }
    return done;
  }
  void write(const void* from, size_t size) {
    size_t done = 0;
    while (done < size) {
      ssize_t n = ::write(fd_, static_cast<const char*>(from) + done, std::min(size - done, kMaxTransfer));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) io_error(who_, "write", path_, errno);
      done += static_cast<size_t>(n);
    }
  }
  void set_mode(mode_t mode) { (void)::fchmod(fd_, mode); }
  void close() {
    if (::close(std::exchange(fd_, -1)) != 0) io_error(who_, "close", path_, errno);
  }

 private:
  std::string_view who_;
  const std::string& path_;
  int fd_ = -1;
};

// Magic, version, length and text of the header. Returns how many bytes that were.
int64_t read_header(File& file, const std::string& path, detail::NpyHeader& header) {
  unsigned char start[12];
  if (file.read(start, 8) != 8 || std::memcmp(start, "\x93NUMPY", 6) != 0) malformed(path, "this is not a .npy file");
  int version = start[6];
  if (version < 1 || version > 3 || start[7] != 0)
    malformed(path, "format ", version, ".", static_cast<int>(start[7]), " is not known (1.0 to 3.0 are)");
  size_t length_bytes = version == 1 ? 2 : 4;
  if (file.read(start + 8, length_bytes) != length_bytes) malformed(path, "it ends inside its header");
  uint32_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) length |= uint32_t{start[8 + i]} << 8 * i;
  if (length > kMaxHeaderBytes) malformed(path, "its header claims ", length, " bytes");
  std::string text(length, '\0'), error;
  if (file.read(text.data(), length) != length) malformed(path, "it ends inside its header");
  auto parsed = detail::parse_npy_header(text, &error);
  if (!parsed) malformed(path, error);
  header = *parsed;
  return static_cast<int64_t>(8 + length_bytes + length);
}

int64_t checked_nbytes(const Aval& aval, const std::string& path) {
  try {
    return aval.nbytes();
  } catch (const ShapeError&) {
    malformed(path, "shape ", aval.shape, " has more bytes than fit in 63 bits");
  }
}

// To the byte order of this machine; a complex number is two numbers.
void swap_bytes(char* data, int64_t nbytes, DType dtype) {
  int64_t width = dtype.is_complex() ? dtype.itemsize() / 2 : dtype.itemsize();
  for (int64_t i = 0; i < nbytes; i += width) std::reverse(data + i, data + i + width);
}

// The file that `path` names, so that a link stays a link.
std::string behind_links(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  std::string target = resolved ? resolved : path;
  std::free(resolved);
  return target;
}

}  // namespace

Array load_npy(const std::string& path) {
  File file("load_npy", path, path, O_RDONLY);
  detail::NpyHeader header;
  int64_t header_bytes = read_header(file, path, header);
  const Aval& aval = header.aval;
  int64_t nbytes = checked_nbytes(aval, path);
  struct stat status = file.status();
  // Known before memory is asked for, when it is not a pipe.
  if (S_ISREG(status.st_mode) && status.st_size - header_bytes < nbytes)
    malformed(path, "it ends inside its array: ", aval, " needs ", nbytes, " bytes and there are ", status.st_size - header_bytes);
  try {
    auto memory = aligned_host_buffer<unsigned char>(static_cast<size_t>(nbytes));
    size_t got = file.read(memory.data(), memory.size());
    if (got != memory.size())
      malformed(path, "it ends inside its array: ", aval, " needs ", nbytes, " bytes and there are ", got);
    char extra;
    if (file.read(&extra, 1) != 0) malformed(path, "something stands behind its array, ", aval);
    if (header.big_endian) swap_bytes(reinterpret_cast<char*>(memory.data()), nbytes, aval.dtype);
    if (aval.dtype.is_bool())
      for (unsigned char& byte : memory) byte = byte != 0;
    return device_put(HostView(memory.data(), aval, header.fortran_order ? Order::F : Order::C), memory);
  } catch (const std::bad_alloc&) {
    fail<OutOfMemoryError>("load_npy", "cannot allocate ", nbytes, " bytes for ", aval, "; got file ", path);
  }
}

void save_npy(const std::string& path, const Array& array) {
  Aval aval = array.node("save_npy").aval();
  std::string prefix = detail::npy_prefix(aval);
  BufferRef buffer = detail::buffer_of(array, "save_npy");
  buffer->wait();
  const void* data = buffer->host_data();
  std::string staged;
  if (!data) {
    staged.resize(static_cast<size_t>(buffer->size_bytes()));
    buffer->copy_to_host(staged.data());
    data = staged.data();
  }
  auto write_all = [&](File& file) {
    file.write(prefix.data(), prefix.size());
    file.write(data, static_cast<size_t>(aval.nbytes()));
    file.close();
  };

  std::string target = behind_links(path);
  struct stat existing;
  bool exists = ::stat(target.c_str(), &existing) == 0;
  if (exists && !S_ISREG(existing.st_mode)) {  // a device or a pipe cannot be replaced
    File file("save_npy", target, path, O_WRONLY);
    return write_all(file);
  }
  static std::atomic<unsigned> counter{0};
  std::string temporary = target + ".part-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
  File file("save_npy", temporary, path, O_WRONLY | O_CREAT | O_EXCL);
  try {
    if (exists) file.set_mode(existing.st_mode & 07777);
    write_all(file);
    if (::rename(temporary.c_str(), target.c_str()) != 0) io_error("save_npy", "rename", path, errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

}  // namespace tenon
