// Devices: places where arrays live and programs run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenon/detail/ref.h"
#include "tenon/detail/text_stream.h"

#pragma GCC visibility push(default)

namespace tenon {

class Client;

/// One device of a client. A small value; equal when client and number are.
class Device {
 public:
  Device() = default;
  Device(Client* client, int id) : client_(client), id_(id) {}
  /// "cpu", "gpu", ...
  std::string platform() const;
  int id() const { return id_; }
  /// "cpu:0".
  std::string str() const;
  template <detail::TextStream S>
  friend S& operator<<(S& out, const Device& x) {
    out << x.str();
    return out;
  }
  Client* client() const { return client_; }
  bool operator==(const Device&) const = default;

 private:
  Client* client_ = nullptr;  // lives as long as the process
  int id_ = 0;
};

/// Devices of `backend`, or of the default backend. Throws RuntimeError for an unknown one.
std::vector<Device> devices(std::string_view backend = {});
/// "cpu" unless an option says otherwise.
std::string default_backend();

}  // namespace tenon

#pragma GCC visibility pop
