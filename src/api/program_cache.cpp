#include "api/program_cache.h"

#include <algorithm>
#include <vector>

#include "base/options.h"
#include "core/jaxpr_cache.h"
#include "runtime/process.h"

namespace tenon {
namespace detail {

std::atomic<uint64_t> KeptProgram::latest_use{0};

ProgramCache& ProgramCache::get() {
  static auto* cache = new ProgramCache;
  return *cache;
}

// A child must not find a lock held by a thread that it does not have.
ProgramCache::ProgramCache() {
  runtime::on_fork({[] { ProgramCache::get().lock_all(); }, [] { ProgramCache::get().unlock_all(); }, [] { ProgramCache::get().unlock_all(); }});
}
void ProgramCache::lock_all() {
  mutex_.lock();
  for (ProgramOwner* owner : owners_) owner->mutex_.lock();
}
void ProgramCache::unlock_all() {
  for (ProgramOwner* owner : owners_) owner->mutex_.unlock();
  mutex_.unlock();
}

ProgramOwner::ProgramOwner() {
  ProgramCache& cache = ProgramCache::get();
  std::lock_guard lock(cache.mutex_);
  place_ = cache.owners_.insert(cache.owners_.end(), this);
}
ProgramOwner::~ProgramOwner() {
  ProgramCache& cache = ProgramCache::get();
  std::lock_guard lock(cache.mutex_);
  cache.owners_.erase(place_);
}

void ProgramOwner::leave() {
  ProgramCache& cache = ProgramCache::get();
  std::lock_guard lock(cache.mutex_);
  for (auto at = cache.programs_.begin(); at != cache.programs_.end();) {
    KeptProgram& program = **at++;
    if (program.owner_ == this) cache.drop(program);
  }
}

KeptProgram::~KeptProgram() { ProgramCache::get().remove(*this); }

void ProgramCache::remove(KeptProgram& program) {
  std::lock_guard lock(mutex_);
  if (program.owner_) drop(program);
}

void ProgramCache::drop(KeptProgram& program) {
  programs_.erase(program.place_);
  stats_.hits += program.hits_.exchange(0, std::memory_order_relaxed);
  stats_.bytes -= program.bytes_;
  program.owner_ = nullptr;
}

void ProgramCache::keep(KeptProgram& program, ProgramOwner& owner, int64_t bytes, bool is_miss) {
  const int64_t limit = options().program_cache_max_bytes;
  std::vector<Ref<KeptProgram>> forgotten;  // freed after the lock: programs hold what users gave them
  std::lock_guard lock(mutex_);
  stats_.misses += is_miss;
  if (!program.owner_) program.place_ = programs_.insert(programs_.end(), &program);
  stats_.bytes += bytes - (program.owner_ ? program.bytes_ : 0);
  program.owner_ = &owner;
  program.bytes_ = bytes;
  program.use(false);
  while (limit >= 0 && stats_.bytes > limit && programs_.size() > 1) {
    KeptProgram& oldest = **std::ranges::min_element(programs_, {}, [](const KeptProgram* p) { return p->used_.load(std::memory_order_relaxed); });
    ProgramOwner& keeper = *oldest.owner_;
    drop(oldest);
    if (Ref<KeptProgram> reference = keeper.forget(oldest)) {
      forgotten.push_back(std::move(reference));
      ++stats_.evictions;
    }
  }
}

CacheStats ProgramCache::stats() {
  std::lock_guard lock(mutex_);
  CacheStats stats = stats_;
  for (const KeptProgram* program : programs_) stats.hits += program->hits_.load(std::memory_order_relaxed);
  stats.entries = static_cast<int64_t>(programs_.size());
  return stats;
}

void ProgramCache::clear() {
  std::vector<Ref<KeptProgram>> forgotten;
  std::lock_guard lock(mutex_);
  while (!programs_.empty()) {
    KeptProgram& program = *programs_.front();
    ProgramOwner& keeper = *program.owner_;
    drop(program);
    if (Ref<KeptProgram> reference = keeper.forget(program)) forgotten.push_back(std::move(reference));
  }
  stats_ = {};
}

}  // namespace detail

CacheStats program_cache_stats() { return detail::ProgramCache::get().stats(); }
void clear_caches() {
  detail::ProgramCache::get().clear();
  detail::JaxprCaches::clear();
}

}  // namespace tenon
