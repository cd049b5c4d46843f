#include "profiler/chrome_trace.h"

#include <nlohmann/json.hpp>

#include "profiler/gzip.h"

namespace tenon::profiler {

using Json = nlohmann::ordered_json;

constexpr int kHost = 701;  // the process that XProf shows the host's threads as

static Json json_of(const config::Value& value) {
  using Kind = config::Value::Kind;
  switch (value.kind()) {
    case Kind::string: return value.string();
    case Kind::number: return value.number();
    case Kind::boolean: return value.integer() != 0;
    case Kind::integer: break;
  }
  return value.integer();
}

namespace {

class EventList {
 public:
  explicit EventList(Gzip& out) : out_(out) {}
  void add(const Json& event) {
    if (!is_first_) out_.add(",\n");
    is_first_ = false;
    out_.add(event.dump(-1, ' ', false, Json::error_handler_t::replace));  // names need not be UTF-8
  }

 private:
  Gzip& out_;
  bool is_first_ = true;
};

}  // namespace

std::string chrome_trace_gz(const NamedTrace& named, const std::string& host) {
  const TakenTrace& trace = named.trace;
  int64_t dropped = 0;
  for (const TakenThread& thread : trace.threads) dropped += thread.dropped;
  const auto microseconds = [](int64_t ns) { return static_cast<double>(ns) / 1e3; };
  Gzip out;
  out.add("{\"displayTimeUnit\":\"ns\",\"metadata\":");
  out.add(Json{{"highres-ticks", true}, {"host", host}, {"begin_ns_since_1970", trace.begin_ns + trace.epoch_ns}, {"dropped_events", dropped}}.dump(
      -1, ' ', false, Json::error_handler_t::replace));
  out.add(",\"traceEvents\":[\n");
  EventList list(out);
  const auto about = [&](const char* what, int64_t thread, Json args) {
    Json event{{"ph", "M"}, {"pid", kHost}, {"name", what}, {"args", std::move(args)}};
    if (thread >= 0) event["tid"] = thread;
    list.add(event);
  };
  about("process_name", -1, {{"name", "/host:CPU"}});
  about("process_sort_index", -1, {{"sort_index", kHost}});
  for (const TakenThread& thread : trace.threads) {
    about("thread_name", thread.id, {{"name", line_name(thread)}});
    about("thread_sort_index", thread.id, {{"sort_index", thread.id}});
  }
  for (size_t t = 0; t < trace.threads.size(); ++t) {
    const TakenThread& thread = trace.threads[t];
    for (size_t e = 0; e < thread.events.size(); ++e) {
      const TakenEvent& event = thread.events[e];
      const double begin = microseconds(event.begin_ns - trace.begin_ns);
      Json args = Json::object();
      for (const auto& [key, value] : named.shared_stats_of(event)) args[key] = json_of(value);
      for (const auto& [key, value] : named.stats_of(t, e)) args[key] = json_of(value);
      list.add({{"ph", "X"}, {"pid", kHost}, {"tid", thread.id}, {"ts", begin}, {"dur", microseconds(event.duration_ns)},
                {"name", named.name_of(event)}, {"cat", category_of(event.kind)}, {"args", std::move(args)}});
      // An arrow from a call to its program on another thread.
      const bool is_launch = event.kind == EventKind::launch;
      if (event.index == 0 || (!is_launch && event.kind != EventKind::program)) continue;
      Json arrow{{"ph", is_launch ? "s" : "f"}, {"pid", kHost}, {"tid", thread.id}, {"ts", begin}, {"id", event.index}, {"name", "launch"}, {"cat", "launch"}};
      if (!is_launch) arrow["bp"] = "e";
      list.add(arrow);
    }
  }
  out.add("\n]}\n");
  return out.finish();
}

}  // namespace tenon::profiler
