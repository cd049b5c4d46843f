#include "profiler/trace_text.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "profiler/annotation.h"

namespace tenon::profiler {

// Of XProf's contexts: which thread's events belong together.
constexpr int64_t kContextOfLaunch = 5;  // PjRt

const char* category_of(EventKind kind) {
  switch (kind) {
    case EventKind::annotation: return "annotation";
    case EventKind::step: return "step";
    case EventKind::jit_call: return "call";
    case EventKind::eager_call: return "eager call";
    case EventKind::stage: return "stage";
    case EventKind::pass: return "pass";
    case EventKind::disk_cache: return "cache";
    case EventKind::launch: return "launch";
    case EventKind::program: return "program";
    case EventKind::kernel: return "kernel";
    case EventKind::gemm: return "gemm";
    case EventKind::chunk: return "chunk";
    case EventKind::copy: return "copy";
    case EventKind::wait: return "wait";
    case EventKind::allocation: return "allocation";
  }
  return "";
}

std::string line_name(const TakenThread& thread) { return thread.name + "/" + std::to_string(thread.id); }

NamedTrace::NamedTrace(TakenTrace taken, Programs known) : trace(std::move(taken)), programs(std::move(known)) {
  for (const TakenThread& thread : trace.threads) relations_.emplace_back(thread.events.size());
  relate_nested();
  relate_launches();
  relate_chunks();
}

const ProgramFacts* NamedTrace::program_of(const Event& event) const {
  const auto at = event.owner ? programs.find(event.owner) : programs.end();
  return at == programs.end() ? nullptr : &at->second;
}
const OperationFacts* NamedTrace::operation_of(const Event& event) const {
  if (event.kind == EventKind::program || event.kind == EventKind::launch) return nullptr;
  const ProgramFacts* program = program_of(event);
  if (!program || event.index < 0 || event.index >= static_cast<int64_t>(program->operations.size())) return nullptr;
  const OperationFacts& operation = program->operations[static_cast<size_t>(event.index)];
  return operation.name.empty() ? nullptr : &operation;
}

// Calls `enter(e, stack)` for each event of a thread with the numbers of those that it lies in, the outermost first.
template <class F>
static void walk(const std::vector<TakenEvent>& events, F enter) {
  std::vector<size_t> open;
  for (size_t e = 0; e < events.size(); ++e) {
    while (!open.empty() && events[open.back()].end_ns() <= events[e].begin_ns && events[open.back()].end_ns() < events[e].end_ns()) open.pop_back();
    enter(e, open);
    open.push_back(e);
  }
}

void NamedTrace::relate_nested() {
  std::vector<std::tuple<int64_t, size_t, size_t>> steps;
  for (size_t t = 0; t < trace.threads.size(); ++t)
    for (size_t e = 0; e < trace.threads[t].events.size(); ++e)
      if (const Event& event = trace.threads[t].events[e]; event.kind == EventKind::step) steps.emplace_back(event.begin_ns, t, e);
  std::ranges::sort(steps);
  for (size_t i = 0; i < steps.size(); ++i) relations_[std::get<1>(steps[i])][std::get<2>(steps[i])].group = static_cast<int32_t>(i);
  for (size_t t = 0; t < trace.threads.size(); ++t) {
    const auto& events = trace.threads[t].events;
    walk(events, [&](size_t e, const std::vector<size_t>& open) {
      if (events[e].kind != EventKind::step && !open.empty()) relations_[t][e].group = relations_[t][open.back()].group;
      if (events[e].kind != EventKind::stage) return;
      for (size_t i = open.size(); i-- > 0;) {
        if (events[open[i]].kind != EventKind::jit_call && events[open[i]].kind != EventKind::eager_call) continue;
        relations_[t][open[i]].is_miss = true;
        break;
      }
    });
  }
}

// What a program does on another thread belongs to the step that started it.
void NamedTrace::relate_launches() {
  std::unordered_map<int64_t, int32_t> groups;
  for (size_t t = 0; t < trace.threads.size(); ++t)
    for (size_t e = 0; e < trace.threads[t].events.size(); ++e)
      if (const Event& event = trace.threads[t].events[e]; event.kind == EventKind::launch) groups[event.index] = relations_[t][e].group;
  for (size_t t = 0; t < trace.threads.size(); ++t) {
    const auto& events = trace.threads[t].events;
    walk(events, [&](size_t e, const std::vector<size_t>& open) {
      Relations& own = relations_[t][e];
      if (own.group >= 0) return;
      if (const auto at = groups.find(events[e].index); events[e].kind == EventKind::program && at != groups.end()) own.group = at->second;
      else if (!open.empty()) own.group = relations_[t][open.back()].group;
    });
  }
}

// A chunk belongs to the run of its kernel in which it begins.
void NamedTrace::relate_chunks() {
  std::map<std::pair<const void*, int64_t>, std::vector<std::pair<int64_t, int32_t>>> runs;
  for (size_t t = 0; t < trace.threads.size(); ++t)
    for (size_t e = 0; e < trace.threads[t].events.size(); ++e)
      if (const Event& event = trace.threads[t].events[e]; event.kind == EventKind::kernel || event.kind == EventKind::gemm)
        runs[{event.owner, event.index}].emplace_back(event.begin_ns, relations_[t][e].group);
  for (auto& [key, list] : runs) std::ranges::sort(list);
  for (size_t t = 0; t < trace.threads.size(); ++t) {
    const auto& events = trace.threads[t].events;
    walk(events, [&](size_t e, const std::vector<size_t>& open) {
      Relations& own = relations_[t][e];
      if (own.group >= 0) return;
      const auto at = events[e].kind == EventKind::chunk ? runs.find({events[e].owner, events[e].index}) : runs.end();
      if (at != runs.end()) {
        auto run = std::ranges::upper_bound(at->second, events[e].begin_ns, {}, &std::pair<int64_t, int32_t>::first);
        if (run != at->second.begin()) own.group = (--run)->second;
      } else if (!open.empty()) {
        own.group = relations_[t][open.back()].group;
      }
    });
  }
}

std::string NamedTrace::name_of(const TakenEvent& event) const {
  switch (event.kind) {
    case EventKind::annotation:
    case EventKind::step: return std::string(read_annotation(event.text).name);
    case EventKind::jit_call: return "PjitFunction(" + event.text + ")";
    case EventKind::eager_call:
    case EventKind::pass: return event.text;
    case EventKind::launch:
    case EventKind::program: {
      const ProgramFacts* program = program_of(event);
      return (event.kind == EventKind::launch ? "launch " : "") + (program ? program->module : std::string("program"));
    }
    case EventKind::allocation: return "allocate";
    default: break;
  }
  if (const OperationFacts* operation = operation_of(event)) return operation->name;
  if (event.name) return event.name;
  return category_of(event.kind);
}

std::vector<NamedTrace::OwnedStat> NamedTrace::stats_of(size_t t, size_t e) const {
  const TakenEvent& event = trace.threads[t].events[e];
  const Relations& related = relations(t, e);
  std::vector<OwnedStat> stats;
  switch (event.kind) {
    case EventKind::annotation:
    case EventKind::step:
      for (auto& [key, value] : read_annotation(event.text).metadata) stats.emplace_back(std::string(key), std::move(value));
      if (event.kind != EventKind::step) break;
      stats.emplace_back("_r", 1);
      stats.emplace_back("step_name", name_of(event) + " " + std::to_string(event.index));  // events with a group_id are grouped
      break;
    case EventKind::jit_call:
    case EventKind::eager_call: stats.emplace_back("cache", related.is_miss ? "miss" : "hit"); break;
    case EventKind::stage: stats.emplace_back("function", event.text); break;
    case EventKind::disk_cache: stats.emplace_back("function", event.text), stats.emplace_back("found", event.index); break;
    case EventKind::launch: stats.emplace_back("_pt", kContextOfLaunch), stats.emplace_back("_p", event.index); break;
    case EventKind::program:
      if (event.index != 0) stats.emplace_back("_ct", kContextOfLaunch), stats.emplace_back("_c", event.index);
      break;
    case EventKind::allocation:
      if (event.name) stats.emplace_back("site", event.name);
      break;
    default: break;
  }
  if (event.bytes > 0 && !operation_of(event)) stats.emplace_back("bytes", event.bytes);
  if (related.group >= 0) stats.emplace_back("group_id", related.group);
  return stats;
}

std::vector<NamedTrace::Stat> NamedTrace::shared_stats_of(const Event& event) const {
  std::vector<Stat> stats{{"category", category_of(event.kind)}};
  const ProgramFacts* program = program_of(event);
  if (!program) return stats;
  stats.emplace_back("hlo_module", program->module);
  stats.emplace_back("program_id", program->id);
  const OperationFacts* operation = operation_of(event);
  if (!operation) return stats;
  stats.emplace_back("hlo_op", operation->name);
  stats.emplace_back("hlo_category", operation->opcode);
  if (!operation->op_name.empty()) stats.emplace_back("tf_op", operation->op_name);
  if (!operation->source.empty()) stats.emplace_back("source", operation->source);
  stats.emplace_back("flops", static_cast<int64_t>(operation->flops));
  if (operation->transcendentals > 0) stats.emplace_back("transcendentals", static_cast<int64_t>(operation->transcendentals));
  stats.emplace_back("bytes_accessed", static_cast<int64_t>(operation->bytes));
  if (!operation->bound.empty()) {
    stats.emplace_back("bound_by", operation->bound);
    stats.emplace_back("roofline_ns", operation->roofline_seconds * 1e9);
  }
  return stats;
}

}  // namespace tenon::profiler
