#include "runtime/scratch.h"

namespace tenon::runtime {

static thread_local ScratchReserve* t_reserve = nullptr;

ScratchReserve* scratch_reserve() noexcept { return t_reserve; }
ReserveScope::ReserveScope(ScratchReserve& reserve) noexcept : outer_(std::exchange(t_reserve, &reserve)) {}
ReserveScope::~ReserveScope() { t_reserve = outer_; }

}  // namespace tenon::runtime
