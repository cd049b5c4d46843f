// effects_barrier: the end of what running programs do.
#include "tenon/backend.h"
#include "tenon/host_call.h"

namespace tenon {

void effects_barrier() {
  for (Client* client : clients()) client->wait_for_effects();
}

}  // namespace tenon
