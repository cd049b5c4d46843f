#include "api/persistent_cache.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>
#include <vector>

#include "base/log.h"
#include "base/options.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

namespace tenon::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "tenon executable 1\n";
constexpr std::string_view kSuffix = "-cache";
constexpr std::string_view kTemporary = ".tenon-";
constexpr std::string_view kByHash = "by-hash";  // a folder of the same files by their hashes alone
constexpr size_t kHashBytes = 32;
constexpr off_t kMaxEntryBytes = off_t{1} << 31;

using Hash = std::array<uint8_t, kHashBytes>;
Hash hash_of(std::string_view bytes) { return llvm::SHA256::hash(llvm::ArrayRef(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size())); }
std::string_view as_text(const Hash& hash) { return {reinterpret_cast<const char*>(hash.data()), hash.size()}; }

std::string why() { return std::strerror(errno); }

class File {
 public:
  File(const std::string& path, int flags, mode_t mode = 0) : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~File() {
    if (is_open()) ::close(descriptor_);
  }
  File(const File&) = delete;
  bool is_open() const { return descriptor_ >= 0; }

  bool read_all(std::string& bytes) const {
    struct stat status;
    if (::fstat(descriptor_, &status) != 0) return false;
    if (!S_ISREG(status.st_mode) || status.st_size > kMaxEntryBytes) {
      errno = EFBIG;
      return false;
    }
    bytes.resize(static_cast<size_t>(status.st_size));
    size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t got = ::read(descriptor_, bytes.data() + done, bytes.size() - done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return false;
      if (got == 0) break;  // shorter than it was: its hash tells
      done += static_cast<size_t>(got);
    }
    bytes.resize(done);
    return true;
  }
  bool write_all(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t put = ::write(descriptor_, bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return false;
      bytes.remove_prefix(static_cast<size_t>(put));
    }
    return true;
  }

 private:
  int descriptor_;
};

struct BuildId {
  uintptr_t address;
  std::string bytes;
};
// The note NT_GNU_BUILD_ID of the object that holds `address`.
int find_build_id(dl_phdr_info* object, size_t, void* data) {
  auto& wanted = *static_cast<BuildId*>(data);
  bool is_it = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    const uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    is_it |= segment.p_type == PT_LOAD && wanted.address >= begin && wanted.address < begin + segment.p_memsz;
  }
  if (!is_it) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const char* at = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
    const char* const end = at + segment.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char* const name = at + sizeof note;
      const char* const contents = name + (note.n_namesz + 3) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
        wanted.bytes.assign(contents, note.n_descsz);
      at = contents + (note.n_descsz + 3) / 4 * 4;
    }
  }
  return 1;
}

}  // namespace

const std::string& build_identity() {
  static const std::string identity = [] {
    BuildId id{reinterpret_cast<uintptr_t>(&build_identity), {}};
    dl_iterate_phdr(find_build_id, &id);
    return llvm::toHex(id.bytes, /*LowerCase=*/true);
  }();
  return identity;
}

PersistentCache::PersistentCache(std::string module_name, std::string_view key) : module_name_(std::move(module_name)) {
  directory_ = options().compilation_cache_dir;
  if (!is_on()) return;
  if (build_identity().empty()) {
    log("tenon.compiler", logging::Level::warning, "The persistent compilation cache is off: this library was linked without --build-id, so that nothing tells its builds apart");
    directory_.clear();
    return;
  }
  hash_ = llvm::toHex(as_text(hash_of(key)), /*LowerCase=*/true);
}

std::string PersistentCache::path_of(std::string_view module_name) const {
  std::string name(module_name.substr(0, 128));
  for (char& c : name)
    if (!llvm::isAlnum(c) && c != '_' && c != '-' && c != '.') c = '_';
  return directory_ + "/" + name + "-" + hash_ + std::string(kSuffix);
}

std::string PersistentCache::by_hash() const { return directory_ + "/" + std::string(kByHash) + "/" + hash_; }

std::string PersistentCache::find() const {
  std::error_code error;
  for (const std::string& path : {path_of(module_name_), by_hash()})
    if (fs::exists(path, error)) return path;
  return {};
}

