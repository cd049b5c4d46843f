// What a transformation made of a jaxpr, found again by the identity of the jaxpr.
#pragma once

#include <list>
#include <mutex>
#include <vector>

#include "tenon/jaxpr.h"

namespace tenon::detail {

/// Results by jaxpr and masks; the one not used for longest goes when there are too many. Threads may share it.
template <class Result>
class JaxprCache {
 public:
  using Masks = std::vector<std::vector<bool>>;
  template <class Make>
  Result get(const Jaxpr& jaxpr, const Masks& masks, Make make) {
    {
      std::lock_guard lock(mutex_);
      for (auto at = entries_.begin(); at != entries_.end(); ++at) {
        if (!(at->jaxpr == jaxpr) || at->masks != masks) continue;
        entries_.splice(entries_.begin(), entries_, at);
        return at->result;
      }
    }
    Result result = make();  // outside: rules may come here again
    std::lock_guard lock(mutex_);
    entries_.push_front({jaxpr, masks, result});
    if (entries_.size() > kMaxEntries) entries_.pop_back();
    return result;
  }

 private:
  static constexpr size_t kMaxEntries = 256;
  struct Entry {
    Jaxpr jaxpr;
    Masks masks;
    Result result;
  };
  std::mutex mutex_;
  std::list<Entry> entries_;
};

}  // namespace tenon::detail
