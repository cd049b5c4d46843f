// The backend "cpu".
#pragma once

#include "tenon/backend.h"

namespace tenon::cpu {

/// The client, registered when the library is loaded.
Client& client();

}  // namespace tenon::cpu
