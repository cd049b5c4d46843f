// The bytes of an XSpace in, planes, lines and events out. The bytes may be anything.
#include <unordered_map>

#include "base/fail.h"
#include "profiler/files.h"
#include "profiler/xplane.pb.h"
#include "tenon/profiler.h"

namespace tenon::profiler {

const config::Value* Stats::find(std::string_view name) const {
  for (const auto& [key, value] : entries_)
    if (key == name) return &value;
  return nullptr;
}
std::string Stats::text(std::string_view name, std::string otherwise) const {
  const config::Value* value = find(name);
  if (!value) return otherwise;
  return value->kind() == config::Value::Kind::string ? value->string() : value->str();
}
double Stats::number(std::string_view name, double otherwise) const {
  const config::Value* value = find(name);
  return value && value->kind() != config::Value::Kind::string ? value->number() : otherwise;
}

namespace {

constexpr double kNsPerPs = 1e-3;

class PlaneReader {
 public:
  explicit PlaneReader(const proto::XPlane& plane) : plane_(plane) {}

  ProfilePlane read() {
    std::vector<ProfileLine> lines;
    lines.reserve(static_cast<size_t>(plane_.lines_size()));
    for (const proto::XLine& line : plane_.lines()) lines.push_back(read(line));
    return {plane_.name(), std::move(lines), stats_of(plane_.stats(), {})};
  }

 private:
  ProfileLine read(const proto::XLine& line) {
    std::vector<ProfileEvent> events;
    events.reserve(static_cast<size_t>(line.events_size()));
    for (const proto::XEvent& event : line.events()) {
      const auto at = plane_.event_metadata().find(event.metadata_id());
      const proto::XEventMetadata* metadata = at == plane_.event_metadata().end() ? nullptr : &at->second;
      int64_t start;
      if (__builtin_add_overflow(line.timestamp_ns(), event.offset_ps() / 1000, &start)) start = line.timestamp_ns();
      Stats stats = stats_of(event.stats(), {});
      if (metadata) stats = stats_of(metadata->stats(), std::move(stats));
      events.emplace_back(metadata ? metadata->name() : std::string(), start, static_cast<double>(event.duration_ps()) * kNsPerPs, std::move(stats));
    }
    return {line.display_name().empty() ? line.name() : line.display_name(), std::move(events)};
  }

  // Those of the same name that are there already stay.
  template <class List>
  Stats stats_of(const List& list, Stats stats) {
    for (const proto::XStat& stat : list) {
      const std::string& name = name_of(stat.metadata_id());
      if (!stats.find(name)) stats.add(name, value_of(stat));
    }
    return stats;
  }
  config::Value value_of(const proto::XStat& stat) {
    switch (stat.value_case()) {
      case proto::XStat::kDoubleValue: return stat.double_value();
      case proto::XStat::kInt64Value: return stat.int64_value();
      case proto::XStat::kUint64Value:
        if (stat.uint64_value() > uint64_t{INT64_MAX}) return static_cast<double>(stat.uint64_value());
        return static_cast<int64_t>(stat.uint64_value());
      case proto::XStat::kStrValue: return stat.str_value();
      case proto::XStat::kBytesValue: return stat.bytes_value();
      case proto::XStat::kRefValue: return name_of(static_cast<int64_t>(stat.ref_value()));
      case proto::XStat::VALUE_NOT_SET: break;
    }
    return std::string();
  }
  const std::string& name_of(int64_t stat) {
    static const std::string none;
    const auto at = plane_.stat_metadata().find(stat);
    return at == plane_.stat_metadata().end() ? none : at->second.name();
  }

  const proto::XPlane& plane_;
};

std::vector<ProfilePlane> read(std::string_view bytes, const std::string& what) {
  if (bytes.size() > size_t{INT32_MAX}) fail<ParseError>("ProfileData", what, " has ", bytes.size(), " bytes; a trace has less than 2 GiB");
  google::protobuf::Arena arena;
  auto& space = *google::protobuf::Arena::CreateMessage<proto::XSpace>(&arena);
  if (!space.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    fail<ParseError>("ProfileData", what, " is no XSpace: the ", bytes.size(),
                     " bytes are torn or of another format; give a .xplane.pb as stop_trace writes it");
  std::vector<ProfilePlane> planes;
  for (const proto::XPlane& plane : space.planes()) planes.push_back(PlaneReader(plane).read());
  return planes;
}

}  // namespace

ProfileData ProfileData::from_file(const std::string& path) {
  ProfileData data;
  data.planes_ = read(read_file("ProfileData", path), path);
  return data;
}
ProfileData ProfileData::from_bytes(std::string_view bytes) {
  ProfileData data;
  data.planes_ = read(bytes, "the text");
  return data;
}
const ProfilePlane* ProfileData::find_plane(std::string_view name) const {
  for (const ProfilePlane& plane : planes_)
    if (plane.name() == name) return &plane;
  return nullptr;
}

}  // namespace tenon::profiler
