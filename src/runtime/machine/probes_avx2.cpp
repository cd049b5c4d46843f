// AVX2 with FMA: compiled with -mavx2 -mfma.
#if defined(__x86_64__)
#include "runtime/machine/probes.h"

namespace tenon::runtime {

constinit const MachineProbes kAvx2Probes = probes<32>();

}  // namespace tenon::runtime
#endif