std::optional<std::string> PersistentCache::read() const {
  if (!is_on()) return std::nullopt;
  const std::string path = find();
  std::string bytes;
  if (!path.empty()) {
    const File file(path, O_RDONLY | O_NONBLOCK);
    if (!file.is_open() || !file.read_all(bytes)) {
      reject(why());
    } else if (bytes.size() < kMagic.size() + kHashBytes || !bytes.starts_with(kMagic) ||
               as_text(hash_of(std::string_view(bytes).substr(kMagic.size() + kHashBytes))) != std::string_view(bytes).substr(kMagic.size(), kHashBytes)) {
      reject("the file is torn or altered");
    } else {
      ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // used now
      log("tenon.compiler", logging::Level::debug, "Persistent compilation cache hit for '", module_name_, "' with key '", module_name_, "-", hash_, "'");
      return bytes.substr(kMagic.size() + kHashBytes);
    }
  }
  log("tenon.compiler", logging::Level::debug, "PERSISTENT COMPILATION CACHE MISS for '", module_name_, "' with key '", module_name_, "-", hash_, "'");
  return std::nullopt;
}

void PersistentCache::reject(std::string_view reason) const {
  log("tenon.compiler", logging::Level::warning, "Error reading persistent compilation cache entry for '", module_name_, "': ", reason, "; it is compiled anew (",
      directory_, ")");
}

void PersistentCache::write(std::string_view entry, double compile_seconds) const {
  if (!is_on()) return;
  const OptionValues& o = options();
  const auto leave = [&](const auto&... reason) {
    log("tenon.compiler", logging::Level::debug, "Not writing persistent cache entry for '", module_name_, "' because ", reason...);
  };
  if (compile_seconds < o.persistent_cache_min_compile_time_secs)
    return leave("it took < ", o.persistent_cache_min_compile_time_secs, " seconds to compile (", compile_seconds, "s)");
  if (static_cast<int64_t>(entry.size()) < o.persistent_cache_min_entry_size_bytes)
    return leave("its size (", entry.size(), ") is less than the threshold (", o.persistent_cache_min_entry_size_bytes, ")");
  const auto fail_to = [&](const char* what) {
    log("tenon.compiler", logging::Level::warning, "Error writing persistent compilation cache entry for '", module_name_, "': cannot ", what, " in ", directory_,
        ": ", why());
  };
  std::error_code error;
  fs::create_directories(directory_, error);
  const std::string path = path_of(module_name_);
  // Process numbers repeat, in containers above all.
  static thread_local std::mt19937_64 random{std::random_device{}()};
  const std::string beside = directory_ + "/" + std::string(kTemporary) + hash_ + "." + std::to_string(::getpid()) + "." + std::to_string(random());
  const Hash hash = hash_of(entry);
  {
    const File file(beside, O_WRONLY | O_CREAT | O_EXCL, 0644);
    if (!file.is_open()) return fail_to("create a file");
    if (!file.write_all(kMagic) || !file.write_all(as_text(hash)) || !file.write_all(entry)) {
      fail_to("write a file");
      ::unlink(beside.c_str());
      return;
    }
  }
  if (::rename(beside.c_str(), path.c_str()) != 0) {
    fail_to("rename a file");
    ::unlink(beside.c_str());
    return;
  }
  fs::create_directories(directory_ + "/" + std::string(kByHash), error);
  ::unlink(by_hash().c_str());  // of a file that was replaced
  if (::link(path.c_str(), by_hash().c_str()) != 0 && errno != EEXIST) fail_to("link a file");
  log("tenon.compiler", logging::Level::debug, "Writing ", module_name_, " to persistent compilation cache with key '", module_name_, "-", hash_, "'");
  tidy();
}

void PersistentCache::tidy() const {
  constexpr auto kAbandoned = std::chrono::hours(1);
  const int64_t limit = options().compilation_cache_max_size;
  static std::atomic<bool> is_first{true};
  if (limit < 0 && !is_first.exchange(false)) return;
  struct Entry {
    fs::file_time_type used;
    int64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  int64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator file(directory_, error), end; !error && file != end; file.increment(error)) {
    std::error_code gone;  // another process may be at it
    const std::string name = file->path().filename();
    if (name.starts_with(kTemporary) && fs::file_time_type::clock::now() - file->last_write_time(gone) > kAbandoned) fs::remove(file->path(), gone);
    if (limit < 0 || !name.ends_with(kSuffix)) continue;
    Entry entry{file->last_write_time(gone), static_cast<int64_t>(file->file_size(gone)), file->path()};
    if (gone) continue;
    total += entry.bytes;
    entries.push_back(std::move(entry));
  }
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    if (total <= limit) return;
    const std::string name = entry.path.filename();
    const std::string_view hash = std::string_view(name).substr(0, name.size() - kSuffix.size());
    std::error_code gone;
    fs::remove(directory_ + "/" + std::string(kByHash) + "/" + std::string(hash.substr(hash.size() < 64 ? 0 : hash.size() - 64)), gone);
    if (fs::remove(entry.path, error)) total -= entry.bytes;
  }
}

}  // namespace tenon::detail
