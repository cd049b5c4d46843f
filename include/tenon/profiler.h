// Where the time and the memory go: traces that TensorBoard, Perfetto and chrome://tracing open, and profiles of memory
// that pprof opens. docs/profiling.md shows how.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/config.h"
#include "tenon/error.h"
#include "tenon/options_tag.h"

#pragma GCC visibility push(default)

namespace tenon::profiler {

struct TraceOptions {
  TENON_NAMED;
  /// Writes perfetto_trace.json.gz as well.
  bool create_perfetto_trace = false;
  /// stop_trace() offers that file to ui.perfetto.dev on port 9001 of this machine, logs the address ("tenon.profiler",
  /// warning), writes it to stdout, and waits until the file was fetched or `link_seconds` have passed.
  bool create_perfetto_link = false;
  double link_seconds = 600;
  /// Most memory for events. Of a longer trace the youngest are kept and the others counted.
  int64_t max_bytes = int64_t{64} << 20;
};

/// Records what all threads do, until stop_trace(). Throws RuntimeError when a trace is running already, or when
/// `directory` cannot be written; nothing is recorded then.
void start_trace(const std::string& directory, const TraceOptions& options = {});
/// Writes plugins/profile/<time>/<host>.xplane.pb and <host>.trace.json.gz below the directory and returns that folder.
/// Throws RuntimeError when no trace is running, or when the files cannot be written; the trace is over in any case.
///
/// Work that still runs is cut off: wait for results (block_until_ready) before.
std::string stop_trace();

/// Records while it lives.
class Trace {
 public:
  /// Throws as start_trace does.
  [[nodiscard]] explicit Trace(const std::string& directory, const TraceOptions& options = {});
  /// Stops. What goes wrong is logged ("tenon.profiler", warning); stop() throws it.
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  std::string stop();

 private:
  bool is_running_ = true;
};

namespace detail {
const std::atomic<bool>& tracing_flag() noexcept;
/// Is a trace running?
inline bool is_tracing() noexcept {
  static const std::atomic<bool>& flag = tracing_flag();
  return flag.load(std::memory_order_relaxed);
}
}  // namespace detail

/// A name or a number that a viewer shows with an event.
using Metadata = std::pair<std::string_view, config::Value>;

/// An event of this thread while it lives. Nothing when no trace is running.
class TraceAnnotation {
 public:
  [[nodiscard]] explicit TraceAnnotation(std::string_view name, std::initializer_list<Metadata> metadata = {}) {
    if (detail::is_tracing()) [[unlikely]] begin(name, metadata);
  }
  ~TraceAnnotation() {
    if (text_) [[unlikely]] end();
  }
  TraceAnnotation(const TraceAnnotation&) = delete;
  TraceAnnotation& operator=(const TraceAnnotation&) = delete;

 protected:
  TraceAnnotation(std::string_view name, int64_t step) {
    if (detail::is_tracing()) [[unlikely]] begin_step(name, step);
  }

 private:
  void begin(std::string_view name, std::initializer_list<Metadata> metadata);
  void begin_step(std::string_view name, int64_t step);
  void end();

  std::string* text_ = nullptr;  // null: no trace was running, and the others say nothing
  int64_t begin_ns_, step_;
  bool is_step_;
};

/// A step of training: viewers group by its number what happens in it, on other threads too.
class StepTraceAnnotation : public TraceAnnotation {
 public:
  [[nodiscard]] StepTraceAnnotation(std::string_view name, int64_t step_num) : TraceAnnotation(name, step_num) {}
};

namespace detail {
template <class F>
class Annotated {
 public:
  Annotated(F function, std::string name) : function_(std::move(function)), name_(std::move(name)) {}
  template <class... A>
    requires requires(const F& f, A&&... a) { f(std::forward<A>(a)...); }
  decltype(auto) operator()(A&&... arguments) const {
    TraceAnnotation annotation(name_);
    return function_(std::forward<A>(arguments)...);
  }

 private:
  F function_;
  std::string name_;
};
}  // namespace detail

/// A function that does what `function` does, inside of a TraceAnnotation.
template <class F>
detail::Annotated<F> annotate_function(F function, std::string name) {
  return {std::move(function), std::move(name)};
}

// ---- reading

/// What an event, a line or a plane says besides its name.
class Stats {
 public:
  using Entry = std::pair<std::string, config::Value>;
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  size_t size() const { return entries_.size(); }
  /// Null when there is none of this name.
  const config::Value* find(std::string_view name) const;
  /// Of no use unless found: the text or the number, else `otherwise`.
  std::string text(std::string_view name, std::string otherwise = {}) const;
  double number(std::string_view name, double otherwise = 0) const;
  void add(std::string name, config::Value value) { entries_.emplace_back(std::move(name), std::move(value)); }

