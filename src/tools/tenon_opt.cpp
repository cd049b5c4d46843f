// tenon-opt: module in, passes, module out.
//
//   tenon-opt program.mlir                        reads, verifies, prints
//   tenon-opt program.mlir --passes simplify,fusion --generic --debug-info -o out.mlir
//   tenon-opt --list-passes
//
// Exit code: 0 done, 1 bad input, 2 wrong use of the command.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "base/fail.h"
#include "dialect/module.h"
#include "passes/pipeline.h"

namespace tenon {
namespace {

constexpr const char kUsage[] =
    R"(usage: tenon-opt PROGRAM.mlir [options]     (- reads standard input)
  --passes A,B,...   runs these passes in this order; `all` runs the pipeline
  --list-passes      prints the passes of the pipeline, each with its reason
  --no-verify        does not verify what was read
  --generic          prints the generic form of each operation
  --debug-info       prints locations
  -o FILE            writes there instead of standard output
)";

struct UsageError : Error {
  using Error::Error;
};

struct Options {
  std::string program, output;
  std::vector<std::string> passes;
  bool list_passes = false, verify = true;
  ModuleTextOptions text;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == arguments.size()) throw UsageError("tenon-opt: " + argument + " needs a value");
      return arguments[++i];
    };
    if (argument == "--passes") {
      for (std::string& pass : split(value())) options.passes.push_back(std::move(pass));
    } else if (argument == "--list-passes") {
      options.list_passes = true;
    } else if (argument == "--no-verify") {
      options.verify = false;
    } else if (argument == "--generic") {
      options.text.generic = true;
    } else if (argument == "--debug-info") {
      options.text.debug_info = true;
    } else if (argument == "-o") {
      options.output = value();
    } else if (argument.starts_with("-") && argument != "-") {
      throw UsageError("tenon-opt: no option " + argument);
    } else if (options.program.empty()) {
      options.program = argument;
    } else {
      throw UsageError("tenon-opt: one program at a time; got " + options.program + " and " + argument);
    }
  }
  if (options.program.empty() && !options.list_passes) throw UsageError("tenon-opt: no program given");
  return options;
}

std::string read(const std::string& path) {
  std::ifstream file;
  if (path != "-") {
    file.open(path, std::ios::binary);
    if (!file) fail<RuntimeError>("tenon-opt", "cannot read ", path);
  }
  std::istream& stream = path == "-" ? std::cin : file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const std::string& path, const std::string& text) {
  if (path.empty()) {
    std::cout << text << std::flush;
    if (!std::cout) fail<RuntimeError>("tenon-opt", "cannot write to standard output");
    return;
  }
  std::ofstream file(path, std::ios::binary);
  if (!(file << text << std::flush)) fail<RuntimeError>("tenon-opt", "cannot write ", path);
}

void run(const Options& options) {
  if (options.list_passes) {
    std::string text;
    for (const passes::PassInfo& pass : passes::list_passes()) {
      text += std::string(pass.name) + "\n    " + std::string(pass.reason) + "\n";
    }
    return write(options.output, text);
  }
  Module module = Module::parse(read(options.program), options.program == "-" ? "<stdin>" : options.program);
  if (options.verify) module.verify();
  for (const std::string& pass : options.passes) {
    module = pass == "all" ? passes::optimize(module) : passes::run_pass(module, pass);
  }
  write(options.output, module.str(options.text));
}

}  // namespace
}  // namespace tenon

int main(int argc, char** argv) {
  try {
    tenon::run(tenon::parse_options({argv + 1, argv + argc}));
    return 0;
  } catch (const tenon::UsageError& error) {
    std::fprintf(stderr, "%s\n%s", error.what(), tenon::kUsage);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
