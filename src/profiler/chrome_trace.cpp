#include "profiler/chrome_trace.h"

#include <cinttypes>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "profiler/gzip.h"

namespace tenon::profiler {

using Json = nlohmann::ordered_json;

constexpr int kHost = 701;  // the process that XProf shows the host's threads as

namespace {

/// Events as text. Names need not be UTF-8.
class EventList {
 public:
  EventList(const NamedTrace& trace, Gzip& out) : trace_(trace), out_(out) {}

  void add(const Json& event) { add(dump(event)); }

  void add(size_t t, size_t e) {
    const TakenThread& thread = trace_.trace.threads[t];
    const TakenEvent& event = thread.events[e];
    const std::string place = where(thread, event);
    std::string text = "{\"ph\":\"X\"," + place + ",\"dur\":" + microseconds(event.duration_ns) + ",\"name\":" + dump(trace_.name_of(event)) +
                       ",\"cat\":\"" + category_of(event.kind) + "\",\"args\":{" + shared_args(event);
    for (const auto& [key, value] : trace_.stats_of(t, e)) append_arg(text, key, value);
    add(text + "}}");
    // An arrow from a call to its program on another thread.
    const bool is_launch = event.kind == EventKind::launch;
    if (event.index == 0 || (!is_launch && event.kind != EventKind::program)) return;
    add("{\"ph\":\"" + std::string(is_launch ? "s" : "f") + "\"," + place + ",\"id\":" + std::to_string(event.index) + ",\"name\":\"launch\",\"cat\":\"launch\"" +
        (is_launch ? "}" : ",\"bp\":\"e\"}"));
  }

 private:
  void add(const std::string& event) {
    if (!is_first_) out_.add(",\n");
    is_first_ = false;
    out_.add(event);
  }

  static std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }
  static std::string microseconds(int64_t ns) {
    char text[40];
    std::snprintf(text, sizeof text, "%" PRId64 ".%03d", ns / 1000, static_cast<int>(ns % 1000));
    return text;
  }
  std::string where(const TakenThread& thread, const Event& event) const {
    return "\"pid\":" + std::to_string(kHost) + ",\"tid\":" + std::to_string(thread.id) + ",\"ts\":" + microseconds(event.begin_ns - trace_.trace.begin_ns);
  }
  static void append_arg(std::string& text, std::string_view key, const config::Value& value) {
    using Kind = config::Value::Kind;
    if (text.back() != '{') text += ',';
    (text += dump(std::string(key))) += ':';
    if (value.kind() == Kind::string) text += dump(value.string());
    else if (value.kind() == Kind::number) text += dump(value.number());
    else text += std::to_string(value.integer());
  }
  /// What all events of an operation say, or of a kind.
  const std::string& shared_args(const Event& event) {
    const bool has_operation = trace_.operation_of(event) != nullptr;
    const auto [at, is_new] = shared_.try_emplace({event.kind, event.owner, has_operation ? event.index : -1});
    if (is_new) {
      std::string text = "{";
      for (const auto& [key, value] : trace_.shared_stats_of(event)) append_arg(text, key, value);
      at->second = text.substr(1);
    }
    return at->second;
  }

  const NamedTrace& trace_;
  Gzip& out_;
  bool is_first_ = true;
  std::map<std::tuple<EventKind, const void*, int64_t>, std::string> shared_;
};

}  // namespace

std::string chrome_trace_gz(const NamedTrace& named, const std::string& host) {
  const TakenTrace& trace = named.trace;
  int64_t dropped = 0;
  for (const TakenThread& thread : trace.threads) dropped += thread.dropped;
  Gzip out;
  out.add("{\"displayTimeUnit\":\"ns\",\"metadata\":");
  out.add(Json{{"highres-ticks", true}, {"host", host}, {"begin_ns_since_1970", trace.begin_ns + trace.epoch_ns}, {"dropped_events", dropped}}.dump(
      -1, ' ', false, Json::error_handler_t::replace));
  out.add(",\"traceEvents\":[\n");
  EventList list(named, out);
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
  for (size_t t = 0; t < trace.threads.size(); ++t)
    for (size_t e = 0; e < trace.threads[t].events.size(); ++e) list.add(t, e);
  out.add("\n]}\n");
  return out.finish();
}

}  // namespace tenon::profiler
