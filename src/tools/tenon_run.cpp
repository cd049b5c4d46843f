// tenon-run: runs a StableHLO program on .npy files.
//
//   tenon-run program.mlir --input A.npy --input B.npy --output-dir out
//   tenon-run program.mlir --input A.npy --expect R.npy --rtol 1e-6 --backend reference
//
// Exit code: 0 done and as expected, 1 bad input or other results, 2 wrong use of the command.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/fail.h"
#include "core/nodes.h"
#include "dialect/module.h"
#include "tenon/config.h"
#include "tenon/host.h"
#include "tenon/npy.h"
#include "tools/run/run_module.h"

namespace tenon {
namespace {

constexpr const char kUsage[] =
    R"(usage: tenon-run PROGRAM.mlir [options]
  --input FILE.npy     an argument of the program; once for each, in order
  --output-dir DIR     writes the results to DIR/result_0.npy, DIR/result_1.npy, ...;
                       without it and --expect they are printed
  --expect FILE.npy    compares a result; once for each, in order
  --rtol R --atol A    |result - expected| <= A + R |expected| (both 0: equal; NaN equals NaN)
  --backend NAME       cpu: compiled (default); reference: evaluated
  --passes on|off      whether the program is optimized before; on for cpu, off for reference unless said.
                       off for cpu leaves those passes that the backend cannot do without
  --describe           prints, instead of running it, what the compiled program costs in operations, bytes and memory, and
                       its kernels as HLO text
  --function NAME      where the program begins: main, or the module's only function, unless said
A module that checks itself (check.expect_eq, custom_call @check.expect_close, ...) fails where a check does not hold.
)";

struct Options {
  std::string program, backend = "cpu", passes, function, output_dir;
  std::vector<std::string> inputs, expected;
  double rtol = 0, atol = 0;
  bool describe = false;
};

struct UsageError : Error {
  using Error::Error;
};

double number_of(const std::string& option, const std::string& text) {
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
  }
  if (used == 0 || used != text.size() || !(value >= 0))
    throw UsageError("tenon-run: " + option + " needs a number that is not negative; got '" + text + "'");
  return value;
}

Options parse_options(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto next = [&]() -> const std::string& {
      if (i + 1 == words.size()) throw UsageError("tenon-run: " + word + " needs a value");
      return words[++i];
    };
    if (word == "--input") options.inputs.push_back(next());
    else if (word == "--expect") options.expected.push_back(next());
    else if (word == "--output-dir") options.output_dir = next();
    else if (word == "--backend") options.backend = next();
    else if (word == "--passes") options.passes = next();
    else if (word == "--function") options.function = next();
    else if (word == "--describe") options.describe = true;
    else if (word == "--rtol") options.rtol = number_of(word, next());
    else if (word == "--atol") options.atol = number_of(word, next());
    else if (word.starts_with("--")) throw UsageError("tenon-run: there is no option " + word);
    else if (options.program.empty()) options.program = word;
    else throw UsageError("tenon-run: one program, please; got " + options.program + " and " + word);
  }
  if (options.program.empty()) throw UsageError("tenon-run: which program?");
  if (options.backend != "cpu" && options.backend != "reference")
    throw UsageError("tenon-run: --backend is cpu or reference; got '" + options.backend + "'");
  if (options.passes.empty()) options.passes = options.backend == "cpu" ? "on" : "off";
  if (options.describe && options.backend != "cpu") throw UsageError("tenon-run: --describe is of compiled programs, --backend cpu");
  if (options.passes != "on" && options.passes != "off")
    throw UsageError("tenon-run: --passes is on or off; got '" + options.passes + "'");
  return options;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || std::filesystem::is_directory(path) || !(text << file.rdbuf()))
    fail<RuntimeError>("tenon-run", "the program cannot be read; got file ", path);
  return text.str();
}

/// The elements as complex numbers, so that one comparison serves all dtypes.
std::vector<double> parts_of(const Array& array) {
  const BufferRef buffer = detail::buffer_of(array, "tenon-run");
  std::vector<double> parts(2 * static_cast<std::size_t>(array.size()));
  detail::convert_elements(buffer->host_data(), array.dtype(), parts.data(), DType(DType::kComplex128), array.size());
  return parts;
}

bool is_close(double got, double expected, const Options& options) {
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) && std::isnan(expected);
  return got == expected || std::fabs(got - expected) <= options.atol + options.rtol * std::fabs(expected);
}

void compare(std::size_t index, const Array& result, const Array& expected, const Options& options) {
  if (result.dtype() != expected.dtype() || result.shape() != expected.shape())
    fail<ValueError>("tenon-run", "result ", index, " has another type than expected; got ", result.aval(), " for ",
                     expected.aval());
  const BufferRef a = detail::buffer_of(result, "tenon-run"), b = detail::buffer_of(expected, "tenon-run");
  if (std::memcmp(a->host_data(), b->host_data(), static_cast<std::size_t>(result.nbytes())) == 0) return;
  // 64-bit integers do not fit in double: only their bytes are compared.
  const bool exact = result.dtype().is_integer() && result.dtype().itemsize() == 8;
  const std::vector<double> got = parts_of(result), wanted = parts_of(expected);
  std::int64_t different = 0, first = -1;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!exact && is_close(got[i], wanted[i], options)) continue;
    if (exact && got[i] == wanted[i]) continue;
    if (different++ == 0) first = static_cast<std::int64_t>(i);
  }
  if (different == 0 && !exact) return;
  const auto at = static_cast<std::size_t>(std::max<std::int64_t>(first, 0));
  fail<ValueError>("tenon-run", "result ", index, " of type ", result.aval(), " differs in ", different,
                   " elements; got ", got[at], " where ", wanted[at], " was expected, at element ", at / 2);
}

void run(const Options& options) {
  const config::Scope wide({{"enable_x64", true}});  // files have the dtypes they have
  const Module module = Module::parse(read_text(options.program), options.program);
  module.verify();
  const RunOptions how{options.backend == "cpu", options.passes == "on", options.function, {}};
  const RunnableModule program(module, how);
  if (options.describe) {
    std::fputs(program.describe().c_str(), stdout);
    return;
  }
  Arrays inputs, expected;
  for (const std::string& path : options.inputs) inputs.push_back(load_npy(path));
  for (const std::string& path : options.expected) expected.push_back(load_npy(path));
  const Arrays results = program.run(inputs);
  if (!options.output_dir.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.output_dir, error);
    if (error) fail<RuntimeError>("tenon-run", "the directory cannot be made: ", error.message(), "; got ", options.output_dir);
    for (std::size_t i = 0; i < results.size(); ++i)
      save_npy((std::filesystem::path(options.output_dir) / ("result_" + std::to_string(i) + ".npy")).string(), results[i]);
  }
  if (options.output_dir.empty() && expected.empty()) {
    for (std::size_t i = 0; i < results.size(); ++i) std::printf("result_%zu = %s\n", i, results[i].str().c_str());
  }
  if (!expected.empty() && expected.size() != results.size())
    fail<ValueError>("tenon-run", "the program has ", results.size(), " results; got ", expected.size(), " expected files");
  for (std::size_t i = 0; i < expected.size(); ++i) compare(i, results[i], expected[i], options);
}

}  // namespace
}  // namespace tenon

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 1 && (words[0] == "--help" || words[0] == "-h")) {
    std::fputs(tenon::kUsage, stdout);
    return 0;
  }
  try {
    tenon::run(tenon::parse_options(words));
    return 0;
  } catch (const tenon::UsageError& error) {
    std::fprintf(stderr, "%s\n%s", error.what(), tenon::kUsage);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
