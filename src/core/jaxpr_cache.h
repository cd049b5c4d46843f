// What a transformation made of a jaxpr, found again by the identity of the jaxpr.
#pragma once

#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "tenon/jaxpr.h"

namespace tenon::detail {

/// What a transformation was asked for, as a key.
inline std::string key_of(std::initializer_list<std::vector<bool>> masks) {
  std::string key;
  for (const std::vector<bool>& mask : masks) {
    for (bool flag : mask) key += flag ? '1' : '0';
    key += ' ';
  }
  return key;
}

/// All caches of this kind, which live as long as the process.
class JaxprCaches {
 public:
  /// Empties each.
  static void clear();

 protected:
  JaxprCaches();
  ~JaxprCaches() = default;
  virtual void forget() = 0;
};

/// Results by jaxpr and key; the one not used for longest goes when there are too many. Threads may share it.
template <class Result>
class JaxprCache final : JaxprCaches {
 public:
  template <class Make>
  Result get(const Jaxpr& jaxpr, const std::string& key, Make make) {
    {
      std::lock_guard lock(mutex_);
      for (auto at = entries_.begin(); at != entries_.end(); ++at) {
        if (!(at->jaxpr == jaxpr) || at->key != key) continue;
        entries_.splice(entries_.begin(), entries_, at);
        return at->result;
      }
    }
    Result result = make();  // outside: rules may come here again
    std::list<Entry> gone;  // freed after the lock
    std::lock_guard lock(mutex_);
    entries_.push_front({jaxpr, key, result});
    if (entries_.size() > kMaxEntries) gone.splice(gone.begin(), entries_, std::prev(entries_.end()));
    return result;
  }

 private:
  void forget() override {
    std::list<Entry> gone;
    std::lock_guard lock(mutex_);
    gone.swap(entries_);
  }

  static constexpr size_t kMaxEntries = 256;
  struct Entry {
    Jaxpr jaxpr;
    std::string key;
    Result result;
  };
  std::mutex mutex_;
  std::list<Entry> entries_;
};

}  // namespace tenon::detail
