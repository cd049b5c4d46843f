// Text in, the same gzipped out.
#pragma once

#include <string>
#include <string_view>

namespace tenon::profiler {

class Gzip {
 public:
  Gzip();
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  void add(std::string_view text);
  /// All of it; nothing can be added afterwards.
  std::string finish();

 private:
  void deflate_waiting(bool is_end);
  struct Stream;
  Stream* stream_;
  std::string waiting_, out_;
};

std::string gzip(std::string_view bytes);

}  // namespace tenon::profiler
