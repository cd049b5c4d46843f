#include "runtime/allocation_site.h"

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>

#include "runtime/allocator.h"
#include "runtime/process.h"
#include "tenon/runtime.h"

namespace tenon::runtime {
namespace {

constexpr size_t kMaxSites = 4096;

struct Sites {
  std::mutex mutex;
  std::map<std::string, AllocationSite, std::less<>> by_label;
};
Sites& sites() {
  static auto* all = [] {
    static auto* made = new Sites;
    on_fork({[] { made->mutex.lock(); }, [] { made->mutex.unlock(); }, [] { made->mutex.unlock(); }});
    return made;
  }();
  return *all;
}

}  // namespace

AllocationSite& allocation_site(std::string_view label) {
  Sites& all = sites();
  std::lock_guard lock(all.mutex);
  if (const auto at = all.by_label.find(label); at != all.by_label.end()) return at->second;
  const std::string name(all.by_label.size() < kMaxSites ? label : std::string_view("others"));
  return all.by_label.try_emplace(name, name).first->second;
}

void each_allocation_site(tenon::detail::FunctionRef<void(const AllocationSite&)> visit) {
  Sites& all = sites();
  std::lock_guard lock(all.mutex);
  for (const auto& [label, site] : all.by_label) visit(site);
}

}  // namespace tenon::runtime

std::vector<tenon::MemorySite> tenon::memory_sites() {
  std::vector<MemorySite> all;
  int64_t rest = runtime::Allocator::get().stats().live_bytes;
  runtime::each_allocation_site([&](const runtime::AllocationSite& site) {
    all.push_back({site.label, site.live_bytes.load(), site.peak_bytes.load(), site.allocations.load()});
    rest -= all.back().live_bytes;
  });
  all.push_back({"scratch, plans and constants", std::max<int64_t>(rest, 0)});
  std::ranges::stable_sort(all, std::greater(), &MemorySite::live_bytes);
  return all;
}
