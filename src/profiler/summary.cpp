// A trace in, the answers out.
#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "base/fail.h"
#include "profiler/summary.h"

namespace tenon::profiler {
namespace {

constexpr size_t kGaps = 10;

double seconds_of(const ProfileEvent& event) { return event.duration_ns() / 1e9; }

/// The stats that are asked for once for each event.
struct Read {
  explicit Read(const ProfileEvent& event) : event(event), category(event.stats().text("category")), is_operation(event.stats().find("hlo_op") != nullptr) {}
  const ProfileEvent& event;
  std::string category;
  bool is_operation;
  bool is_kernel() const { return is_operation && category != "chunk"; }
};

class Summarizer {
 public:
  explicit Summarizer(const ProfileData& data) : data_(data) {}

  Summary make() {
    for (const ProfileLine& line : host_plane(data_).lines()) add(line);
    if (last_ns_ > first_ns_) summary_.seconds = static_cast<double>(last_ns_ - first_ns_) / 1e9;
    if (const ProfilePlane* environment = data_.find_plane("Task Environment"))
      summary_.dropped_events = static_cast<int64_t>(environment->stats().number("dropped_events"));
    take_kernels();
    find_gaps();
    for (auto& [name, transfer] : transfers_) summary_.transfers.push_back(transfer);
    std::ranges::sort(summary_.transfers, {}, [](const TransferTime& t) { return std::tuple(-t.seconds, t.name); });
    for (auto& [name, call] : calls_) summary_.calls.push_back(call);
    std::ranges::sort(summary_.calls, {}, [](const CallTime& c) { return std::tuple(-c.compile_seconds, -c.calls, c.name); });
    return std::move(summary_);
  }

 private:
  void add(const ProfileLine& line) {
    std::vector<std::pair<int64_t, KernelTime*>> open;  // kernels, by their ends
    std::vector<std::pair<int64_t, CallTime*>> open_calls;
    for (const ProfileEvent& event : line.events()) {
      const Read read(event);
      const int64_t end = end_of(event);
      first_ns_ = std::min(first_ns_, event.start_ns()), last_ns_ = std::max(last_ns_, end);
      if (read.is_kernel()) {
        while (!open.empty() && open.back().first <= event.start_ns()) open.pop_back();
        KernelTime& kernel = kernel_of(event);
        ++kernel.runs;
        kernel.seconds += seconds_of(event);
        kernel.flops += event.stats().number("flops"), kernel.bytes += event.stats().number("bytes_accessed");
        kernel.roofline_seconds += event.stats().number("roofline_ns") / 1e9;
        if (!open.empty()) open.back().second->seconds -= seconds_of(event);
        open.emplace_back(end, &kernel);
        busy_.emplace_back(event.start_ns(), end);
      } else if (read.category == "program") {
        programs_.emplace_back(event.start_ns(), end);
      } else if (read.category == "copy") {
        TransferTime& transfer = transfers_[event.name()];
        transfer.name = event.name();
        ++transfer.count;
        transfer.bytes += event.stats().number("bytes"), transfer.seconds += seconds_of(event);
      } else if (read.category == "call" || read.category == "eager call") {
        while (!open_calls.empty() && open_calls.back().first <= event.start_ns()) open_calls.pop_back();
        CallTime& call = calls_[event.name()];
        call.name = event.name();
        ++call.calls;
        if (event.stats().text("cache") == "miss") ++call.misses;
        open_calls.emplace_back(end, &call);
      } else if (read.category == "stage" && (event.name() == "trace" || event.name() == "lower" || event.name() == "compile")) {
        while (!open_calls.empty() && open_calls.back().first <= event.start_ns()) open_calls.pop_back();
        CallTime& call = open_calls.empty() ? calls_[event.stats().text("function")] : *open_calls.back().second;
        if (call.name.empty()) call.name = event.stats().text("function");
        call.compile_seconds += seconds_of(event);
      }
    }
  }

  KernelTime& kernel_of(const ProfileEvent& event) {
    KernelTime& kernel = kernels_[{event.stats().text("hlo_module"), event.stats().text("program_id"), event.name()}];
    if (kernel.runs > 0) return kernel;
    kernel.name = event.name(), kernel.module = event.stats().text("hlo_module");
    kernel.op_name = event.stats().text("tf_op"), kernel.source = event.stats().text("source"), kernel.bound = event.stats().text("bound_by");
    return kernel;
  }

