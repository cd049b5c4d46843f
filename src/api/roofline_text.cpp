// Rooflines as sums and as tables.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "base/text.h"
#include "tenon/roofline.h"

namespace tenon {

using detail::text;

const char* name_of(Bound bound) {
  static constexpr const char* kNames[] = {"compute", "memory", "overhead"};
  return kNames[static_cast<int>(bound)];
}

template <class Number>
static double sum(const std::vector<RooflineKernel>& kernels, Number RooflineKernel::*number) {
  double sum = 0;
  for (const RooflineKernel& kernel : kernels)
    if (kernel.depth == 0) sum += static_cast<double>(kernel.*number);
  return sum;
}
double RooflineReport::flops() const { return sum(kernels_, &RooflineKernel::flops); }
double RooflineReport::transcendentals() const { return sum(kernels_, &RooflineKernel::transcendentals); }
double RooflineReport::bytes() const { return sum(kernels_, &RooflineKernel::bytes) + other_bytes_; }
double RooflineReport::predicted_seconds() const { return sum(kernels_, &RooflineKernel::predicted_seconds); }
double RooflineReport::measured_seconds() const { return sum(kernels_, &RooflineKernel::measured_seconds); }

namespace {

/// "12.3 M": three digits and the power of 1000.
std::string engineering(double value, const char* unit) {
  static constexpr const char* kPrefixes[] = {"n", "u", "m", "", "k", "M", "G", "T", "P"};
  int prefix = 3;
  for (; std::abs(value) >= 999.5 && prefix < 8; ++prefix) value /= 1000;
  for (; value != 0 && std::abs(value) < 0.9995 && prefix > 0; --prefix) value *= 1000;
  char number[40];
  std::snprintf(number, sizeof number, "%.*f %s%s", std::abs(value) >= 99.95 || value == 0 ? 0 : std::abs(value) >= 9.995 ? 1 : 2, value, kPrefixes[prefix], unit);
  std::string text = number;
  while (text.back() == ' ') text.pop_back();
  return text;
}
std::string in_kibibytes(int64_t bytes) {
  return bytes >= 1 << 20 ? text(bytes >> 20, " MiB") : text(bytes >> 10, " KiB");
}
std::string percent(double fraction) {
  char number[40];
  std::snprintf(number, sizeof number, "%.1f %%", 100 * fraction);
  return number;
}

/// Columns as wide as they must be: the first one to the left, numbers to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> head) { rows_.push_back(std::move(head)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string str() const {
    std::vector<size_t> widths(rows_.front().size());
    for (const auto& row : rows_)
      for (size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
    std::string out;
    for (const auto& row : rows_) {
      std::string line;
      for (size_t k = 0; k < row.size(); ++k) {
        const std::string space(widths[k] - row[k].size(), ' ');
        line += (k == 0 ? row[k] + space : "  " + space + row[k]);
      }
      while (!line.empty() && line.back() == ' ') line.pop_back();
      out += line + "\n";
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace

std::string MachineRoofline::str() const {
  const bool has_pool = pool.threads > 1;
  std::vector<std::string> head{"machine", "1 thread"};
  if (has_pool) head.push_back(text(pool.threads, " threads"));
  Table table(std::move(head));
  const auto add = [&](const std::string& what, const std::string& one, const std::string& all) {
    if (has_pool) table.add({what, one, all});
    else table.add({what, one});
  };
  add("f32", engineering(thread.f32_flops, "flop/s"), engineering(pool.f32_flops, "flop/s"));
  add("f64", engineering(thread.f64_flops, "flop/s"), engineering(pool.f64_flops, "flop/s"));
  add("f32 exp, log, sin, tanh", engineering(thread.f32_transcendentals, "/s"), engineering(pool.f32_transcendentals, "/s"));
  add("f64 exp, log, sin, tanh", engineering(thread.f64_transcendentals, "/s"), engineering(pool.f64_transcendentals, "/s"));
  for (size_t k = 0; k < thread.memories.size(); ++k) {
    const Memory& memory = thread.memories[k];
    const bool is_last = k + 1 == thread.memories.size();
    const auto same = std::ranges::find(pool.memories, memory.name, &Memory::name);
    add(is_last ? memory.name : text(memory.name, ", ", in_kibibytes(memory.size_bytes)), engineering(memory.bytes_per_second, "B/s"),
        same == pool.memories.end() ? "" : engineering(same->bytes_per_second, "B/s"));
  }
  add("start of a kernel", engineering(launch_seconds, "s"), engineering(launch_seconds + region_seconds, "s"));
  return table.str();
}

std::string RooflineReport::str() const {
  const bool measured = calls_ > 0;
  std::string out = text("roofline of ", program_, ": ", size(), size() == 1 ? " kernel" : " kernels");
  if (measured) out += text(", ", engineering(call_seconds_, "s"), " a call (median of ", calls_, ")");
  out += "\n\n" + machine_.str() + "\n";
  std::vector<std::string> head{"kernel", "flops", "transc.", "bytes", "in", "bound", "predicted"};
  if (measured) head.insert(head.end(), {"runs", "measured", "share", "achieved"});
  Table table(std::move(head));
  for (const RooflineKernel& kernel : kernels_) {
    std::vector<std::string> row{std::string(2 * static_cast<size_t>(kernel.depth), ' ') + kernel.name, engineering(kernel.flops, ""),
                                 engineering(kernel.transcendentals, ""), engineering(kernel.bytes, "B"), kernel.memory, name_of(kernel.bound),
                                 engineering(kernel.predicted_seconds, "s")};
    if (kernel.rounds > 0) row.front() += text(" (", kernel.rounds, kernel.rounds == 1 ? " round)" : " rounds)");
    if (measured)
      row.insert(row.end(), {std::to_string(kernel.runs), engineering(kernel.measured_seconds, "s"), percent(kernel.share), percent(kernel.achieved)});
    table.add(std::move(row));
  }
  std::vector<std::string> row{"sum", engineering(flops(), ""), engineering(transcendentals(), ""), engineering(bytes(), "B"), "", "",
                               engineering(predicted_seconds(), "s")};
  if (measured)
    row.insert(row.end(), {"", engineering(measured_seconds(), "s"), percent(call_seconds_ > 0 ? measured_seconds() / call_seconds_ : 0),
                           percent(measured_seconds() > 0 ? predicted_seconds() / measured_seconds() : 0)});
  table.add(std::move(row));
  return out + table.str();
}

}  // namespace tenon
