// For any machine.
#include "runtime/machine/probes.h"

namespace tenon::runtime {

constinit const MachineProbes kBaselineProbes = probes<16>();

}  // namespace tenon::runtime
