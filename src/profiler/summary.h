// What the text and the page of a summary share.
#pragma once

#include <string>
#include <vector>

#include "tenon/profiler.h"

namespace tenon::profiler {

const ProfilePlane& host_plane(const ProfileData& data);
/// Never before its start.
int64_t end_of(const ProfileEvent& event);

/// A question and its answer, in a few sentences.
struct Answer {
  std::string question, text;
};
std::vector<Answer> answers(const Summary& summary);

struct Table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  size_t left_out = 0;  // rows
};
std::vector<Table> tables(const Summary& summary);

/// "12.3 ms"
std::string time_text(double seconds);

}  // namespace tenon::profiler
