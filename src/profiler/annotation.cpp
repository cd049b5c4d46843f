#include "profiler/annotation.h"

#include <cstdlib>

#include "profiler/recorder.h"
#include "tenon/profiler.h"

namespace tenon::profiler {

constexpr char kEnd = '\0', kInteger = '\1', kNumber = '\2', kText = '\3';

void append_metadata(std::string& text, std::string_view key, const config::Value& value) {
  using Kind = config::Value::Kind;
  const auto whole = [](std::string_view part) { return part.substr(0, part.find(kEnd)); };
  (text += kEnd).append(whole(key)) += kEnd;
  if (value.kind() == Kind::string) (text += kText) += whole(value.string());
  else if (value.kind() == Kind::number) (text += kNumber) += value.str();
  else (text += kInteger) += std::to_string(value.integer());
}

static config::Value read_value(std::string_view text) {
  if (text.empty()) return std::string();
  const std::string rest(text.substr(1));
  if (text[0] == kInteger) return static_cast<int64_t>(std::strtoll(rest.c_str(), nullptr, 10));
  if (text[0] == kNumber) return std::strtod(rest.c_str(), nullptr);
  return rest;
}

AnnotationText read_annotation(std::string_view text) {
  const auto next = [&] {
    const std::string_view part = text.substr(0, text.find(kEnd));
    text.remove_prefix(part.size() < text.size() ? part.size() + 1 : part.size());
    return part;
  };
  AnnotationText annotation{next(), {}};
  while (!text.empty()) {
    const std::string_view key = next();
    annotation.metadata.emplace_back(key, read_value(next()));
  }
  return annotation;
}

const std::atomic<bool>& detail::tracing_flag() noexcept { return is_recording; }

void TraceAnnotation::begin(std::string_view name, std::initializer_list<Metadata> metadata) {
  text_ = new std::string(name.substr(0, name.find('\0')));
  for (const auto& [key, value] : metadata) append_metadata(*text_, key, value);
  begin_ns_ = now_ns(), step_ = 0, is_step_ = false;
}

void TraceAnnotation::begin_step(std::string_view name, int64_t step) {
  begin(name, {{"step_num", step}});
  step_ = step, is_step_ = true;
}

void TraceAnnotation::end() {
  Event event;
  event.kind = is_step_ ? EventKind::step : EventKind::annotation;
  event.begin_ns = begin_ns_, event.duration_ns = now_ns() - begin_ns_, event.index = step_;
  record(event, *text_);
  delete std::exchange(text_, nullptr);
}

}  // namespace tenon::profiler
