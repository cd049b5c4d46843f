#include "api/live_programs.h"

#include <deque>
#include <mutex>
#include <unordered_map>

#include "api/program.h"
#include "base/site.h"

namespace tenon::detail {
namespace {

constexpr size_t kMaxKept = 1024;

struct Entry {
  int64_t number;
  bool has_kernels;
  std::source_location made_at;
};
struct Registry {
  std::mutex mutex;
  std::unordered_map<const CompiledProgram*, Entry> live;
  std::deque<ProgramHandle> kept;
  int keepers = 0;
  int64_t count = 0;
};
Registry& registry() {
  static Registry* all = new Registry;
  return *all;
}

ProgramHandle handle_of(const CompiledProgram& program, const Entry& entry) {
  return {program.executable, program.module, entry.has_kernels, entry.number, entry.made_at};
}

}  // namespace

LiveProgram::LiveProgram(const CompiledProgram& program) : program_(program) {
  Registry& all = registry();
  const bool has_kernels = !find_client(program.facts.backend).optimizes_itself();
  std::lock_guard lock(all.mutex);
  all.live.emplace(&program, Entry{++all.count, has_kernels, t_site ? *t_site : std::source_location()});
}

LiveProgram::~LiveProgram() {
  Registry& all = registry();
  ProgramHandle gone{{}, program_.module, false, 0, {}};
  std::lock_guard lock(all.mutex);
  const auto at = all.live.find(&program_);
  if (at == all.live.end()) return;
  if (all.keepers > 0) {
    all.kept.push_back(handle_of(program_, at->second));
    if (all.kept.size() > kMaxKept) {
      gone = std::move(all.kept.front());  // it goes when the lock is free again
      all.kept.pop_front();
    }
  }
  all.live.erase(at);
}

std::vector<ProgramHandle> live_programs() {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  std::vector<ProgramHandle> programs(all.kept.begin(), all.kept.end());
  for (const auto& [program, entry] : all.live) programs.push_back(handle_of(*program, entry));
  return programs;
}

KeepPrograms::KeepPrograms() {
  std::lock_guard lock(registry().mutex);
  ++registry().keepers;
}
KeepPrograms::~KeepPrograms() {
  std::deque<ProgramHandle> gone;
  std::lock_guard lock(registry().mutex);
  if (--registry().keepers == 0) gone.swap(registry().kept);
}

}  // namespace tenon::detail
