#include "base/log.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace tenon {
namespace logging {

struct Capture::Impl {
  std::string logger;
  Level level;
  std::vector<std::string> messages;
};

}  // namespace logging

namespace {

struct Listeners {
  std::mutex mutex;       // of all fields
  std::mutex sink_mutex;  // held while the sink runs and while it is replaced
  std::vector<std::pair<std::string, logging::Level>> filters;
  std::vector<std::vector<std::string>*> captures;  // parallel to filters
  logging::Sink sink = nullptr;
  void* sink_context = nullptr;
  logging::Level sink_level = logging::Level::info;
};

// Never destroyed: threads may log while the process ends.
Listeners& listeners() {
  static Listeners* all = new Listeners;
  return *all;
}
std::atomic<int> g_listener_count{0};
// A sink may call the library: what that logs does not come back to the sink.
thread_local bool t_in_sink = false;

bool hears(std::string_view filter, std::string_view logger) {
  return logger.starts_with(filter) && (logger.size() == filter.size() || logger[filter.size()] == '.');
}

}  // namespace

namespace logging {

void set_sink(Sink sink, void* context, Level level) {
  Listeners& l = listeners();
  std::unique_lock running(l.sink_mutex, std::defer_lock);
  if (!t_in_sink) running.lock();  // when this returns, the old sink is not running
  std::lock_guard lock(l.mutex);
  g_listener_count += (sink != nullptr) - (l.sink != nullptr);
  l.sink = sink, l.sink_context = context, l.sink_level = level;
}

Capture::Capture(std::string_view logger, Level level) : impl_(new Impl{std::string(logger), level, {}}) {
  Listeners& l = listeners();
  std::lock_guard lock(l.mutex);
  l.filters.emplace_back(impl_->logger, level);
  l.captures.push_back(&impl_->messages);
  ++g_listener_count;
}
Capture::~Capture() {
  Listeners& l = listeners();
  std::lock_guard lock(l.mutex);
  auto at = std::ranges::find(l.captures, &impl_->messages) - l.captures.begin();
  l.captures.erase(l.captures.begin() + at);
  l.filters.erase(l.filters.begin() + at);
  --g_listener_count;
  delete impl_;
}
std::vector<std::string> Capture::messages() const {
  std::lock_guard lock(listeners().mutex);
  return impl_->messages;
}

}  // namespace logging

bool detail::log_enabled(std::string_view logger, logging::Level level) {
  if (g_listener_count.load(std::memory_order_relaxed) == 0) return false;
  Listeners& l = listeners();
  std::lock_guard lock(l.mutex);
  if (l.sink && level >= l.sink_level) return true;
  return std::ranges::any_of(l.filters, [&](const auto& f) { return level >= f.second && hears(f.first, logger); });
}

void detail::log_message(std::string_view logger, logging::Level level, std::string_view message) {
  Listeners& l = listeners();
  {
    std::lock_guard lock(l.mutex);
    for (size_t i = 0; i < l.filters.size(); ++i)
      if (level >= l.filters[i].second && hears(l.filters[i].first, logger)) l.captures[i]->emplace_back(message);
  }
  if (t_in_sink) return;
  std::lock_guard running(l.sink_mutex);
  if (!l.sink || level < l.sink_level) return;
  struct InSink {
    InSink() { t_in_sink = true; }
    ~InSink() { t_in_sink = false; }
  } in_sink;
  l.sink(l.sink_context, level, logger, message);
}

}  // namespace tenon
