#include "profiler/xplane.h"

#include <map>
#include <unordered_map>

#include "profiler/xplane.pb.h"

namespace tenon::profiler {
namespace {

class PlaneWriter {
 public:
  explicit PlaneWriter(proto::XPlane& plane) : plane_(plane) {}

  void add(proto::XStat& stat, const std::string& name, const config::Value& value) {
    stat.set_metadata_id(stat_id(name));
    using Kind = config::Value::Kind;
    if (value.kind() == Kind::string) stat.set_str_value(value.string());
    else if (value.kind() == Kind::number) stat.set_double_value(value.number());
    else stat.set_int64_value(value.integer());
  }
  /// A text that many events share.
  void add_shared(proto::XStat& stat, const std::string& name, const std::string& text) {
    stat.set_metadata_id(stat_id(name));
    stat.set_ref_value(static_cast<uint64_t>(stat_id(text)));
  }

  int64_t event_id(const NamedTrace& trace, const TakenEvent& event, const std::string& name) {
    // What all of them say is said once: by name, kind and operation.
    const void* what = trace.operation_of(event);
    if (!what) what = trace.program_of(event);
    const auto [at, is_new] = event_ids_.try_emplace({name, what, event.kind}, static_cast<int64_t>(event_ids_.size()) + 1);
    if (!is_new) return at->second;
    proto::XEventMetadata& metadata = (*plane_.mutable_event_metadata())[at->second];
    metadata.set_id(at->second);
    metadata.set_name(name);
    for (const auto& [key, value] : trace.shared_stats_of(event)) add(*metadata.add_stats(), key, value);
    return at->second;
  }

 private:
  int64_t stat_id(const std::string& name) {
    const auto [at, is_new] = stat_ids_.try_emplace(name, static_cast<int64_t>(stat_ids_.size()) + 1);
    if (is_new) {
      proto::XStatMetadata& metadata = (*plane_.mutable_stat_metadata())[at->second];
      metadata.set_id(at->second);
      metadata.set_name(name);
    }
    return at->second;
  }

  proto::XPlane& plane_;
  std::unordered_map<std::string, int64_t> stat_ids_;
  std::map<std::tuple<std::string, const void*, EventKind>, int64_t> event_ids_;
};

}  // namespace

std::string xspace_bytes(const NamedTrace& named, const std::string& host) {
  const TakenTrace& trace = named.trace;
  google::protobuf::Arena arena;
  auto& space = *google::protobuf::Arena::CreateMessage<proto::XSpace>(&arena);
  space.add_hostnames(host);
  proto::XPlane& plane = *space.add_planes();
  plane.set_id(1);
  plane.set_name("/host:CPU");
  PlaneWriter writer(plane);
  for (size_t t = 0; t < trace.threads.size(); ++t) {
    const TakenThread& thread = trace.threads[t];
    proto::XLine& line = *plane.add_lines();
    line.set_id(thread.id);
    line.set_name(line_name(thread));
    line.set_timestamp_ns(trace.begin_ns + trace.epoch_ns);
    line.set_duration_ps((trace.end_ns - trace.begin_ns) * 1000);
    line.mutable_events()->Reserve(static_cast<int>(thread.events.size()));
    for (size_t e = 0; e < thread.events.size(); ++e) {
      const TakenEvent& event = thread.events[e];
      proto::XEvent& out = *line.add_events();
      out.set_metadata_id(writer.event_id(named, event, named.name_of(event)));
      out.set_offset_ps((event.begin_ns - trace.begin_ns) * 1000);
      out.set_duration_ps(event.duration_ns * 1000);
      for (const auto& [key, value] : named.stats_of(t, e)) writer.add(*out.add_stats(), key, value);
      // XProf looks for these with the event.
      if (const OperationFacts* operation = named.operation_of(event)) {
        writer.add_shared(*out.add_stats(), "hlo_op", operation->name);
        writer.add_shared(*out.add_stats(), "hlo_module", named.program_of(event)->module);
      }
    }
    if (thread.dropped > 0)
      space.add_warnings(line_name(thread) + ": " + std::to_string(thread.dropped) + " events were dropped, the oldest first; trace for a shorter time, or set max_bytes");
  }
  proto::XPlane& environment = *space.add_planes();
  environment.set_id(2);
  environment.set_name("Task Environment");
  PlaneWriter about(environment);
  about.add(*environment.add_stats(), "profile_start_time", trace.begin_ns + trace.epoch_ns);
  about.add(*environment.add_stats(), "profile_stop_time", trace.end_ns + trace.epoch_ns);
  int64_t dropped = 0;
  for (const TakenThread& thread : trace.threads) dropped += thread.dropped;
  about.add(*environment.add_stats(), "dropped_events", dropped);
  return space.SerializeAsString();
}

}  // namespace tenon::profiler
