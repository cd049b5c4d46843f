// The text files of others: each reads, verifies and prints to text that reads again as the same.
// They lie beside the checkout, in ../shared; without them there is nothing to test.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "dialect/module.h"

namespace tenon {
namespace {

namespace fs = std::filesystem;

const fs::path kShared = fs::path(TENON_TEST_DATA).parent_path().parent_path() / "shared";

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  if (fs::exists(folder)) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".mlir") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Test files may hold several modules, with a line `// -----` between two.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find("// -----", begin)) != std::string::npos; begin = end + 8) {
    parts.push_back(text.substr(begin, end - begin));
  }
  parts.push_back(text.substr(begin));
  return parts;
}

TEST(Corpus, OfStablehloReadsAndPrints) {
  const std::vector<fs::path> files = files_below(kShared / "conformance");
  if (files.empty()) GTEST_SKIP() << "no " << kShared / "conformance";
  size_t failures = 0;
  for (const fs::path& file : files) {
    for (const std::string& text : split(read_file(file))) {
      std::string printed;
      try {
        const Module module = Module::parse(text, file.filename().string());
        module.verify();
        printed = module.str();
        const Module again = Module::parse(printed, file.filename().string() + " as printed");
        if (again.str() == printed) continue;
        ADD_FAILURE() << file << " prints differently the second time";
      } catch (const std::exception& error) {
        ADD_FAILURE() << file << ": " << error.what();
      }
      if (++failures > 30) FAIL() << "and more";
    }
  }
}

// What JAX printed, we print: character for character.
TEST(Corpus, OfJaxPrintsAsGiven) {
  std::vector<fs::path> files = files_below(kShared / "conformance" / "jax_programs");
  for (const fs::path& file : files_below(kShared / "reference" / "mission_goldens")) files.push_back(file);
  if (files.empty()) GTEST_SKIP() << "no " << kShared;
  for (const fs::path& file : files) {
    std::string text = read_file(file);
    while (text.ends_with("\n\n")) text.pop_back();
    if (!text.ends_with("\n")) text += "\n";
    try {
      const bool debug_info = file.stem() == "stablehlo_debuginfo";
      const std::string printed = Module::parse(text, file.filename().string()).str({.debug_info = debug_info});
      if (printed == text) continue;
      size_t at = 0;
      while (at < printed.size() && at < text.size() && printed[at] == text[at]) ++at;
      const size_t from = at > 80 ? at - 80 : 0;
      ADD_FAILURE() << file << ": got ..." << printed.substr(from, 200) << "\nwant ..." << text.substr(from, 200);
    } catch (const std::exception& error) {
      ADD_FAILURE() << file << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace tenon