 private:
  std::vector<Entry> entries_;
};

class ProfileEvent {
 public:
  ProfileEvent(std::string name, int64_t start_ns, double duration_ns, Stats stats)
      : name_(std::move(name)), start_ns_(start_ns), duration_ns_(duration_ns), stats_(std::move(stats)) {}
  const std::string& name() const { return name_; }
  int64_t start_ns() const { return start_ns_; }  ///< since 1970
  double duration_ns() const { return duration_ns_; }
  /// Its own, and those that all events of its name share.
  const Stats& stats() const { return stats_; }

 private:
  std::string name_;
  int64_t start_ns_;
  double duration_ns_;
  Stats stats_;
};

/// A thread, or whatever else does one thing at a time.
class ProfileLine {
 public:
  ProfileLine(std::string name, std::vector<ProfileEvent> events) : name_(std::move(name)), events_(std::move(events)) {}
  const std::string& name() const { return name_; }
  const std::vector<ProfileEvent>& events() const { return events_; }

 private:
  std::string name_;
  std::vector<ProfileEvent> events_;
};

/// A host or a device.
class ProfilePlane {
 public:
  ProfilePlane(std::string name, std::vector<ProfileLine> lines, Stats stats)
      : name_(std::move(name)), lines_(std::move(lines)), stats_(std::move(stats)) {}
  const std::string& name() const { return name_; }
  const std::vector<ProfileLine>& lines() const { return lines_; }
  const Stats& stats() const { return stats_; }

 private:
  std::string name_;
  std::vector<ProfileLine> lines_;
  Stats stats_;
};

/// A trace that was read from a .xplane.pb, ours or that of another profiler.
class ProfileData {
 public:
  /// Throws RuntimeError when the file cannot be read, ParseError when it holds no trace.
  static ProfileData from_file(const std::string& path);
  /// Throws ParseError.
  static ProfileData from_bytes(std::string_view bytes);
  const std::vector<ProfilePlane>& planes() const { return planes_; }
  /// Null when there is none of this name.
  const ProfilePlane* find_plane(std::string_view name) const;

 private:
  std::vector<ProfilePlane> planes_;
};

// ---- what it says

/// A kernel, or whatever else a program starts: all its runs together.
struct KernelTime {
  std::string name, module;      ///< as in Compiled::as_text(): "sine_fusion", "jit_f"
  std::string op_name, source;   ///< "jit(f)/scope/sin", "file.cpp:12"; empty where not known
  std::string bound;             ///< by the roofline: "compute", "memory", "overhead"; empty where not known
  int64_t runs = 0;
  double seconds = 0;            ///< without what ran inside of it (a loop's kernels)
  double flops = 0, bytes = 0;   ///< of all runs
  double roofline_seconds = 0;   ///< the least that they could take
  double share = 0;              ///< of the time of all kernels
};
/// The kernels of one operation of the user's program.
struct OperationTime {
  std::string op_name;
  int64_t runs = 0;
  double seconds = 0, share = 0;
};
/// A time in which no kernel ran, between programs.
struct IdleGap {
  int64_t start_ns = 0;
  double seconds = 0;
  std::string doing;  ///< what the threads did meanwhile that call programs
};
struct TransferTime {
  std::string name;  ///< "copy_from_host"
  int64_t count = 0;
  double bytes = 0, seconds = 0;
};
/// A function that was called.
struct CallTime {
  std::string name;
  int64_t calls = 0, misses = 0;  ///< misses: traced or compiled anew
  double compile_seconds = 0;     ///< all that the misses took
};

/// What a trace answers: what takes the time; what bounds it; when nothing runs; what is moved; what is compiled.
struct Summary {
  double seconds = 0;         ///< from the first event to the last
  double busy_seconds = 0;    ///< in which some kernel ran
  double active_seconds = 0;  ///< from the begin of the first program to the end of the last
  std::vector<KernelTime> kernels;        ///< those that took most first, as in the other lists
  std::vector<OperationTime> operations;
  std::vector<IdleGap> gaps;              ///< the ten longest
  double idle_seconds = 0;                ///< of all gaps
  int64_t gap_count = 0;
  std::vector<TransferTime> transfers;
  std::vector<CallTime> calls;            ///< those with most time of compilation first
  int64_t dropped_events = 0;

  double kernel_seconds() const;
  /// Of the kernels bound so.
  double seconds_bound_by(std::string_view bound) const;
  /// The five answers, then tables.
  std::string str() const;
};

/// Throws ValueError when there is no plane "/host:CPU".
Summary summary(const ProfileData& data);
/// The same as a page that needs nothing else, with a timeline of the (at most 20000) longest events.
std::string summary_html(const ProfileData& data);

// ---- memory

/// The memory of live arrays and compiled programs, now and at the peak, by the line that holds it: a gzipped profile for
/// pprof.
std::string device_memory_profile();
/// A profile in a file. Throws RuntimeError when it cannot be written.
void save_device_memory_profile(const std::string& path);
/// Arrays from this size on (1 MiB) are told apart by the stack of calls that made them, smaller ones by their line alone; 0:
/// all of them. A stack costs some microseconds. Returns the size of before.
int64_t set_memory_stack_min_bytes(int64_t size_bytes);

}  // namespace tenon::profiler

#pragma GCC visibility pop
