#include "profiler/link.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <system_error>

#include "base/fail.h"
#include "base/log.h"

namespace tenon::profiler {
namespace {

constexpr int kPort = 9001;  // the one from which ui.perfetto.dev may fetch
constexpr const char* kFile = "perfetto_trace.json.gz";

using Clock = std::chrono::steady_clock;

class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket() {
    if (fd_ >= 0) ::close(fd_);
  }
  Socket(const Socket&) = delete;
  int get() const { return fd_; }
  /// False when the time is over.
  bool wait(short events, Clock::time_point end) const {
    while (true) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
      if (left <= 0) return false;
      pollfd poll{fd_, events, 0};
      const int n = ::poll(&poll, 1, static_cast<int>(std::min<long long>(left, 60'000)));
      if (n > 0) return true;
      if (n < 0 && errno != EINTR) return false;
    }
  }

 private:
  int fd_;
};

void send_all(const Socket& socket, std::string_view bytes, Clock::time_point end) {
  while (!bytes.empty() && socket.wait(POLLOUT, end)) {
    const ssize_t n = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) bytes.remove_prefix(static_cast<size_t>(n));
    else if (n == 0 || (errno != EINTR && errno != EAGAIN)) return;
  }
}

// The lines of a request up to the empty one.
std::string receive_head(const Socket& socket, Clock::time_point end) {
  std::string head;
  char room[4096];
  while (head.size() < sizeof room * 4 && head.find("\r\n\r\n") == head.npos && socket.wait(POLLIN, end)) {
    const ssize_t n = ::recv(socket.get(), room, sizeof room, 0);
    if (n <= 0) break;
    head.append(room, static_cast<size_t>(n));
  }
  return head;
}

// True when it was the trace that was asked for.
bool answer(const Socket& socket, const std::string& trace, Clock::time_point end) {
  const std::string head = receive_head(socket, end);
  const bool is_found = head.starts_with(std::string("GET /") + kFile + " ");
  std::string reply = is_found ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 404 Not Found\r\n";
  reply += "Access-Control-Allow-Origin: https://ui.perfetto.dev\r\nContent-Type: application/gzip\r\nConnection: close\r\nContent-Length: ";
  reply += std::to_string(is_found ? trace.size() : 0) + "\r\n\r\n";
  send_all(socket, reply, end);
  if (is_found) send_all(socket, trace, end);
  return is_found;
}

}  // namespace

void serve_link(const std::string& trace, double seconds) {
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e9)));
  const Socket listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET, address.sin_port = htons(kPort), address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (listener.get() < 0 || ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || ::listen(listener.get(), 4) != 0)
    fail<RuntimeError>("create_perfetto_link", "cannot listen on port ", kPort, " of 127.0.0.1: ", std::generic_category().message(errno),
                       "; the trace is in ", kFile, ", which ui.perfetto.dev opens from disk");
  const std::string link = std::string("https://ui.perfetto.dev/#!/?url=http://127.0.0.1:") + std::to_string(kPort) + "/" + kFile;
  std::printf("Open URL in browser: %s\n", link.c_str());
  std::fflush(stdout);
  detail::log("tenon.profiler", logging::Level::warning, "open ", link, " in a browser");
  while (listener.wait(POLLIN, end)) {
    const Socket client(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (client.get() >= 0 && answer(client, trace, end)) return;
  }
}

}  // namespace tenon::profiler