  void take_kernels() {
    double all = 0;
    std::map<std::string, OperationTime> operations;
    for (auto& [key, kernel] : kernels_) {
      kernel.seconds = std::max(kernel.seconds, 0.0);
      all += kernel.seconds;
      OperationTime& operation = operations[kernel.op_name.empty() ? kernel.name : kernel.op_name];
      operation.runs += kernel.runs, operation.seconds += kernel.seconds;
      summary_.kernels.push_back(kernel);
    }
    for (auto& [name, operation] : operations) {
      operation.op_name = name;
      summary_.operations.push_back(operation);
    }
    for (KernelTime& kernel : summary_.kernels) kernel.share = all > 0 ? kernel.seconds / all : 0;
    for (OperationTime& operation : summary_.operations) operation.share = all > 0 ? operation.seconds / all : 0;
    std::ranges::sort(summary_.kernels, {}, [](const KernelTime& k) { return std::tuple(-k.seconds, k.module, k.name); });
    std::ranges::sort(summary_.operations, {}, [](const OperationTime& o) { return std::tuple(-o.seconds, o.op_name); });
  }

  // Between the first program and the last one, wherever no thread runs a kernel.
  void find_gaps() {
    if (programs_.empty()) return;
    int64_t begin = programs_[0].first, end = programs_[0].second;
    for (const auto& [first, last] : programs_) begin = std::min(begin, first), end = std::max(end, last);
    summary_.active_seconds = static_cast<double>(end - begin) / 1e9;
    std::ranges::sort(busy_);
    int64_t at = begin, busy_ns = 0;
    const auto idle_until = [&](int64_t until) {
      if (until <= at) return;
      ++summary_.gap_count;
      summary_.idle_seconds += static_cast<double>(until - at) / 1e9;
      summary_.gaps.push_back({at, static_cast<double>(until - at) / 1e9, {}});
    };
    for (const auto& [first, last] : busy_) {
      idle_until(std::min(first, end));
      busy_ns += std::max<int64_t>(last - std::max(at, first), 0);
      at = std::max(at, last);
    }
    idle_until(end);
    summary_.busy_seconds = static_cast<double>(busy_ns) / 1e9;
    std::ranges::sort(summary_.gaps, {}, [](const IdleGap& g) { return std::tuple(-g.seconds, g.start_ns); });
    if (summary_.gaps.size() > kGaps) summary_.gaps.resize(kGaps);
    for (IdleGap& gap : summary_.gaps) gap.doing = doing_at(gap.start_ns + static_cast<int64_t>(gap.seconds * 5e8));
  }

  // The innermost event of each thread at that time, but for waits.
  std::string doing_at(int64_t time) const {
    std::string doing;
    for (const ProfileLine& line : host_plane(data_).lines()) {
      const ProfileEvent* innermost = nullptr;
      for (const ProfileEvent& event : line.events())
        if (event.start_ns() <= time && time < end_of(event) && event.stats().text("category") != "wait") innermost = &event;
      if (innermost) (doing += doing.empty() ? "" : "; ") += innermost->name() + " (" + line.name() + ")";
    }
    return doing.empty() ? "nothing that was recorded" : doing;
  }

  const ProfileData& data_;
  Summary summary_;
  int64_t first_ns_ = std::numeric_limits<int64_t>::max(), last_ns_ = std::numeric_limits<int64_t>::min();
  std::map<std::tuple<std::string, std::string, std::string>, KernelTime> kernels_;
  std::vector<std::pair<int64_t, int64_t>> busy_, programs_;
  std::map<std::string, TransferTime> transfers_;
  std::map<std::string, CallTime> calls_;
};

}  // namespace

int64_t end_of(const ProfileEvent& event) {
  const double most = static_cast<double>(std::numeric_limits<int64_t>::max() / 4);
  const auto duration = static_cast<int64_t>(std::clamp(event.duration_ns(), 0.0, most));
  int64_t end;
  return __builtin_add_overflow(event.start_ns(), duration, &end) ? event.start_ns() : end;
}

const ProfilePlane& host_plane(const ProfileData& data) {
  if (const ProfilePlane* plane = data.find_plane("/host:CPU")) return *plane;
  fail<ValueError>("summary", "the trace has no plane '/host:CPU'; it has ", data.planes().size(), " planes");
}

double Summary::kernel_seconds() const {
  double sum = 0;
  for (const KernelTime& kernel : kernels) sum += kernel.seconds;
  return sum;
}
double Summary::seconds_bound_by(std::string_view bound) const {
  double sum = 0;
  for (const KernelTime& kernel : kernels)
    if (kernel.bound == bound) sum += kernel.seconds;
  return sum;
}

Summary summary(const ProfileData& data) { return Summarizer(data).make(); }

}  // namespace tenon::profiler
