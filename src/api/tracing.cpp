// Begins and ends traces: connects the recorder to the runtime, and says what the operations of programs are.
#include <mutex>
#include <optional>
#include <unordered_set>

#include "analysis/cost_analysis.h"
#include "api/live_programs.h"
#include "api/roofline_maker.h"
#include "base/fail.h"
#include "base/log.h"
#include "dialect/module_impl.h"
#include "profiler/chrome_trace.h"
#include "profiler/files.h"
#include "profiler/link.h"
#include "profiler/recorder.h"
#include "profiler/xplane.h"
#include "runtime/trace_hook.h"
#include "tenon/profiler.h"

namespace tenon::profiler {
namespace {

EventKind kind_of(runtime::TraceEventKind kind) {
  using runtime::TraceEventKind;
  switch (kind) {
    case TraceEventKind::launch: return EventKind::launch;
    case TraceEventKind::program: return EventKind::program;
    case TraceEventKind::kernel: return EventKind::kernel;
    case TraceEventKind::gemm: return EventKind::gemm;
    case TraceEventKind::chunk: return EventKind::chunk;
    case TraceEventKind::copy: return EventKind::copy;
    case TraceEventKind::wait: return EventKind::wait;
    case TraceEventKind::allocation: return EventKind::allocation;
  }
  return EventKind::annotation;
}

int64_t on_event(const runtime::TraceEvent& event, int64_t begun) noexcept {
  const int64_t now = now_ns();
  if (begun == 0) return now;
  // Names of executables may be gone when the trace is written.
  record({kind_of(event.kind), begun, now - begun, event.executable ? nullptr : event.name, event.executable, event.index, event.bytes});
  return now;
}

ProgramFacts facts_of(const tenon::detail::ProgramHandle& program, bool with_roofline) {
  ProgramFacts facts;
  facts.module = program.module.name();
  facts.id = program.number;
  if (!program.has_kernels) return facts;
  std::lock_guard lock(context_mutex(program.module));
  const std::vector<analysis::KernelCost> costs = analysis::kernel_costs(program.module).kernels;
  const RooflineReport roofline = with_roofline ? tenon::detail::predicted_roofline(program.module) : RooflineReport();
  for (size_t i = 0; i < costs.size(); ++i) {
    const analysis::KernelCost& cost = costs[i];
    if (cost.launch < 0) continue;
    const auto at = static_cast<size_t>(cost.launch);
    if (facts.operations.size() <= at) facts.operations.resize(at + 1);
    OperationFacts& operation = facts.operations[at];
    operation = {cost.name, cost.opcode, cost.op_name, cost.source, cost.flops, cost.transcendentals, cost.bytes, {}, 0};
    if (i < roofline.size()) operation.bound = name_of(roofline[i].bound), operation.roofline_seconds = roofline[i].predicted_seconds;
  }
  return facts;
}

Programs programs_of(const TakenTrace& trace) {
  std::unordered_set<const void*> owners;
  for (const TakenThread& thread : trace.threads)
    for (const Event& event : thread.events)
      if (event.owner) owners.insert(event.owner);
  Programs programs;
  for (const tenon::detail::ProgramHandle& program : tenon::detail::live_programs())
    if (owners.contains(program.executable.get())) programs.emplace(program.executable.get(), facts_of(program, true));
  return programs;
}

struct Running {
  std::string folder;
  TraceOptions options;
  tenon::detail::KeepPrograms keeps;
};
struct State {
  std::mutex mutex;
  std::optional<Running> running;
};
State& state() {
  static State* all = new State;
  return *all;
}

}  // namespace

void start_trace(const std::string& directory, const TraceOptions& options) {
  State& all = state();
  std::lock_guard lock(all.mutex);
  if (all.running) fail<RuntimeError>("start_trace", "a trace is running already, into ", all.running->folder, "; got ", directory, "; stop it first");
  if (options.max_bytes <= 0) fail<ValueError>("start_trace", "max_bytes is the memory for events; got ", options.max_bytes);
  std::string folder = make_run_folder("start_trace", directory);
  all.running.emplace(std::move(folder), options);
  start_recording(options.max_bytes);
  runtime::set_trace_hook(on_event);
}

std::string stop_trace() {
  State& all = state();
  std::unique_lock lock(all.mutex);
  if (!all.running) fail<RuntimeError>("stop_trace", "no trace is running; start_trace begins one");
  runtime::set_trace_hook(nullptr);
  TakenTrace taken = stop_recording();
  const std::string folder = all.running->folder, host = host_name();
  const TraceOptions options = all.running->options;
  std::optional<NamedTrace> trace;
  try {
    Programs programs = programs_of(taken);
    trace.emplace(std::move(taken), std::move(programs));
  } catch (...) {
    all.running.reset();
    throw;
  }
  all.running.reset();
  lock.unlock();

  write_file("stop_trace", folder + "/" + host + ".xplane.pb", xspace_bytes(*trace, host));
  const std::string json = chrome_trace_gz(*trace, host);
  write_file("stop_trace", folder + "/" + host + ".trace.json.gz", json);
  const bool has_link = options.create_perfetto_link;
  if (options.create_perfetto_trace || has_link) write_file("stop_trace", folder + "/perfetto_trace.json.gz", json);
  trace.reset();
  if (has_link) serve_link(json, options.link_seconds);
  return folder;
}

Trace::Trace(const std::string& directory, const TraceOptions& options) { start_trace(directory, options); }
Trace::~Trace() {
  if (!is_running_) return;
  try {
    stop_trace();
  } catch (const std::exception& error) {
    tenon::detail::log("tenon.profiler", logging::Level::warning, error.what());
  }
}
std::string Trace::stop() {
  is_running_ = false;
  return stop_trace();
}

}  // namespace tenon::profiler
