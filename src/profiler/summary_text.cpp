#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "profiler/summary.h"

namespace tenon::profiler {

using tenon::detail::text;

static std::string number(const char* format, double value) {
  char out[64];
  std::snprintf(out, sizeof out, format, value);
  return out;
}
std::string time_text(double seconds) {
  if (seconds < 1e-3) return number("%.1f us", seconds * 1e6);
  if (seconds < 1) return number("%.2f ms", seconds * 1e3);
  return number("%.3f s", seconds);
}
static std::string bytes_text(double bytes) {
  if (bytes < 1024) return number("%.0f B", bytes);
  if (bytes < 1024 * 1024) return number("%.1f KiB", bytes / 1024);
  if (bytes < 1024.0 * 1024 * 1024) return number("%.1f MiB", bytes / (1024 * 1024));
  return number("%.2f GiB", bytes / (1024.0 * 1024 * 1024));
}
static std::string percent(double share) { return number("%.1f %%", share * 100); }
static double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }
static std::string times(int64_t count) { return count == 1 ? "once" : text(count, " times"); }

static std::string what_takes_the_time(const Summary& s) {
  if (s.kernels.empty()) return text("No kernel ran in ", time_text(s.seconds), ".");
  const KernelTime& first = s.kernels[0];
  std::string out = text("Kernels took ", time_text(s.kernel_seconds()), " of ", time_text(s.seconds), " (", percent(ratio(s.busy_seconds, s.seconds)),
                         " of the time some kernel ran). Most of it ", first.name, " of ", first.module, ": ", percent(first.share), ", ", times(first.runs));
  if (!first.source.empty()) out += text(", from ", first.source);
  return out + ".";
}

static std::string what_bounds_it(const Summary& s) {
  const double memory = s.seconds_bound_by("memory"), compute = s.seconds_bound_by("compute"), overhead = s.seconds_bound_by("overhead");
  const double all = s.kernel_seconds();
  if (memory + compute + overhead <= 0) return "The trace does not say: it has no kernels that were held against this machine's roofline.";
  double least = 0;
  for (const KernelTime& kernel : s.kernels) least += kernel.roofline_seconds;
  const char* most = memory >= compute && memory >= overhead ? "Memory" : compute >= overhead ? "Arithmetic" : "Starting kernels";
  return text(most, " bounds most of it: by the roofline ", percent(ratio(memory, all)), " of the kernels' time is bound by memory, ", percent(ratio(compute, all)),
              " by arithmetic, ", percent(ratio(overhead, all)), " by starting kernels. They could take ", time_text(least), " at least, ",
              percent(ratio(least, all)), " of what they took.");
}

static std::string when_nothing_runs(const Summary& s) {
  if (s.gap_count == 0) return "There are no gaps: some kernel runs all the time between the first program and the last.";
  std::string out = text("Between the first program and the last no kernel ran for ", time_text(s.idle_seconds), " (", percent(ratio(s.idle_seconds, s.active_seconds)),
                         ") in ", s.gap_count, s.gap_count == 1 ? " gap" : " gaps");
  if (!s.gaps.empty()) out += text("; the longest is ", time_text(s.gaps[0].seconds), ", meanwhile: ", s.gaps[0].doing);
  return out + ".";
}

static std::string what_is_moved(const Summary& s) {
  TransferTime all;
  for (const TransferTime& transfer : s.transfers) all.count += transfer.count, all.bytes += transfer.bytes, all.seconds += transfer.seconds;
  if (all.count == 0) return "Nothing is copied between arrays of the program and devices.";
  return text(all.count, all.count == 1 ? " copy" : " copies", " between host and device: ", bytes_text(all.bytes), " in ", time_text(all.seconds), " (",
              percent(ratio(all.seconds, s.seconds)), " of the time).");
}

