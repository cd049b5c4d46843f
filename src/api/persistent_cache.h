// Compiled programs on disk, for the next process. A directory of files
//
//     jit_f-<64 hexadecimal digits>-cache
//
// named by the program and the hash of all that its code depends on: text without names of the program and source lines,
// captured arrays, options, build of the library, instruction set. Files are written beside and moved into place, so that
// processes may share a directory; what is torn, foreign or altered is found by its own hash, and compiled anew.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tenon::detail {

class PersistentCache {
 public:
  /// `key`: all that the code depends on. Nothing happens when the option compilation_cache_dir is empty.
  PersistentCache(std::string module_name, std::string_view key);

  bool is_on() const { return !directory_.empty(); }
  /// The entry, if there is a good one. Logs a hit or a miss.
  std::optional<std::string> read() const;
  /// Says that the entry cannot be used, whatever its hash said.
  void reject(std::string_view reason) const;
  /// Writes the entry unless options say that it is not worth it; removes the entries that were not used for longest when the directory grows
  /// beyond its limit. What cannot be written is logged and lost.
  void write(std::string_view entry, double compile_seconds) const;

 private:
  std::string path_of(std::string_view module_name) const;
  std::string by_hash() const;
  /// The file of an entry with this hash, whatever the program is called there.
  std::string find() const;
  /// Removes what processes left that were killed while they wrote, and the oldest entries above the limit.
  void tidy() const;

  std::string directory_, module_name_, hash_;
};

/// Identifies this build of the library: what one build wrote no other reads. Empty when it cannot be told.
const std::string& build_identity();

}  // namespace tenon::detail
