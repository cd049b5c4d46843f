// AVX-512: compiled with its flags.
#if defined(__x86_64__)
#include "runtime/machine/probes.h"

namespace tenon::runtime {

constinit const MachineProbes kAvx512Probes = probes<64>();

}  // namespace tenon::runtime
#endif
