// How the metadata of an annotation stands in the text of its event: behind the name, each as "\0key\0value"; a value that
// is no text begins with \1.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/config.h"

namespace tenon::profiler {

void append_metadata(std::string& text, std::string_view key, const config::Value& value);

struct AnnotationText {
  std::string_view name;
  std::vector<std::pair<std::string_view, config::Value>> metadata;
};
AnnotationText read_annotation(std::string_view text);

}  // namespace tenon::profiler
