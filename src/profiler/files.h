// Files that appear whole or not at all, and their names.
#pragma once

#include <string>
#include <string_view>

namespace tenon::profiler {

/// Throws RuntimeError; then nothing is left of it.
void write_file(std::string_view who, const std::string& path, std::string_view bytes);
/// Throws RuntimeError.
std::string read_file(std::string_view who, const std::string& path);
/// Makes DIRECTORY/plugins/profile/<time> and gives its path. Throws RuntimeError where it cannot be written to.
std::string make_run_folder(std::string_view who, const std::string& directory);
std::string host_name();

}  // namespace tenon::profiler
