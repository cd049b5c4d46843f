#include "profiler/gzip.h"

#include <zlib.h>

#include "base/fail.h"

namespace tenon::profiler {

constexpr size_t kWaitingBytes = size_t{256} << 10;

struct Gzip::Stream {
  z_stream z{};
};

Gzip::Gzip() : stream_(new Stream) {
  constexpr int kWithGzipHeader = 16 + MAX_WBITS;
  if (deflateInit2(&stream_->z, Z_BEST_SPEED, Z_DEFLATED, kWithGzipHeader, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    delete stream_;
    fail<OutOfMemoryError>("gzip", "no memory to compress with");
  }
}
Gzip::~Gzip() {
  deflateEnd(&stream_->z);
  delete stream_;
}

void Gzip::add(std::string_view text) {
  waiting_ += text;
  if (waiting_.size() >= kWaitingBytes) deflate_waiting(false);
}

void Gzip::deflate_waiting(bool is_end) {
  z_stream& z = stream_->z;
  char room[size_t{64} << 10];
  std::string_view left = waiting_;
  bool is_done = false;
  while (!is_done) {
    const auto part = static_cast<uInt>(std::min<size_t>(left.size(), 1 << 30));
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(left.data())), z.avail_in = part;
    left.remove_prefix(part);
    const bool finishes = is_end && left.empty();
    do {
      z.next_out = reinterpret_cast<Bytef*>(room), z.avail_out = sizeof room;
      deflate(&z, finishes ? Z_FINISH : Z_NO_FLUSH);
      out_.append(room, sizeof room - z.avail_out);
    } while (z.avail_out == 0);
    is_done = left.empty();
  }
  waiting_.clear();
}

std::string Gzip::finish() {
  deflate_waiting(true);
  return std::move(out_);
}

std::string gzip(std::string_view bytes) {
  Gzip stream;
  stream.add(bytes);
  return stream.finish();
}

}  // namespace tenon::profiler
