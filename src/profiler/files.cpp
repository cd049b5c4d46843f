#include "profiler/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/fail.h"

namespace tenon::profiler {
namespace {

constexpr size_t kMaxTransfer = size_t{1} << 30;  // some systems refuse 2 GiB at once

[[noreturn]] void io_error(std::string_view who, std::string_view what, const std::string& path, int error) {
  fail<RuntimeError>(who, "cannot ", what, ": ", std::generic_category().message(error), "; got ", path);
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  int get() const { return fd_; }
  int close() { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

int open_file(const std::string& path, int flags) {
  int fd;
  do fd = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  while (fd < 0 && errno == EINTR);
  return fd;
}

// 0, or what went wrong.
int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), std::min(bytes.size(), kMaxTransfer));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

}  // namespace

void write_file(std::string_view who, const std::string& path, std::string_view bytes) {
  static std::atomic<int> count{0};
  const std::string temporary = path + ".part" + std::to_string(::getpid()) + "." + std::to_string(count++);
  Descriptor file(open_file(temporary, O_WRONLY | O_CREAT | O_EXCL));
  if (file.get() < 0) io_error(who, "create the file", path, errno);
  int error = write_all(file.get(), bytes);
  if (file.close() != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return;
  ::unlink(temporary.c_str());
  io_error(who, "write the file", path, error);
}

std::string read_file(std::string_view who, const std::string& path) {
  Descriptor file(open_file(path, O_RDONLY));
  struct stat status;
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) io_error(who, "open the file", path, errno);
  std::string bytes;
  if (status.st_size > 0) bytes.reserve(static_cast<size_t>(status.st_size));
  char room[size_t{64} << 10];
  while (true) {
    const ssize_t n = ::read(file.get(), room, sizeof room);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) io_error(who, "read the file", path, errno);
    if (n == 0) return bytes;
    bytes.append(room, static_cast<size_t>(n));
  }
}

std::string make_run_folder(std::string_view who, const std::string& directory) {
  const std::string above = directory + "/plugins/profile";
  std::error_code error;
  std::filesystem::create_directories(above, error);
  if (error) fail<RuntimeError>(who, "cannot make the directory: ", error.message(), "; got ", above);
  const time_t now = ::time(nullptr);
  tm local;
  ::localtime_r(&now, &local);
  char name[32];
  ::strftime(name, sizeof name, "%Y_%m_%d_%H_%M_%S", &local);
  const std::string folder = above + "/" + name;
  for (int number = 1;; ++number) {  // several traces may begin in one second
    const std::string path = number == 1 ? folder : folder + "_" + std::to_string(number);
    if (::mkdir(path.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;
      io_error(who, "make the directory", path, errno);
    }
    if (::access(path.c_str(), W_OK) != 0) io_error(who, "write to the directory", path, errno);
    return path;
  }
}

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "localhost";
  std::string host = name;
  std::ranges::replace(host, '/', '_');
  return host;
}

}  // namespace tenon::profiler