static std::string what_is_compiled(const Summary& s) {
  double seconds = 0;
  int64_t misses = 0;
  std::string again;
  for (const CallTime& call : s.calls) {
    seconds += call.compile_seconds, misses += call.misses;
    if (call.misses > 1) again += text(again.empty() ? "" : ", ", call.name, " ", times(call.misses));
  }
  if (misses == 0 && seconds == 0) return "Nothing: every call found its program.";
  std::string out = text(misses, misses == 1 ? " call" : " calls", " had to be traced or compiled, in ", time_text(seconds), " (", percent(ratio(seconds, s.seconds)), " of the time).");
  if (!again.empty()) out += text(" Compiled again: ", again, "; TENON_EXPLAIN_CACHE_MISSES=1 says why.");
  return out;
}

std::vector<Answer> answers(const Summary& s) {
  return {{"What takes the time?", what_takes_the_time(s)},
          {"What bounds it?", what_bounds_it(s)},
          {"When does nothing run?", when_nothing_runs(s)},
          {"What is moved?", what_is_moved(s)},
          {"What is compiled?", what_is_compiled(s)}};
}

constexpr size_t kMaxRows = 40;

template <class T, class F>
static Table table(std::string title, std::vector<std::string> columns, const std::vector<T>& list, F row) {
  Table out{std::move(title), std::move(columns), {}, 0};
  for (const T& item : list) {
    if (out.rows.size() == kMaxRows) ++out.left_out;
    else out.rows.push_back(row(item));
  }
  return out;
}

std::vector<Table> tables(const Summary& s) {
  const auto rate = [](double amount, double seconds, double unit) { return seconds > 0 && amount > 0 ? number("%.2f", amount / seconds / unit) : std::string("-"); };
  return {table("Kernels", {"kernel", "program", "runs", "time", "share", "Gflop/s", "GB/s", "bound by", "of roofline", "operation", "source"}, s.kernels,
                [&](const KernelTime& k) -> std::vector<std::string> {
                  return {k.name, k.module, text(k.runs), time_text(k.seconds), percent(k.share), rate(k.flops, k.seconds, 1e9), rate(k.bytes, k.seconds, 1e9),
                          k.bound.empty() ? "-" : k.bound, k.roofline_seconds > 0 ? percent(ratio(k.roofline_seconds, k.seconds)) : "-", k.op_name, k.source};
                }),
          table("Operations", {"operation", "runs", "time", "share"}, s.operations,
                [](const OperationTime& o) -> std::vector<std::string> { return {o.op_name, text(o.runs), time_text(o.seconds), percent(o.share)}; }),
          table("Gaps", {"length", "meanwhile"}, s.gaps, [](const IdleGap& g) -> std::vector<std::string> { return {time_text(g.seconds), g.doing}; }),
          table("Copies", {"copy", "count", "bytes", "time", "GB/s"}, s.transfers,
                [&](const TransferTime& t) -> std::vector<std::string> {
                  return {t.name, text(t.count), bytes_text(t.bytes), time_text(t.seconds), rate(t.bytes, t.seconds, 1e9)};
                }),
          table("Calls", {"call", "calls", "misses", "compiling"}, s.calls,
                [](const CallTime& c) -> std::vector<std::string> { return {c.name, text(c.calls), text(c.misses), time_text(c.compile_seconds)}; })};
}

std::string Summary::str() const {
  std::string out;
  for (const Answer& answer : answers(*this)) out += text(answer.question, "\n  ", answer.text, "\n");
  if (dropped_events > 0) out += text("The trace is not whole: ", dropped_events, " events were dropped, the oldest first.\n");
  for (const Table& table : tables(*this)) {
    if (table.rows.empty()) continue;
    std::vector<size_t> widths;
    for (size_t c = 0; c < table.columns.size(); ++c) {
      widths.push_back(table.columns[c].size());
      for (const auto& row : table.rows) widths[c] = std::max(widths[c], row[c].size());
    }
    const auto line = [&](const std::vector<std::string>& cells) {
      std::string joined;
      for (size_t c = 0; c < cells.size(); ++c) joined += cells[c] + std::string(widths[c] - cells[c].size() + 2, ' ');
      out += joined.substr(0, joined.find_last_not_of(' ') + 1) + "\n";
    };
    out += "\n" + table.title + "\n";
    line(table.columns);
    for (const auto& row : table.rows) line(row);
    if (table.left_out > 0) out += text("... and ", table.left_out, " more\n");
  }
  return out;
}

}  // namespace tenon::profiler
