#include "core/jaxpr_cache.h"

namespace tenon::detail {
namespace {

struct All {
  std::mutex mutex;
  std::vector<JaxprCaches*> caches;
};
All& all() {
  static auto* all = new All;
  return *all;
}

}  // namespace

JaxprCaches::JaxprCaches() {
  std::lock_guard lock(all().mutex);
  all().caches.push_back(this);
}

void JaxprCaches::clear() {
  std::unique_lock lock(all().mutex);
  const std::vector<JaxprCaches*> caches = all().caches;
  lock.unlock();
  for (JaxprCaches* cache : caches) cache->forget();
}

}  // namespace tenon::detail
