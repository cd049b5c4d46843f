#include "profiler/memory_profile.h"

#include <map>
#include <tuple>
#include <unordered_map>

#include "profiler/gzip.h"
#include "profiler/pprof.pb.h"

namespace tenon::profiler {
namespace {

class ProfileWriter {
 public:
  ProfileWriter() {
    profile_.add_string_table("");
    for (auto [type, unit] : {std::pair{"allocations", "count"}, {"space", "bytes"}, {"peak_space", "bytes"}}) set(*profile_.add_sample_type(), type, unit);
    profile_.set_default_sample_type(text("space"));
    set(*profile_.mutable_period_type(), "space", "bytes");
    profile_.set_period(1);
  }

  void add(const MemorySample& sample) {
    pprof::Sample& out = *profile_.add_sample();
    for (const Frame& frame : sample.stack) out.add_location_id(location(frame));
    for (int64_t value : {sample.count, sample.bytes, sample.peak_bytes}) out.add_value(value);
    label(out, "kind", sample.kind);
    if (!sample.device.empty()) label(out, "device", sample.device);
  }
  std::string bytes() const { return profile_.SerializeAsString(); }

 private:
  int64_t text(const std::string& value) {
    if (value.empty()) return 0;
    const auto [at, is_new] = texts_.try_emplace(value, profile_.string_table_size());
    if (is_new) profile_.add_string_table(value);
    return at->second;
  }
  void set(pprof::ValueType& out, const char* type, const char* unit) {
    out.set_type(text(type));
    out.set_unit(text(unit));
  }
  void label(pprof::Sample& sample, const char* key, const std::string& value) {
    pprof::Label& out = *sample.add_label();
    out.set_key(text(key));
    out.set_str(text(value));
  }
  uint64_t location(const Frame& frame) {
    const auto [function, is_new_function] = functions_.try_emplace({frame.function, frame.file}, functions_.size() + 1);
    if (is_new_function) {
      pprof::Function& out = *profile_.add_function();
      out.set_id(function->second);
      out.set_name(text(frame.function));
      out.set_system_name(text(frame.function));
      out.set_filename(text(frame.file));
    }
    const auto [at, is_new] = locations_.try_emplace({function->second, frame.line}, locations_.size() + 1);
    if (is_new) {
      pprof::Location& out = *profile_.add_location();
      out.set_id(at->second);
      pprof::Line& line = *out.add_line();
      line.set_function_id(function->second);
      line.set_line(frame.line);
    }
    return at->second;
  }

  pprof::Profile profile_;
  std::unordered_map<std::string, int64_t> texts_;
  std::map<std::pair<std::string, std::string>, uint64_t> functions_;
  std::map<std::pair<uint64_t, int64_t>, uint64_t> locations_;
};

}  // namespace

std::string memory_profile_gz(const std::vector<MemorySample>& samples) {
  ProfileWriter writer;
  for (const MemorySample& sample : samples) writer.add(sample);
  return gzip(writer.bytes());
}

}  // namespace tenon::profiler
