// Which programs are kept: all, up to the option program_cache_max_bytes; what was not used for longest goes. Calls find their
// programs where their owners keep them, and not here: the cache only counts, and tells owners what to forget.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>

#include "tenon/detail/ref.h"
#include "tenon/jit.h"

namespace tenon::detail {

class KeptProgram;

/// Who keeps programs: a jitted function, the eager operations.
class ProgramOwner {
 public:
  ProgramOwner();
  virtual ~ProgramOwner();
  ProgramOwner(const ProgramOwner&) = delete;
  /// Gives `program` up, and hands back the reference to it; none when it had given it up already. Must not call the cache.
  virtual Ref<KeptProgram> forget(KeptProgram& program) = 0;

 protected:
  /// In the destructor of the derived class: nothing is asked of this owner from here on.
  void leave();
  /// Of what it keeps. Held for a few instructions, never around a call of the cache; free in a child of fork.
  mutable std::mutex mutex_;

 private:
  friend class ProgramCache;
  std::list<ProgramOwner*>::iterator place_;  // under the cache's lock
};

class KeptProgram : public RefCounted {
 public:
  ~KeptProgram() override;
  /// It is being used; `is_hit`: found compiled. Under the owner's lock.
  void use(bool is_hit) noexcept {
    if (is_hit) hits_.store(hits_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (used_.load(std::memory_order_relaxed) != latest_use.load(std::memory_order_relaxed))
      used_.store(latest_use.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

 private:
  friend class ProgramCache;
  friend class ProgramOwner;
  static std::atomic<uint64_t> latest_use;
  std::atomic<uint64_t> used_{UINT64_MAX};  // never
  std::atomic<int64_t> hits_{0};
  // Under the cache's lock:
  ProgramOwner* owner_ = nullptr;  // null: not in the cache
  int64_t bytes_ = 0;
  std::list<KeptProgram*>::iterator place_;
};

class ProgramCache {
 public:
  static ProgramCache& get();

  /// `program` is kept by `owner` from now on, or takes `bytes` now; `is_miss`: it was compiled. Others are forgotten until all that
  /// is kept fits the limit, or until it alone is left.
  void keep(KeptProgram& program, ProgramOwner& owner, int64_t bytes, bool is_miss);
  CacheStats stats();
  /// Every owner forgets everything, and counting starts again.
  void clear();

 private:
  friend class KeptProgram;
  friend class ProgramOwner;
  ProgramCache();
  void lock_all();
  void unlock_all();
  void remove(KeptProgram& program);
  void drop(KeptProgram& program);  // under the lock

  std::mutex mutex_;
  std::list<KeptProgram*> programs_;
  std::list<ProgramOwner*> owners_;
  CacheStats stats_;  // hits: of programs that are gone
};

}  // namespace tenon::detail
