// What gzip made smaller, as it was.
#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace tenon {

inline std::string unzip(std::string_view bytes) {
  z_stream z{};
  if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) throw std::runtime_error("inflateInit2");
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())), z.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int result = Z_OK;
  while (result == Z_OK) {
    char room[4096];
    z.next_out = reinterpret_cast<Bytef*>(room), z.avail_out = sizeof room;
    result = inflate(&z, Z_NO_FLUSH);
    out.append(room, sizeof room - z.avail_out);
  }
  inflateEnd(&z);
  if (result != Z_STREAM_END) throw std::runtime_error("not gzip");
  return out;
}

}  // namespace tenon
