// The registry of backends and the devices they bring.
#include <mutex>

#include "base/fail.h"
#include "base/options.h"
#include "tenon/backend.h"

namespace tenon {
namespace {
struct Registry {
  std::mutex mutex;
  std::vector<Client*> clients;
};
Registry& registry() {
  static Registry* all = new Registry;
  return *all;
}
}  // namespace

void register_backend(Client* client) {
  std::lock_guard lock(registry().mutex);
  for (Client* other : registry().clients)
    if (other->platform() == client->platform())
      fail<ValueError>("register_backend", "there is already a backend called '", client->platform(), "'");
  registry().clients.push_back(client);
}

std::vector<Client*> clients() {
  std::lock_guard lock(registry().mutex);
  return registry().clients;
}

Client& find_client(std::string_view platform) {
  std::string name(platform.empty() ? std::string_view(options().default_backend) : platform);
  std::lock_guard lock(registry().mutex);
  std::string known;
  for (Client* client : registry().clients) {
    if (client->platform() == name) return *client;
    known += " " + std::string(client->platform());
  }
  fail<RuntimeError>("backend", "there is no backend called '", name, "'; there are:", known);
}

std::vector<Device> devices(std::string_view backend) {
  Client& client = find_client(backend);
  std::vector<Device> all;
  for (int id = 0; id < client.device_count(); ++id) all.emplace_back(&client, id);
  return all;
}
std::string default_backend() { return std::string(find_client().platform()); }

std::string Device::platform() const {
  if (!client_) fail<ValueError>("Device", "it is empty; ask devices()");
  return std::string(client_->platform());
}
std::string Device::str() const { return platform() + ":" + std::to_string(id_); }

}  // namespace tenon
