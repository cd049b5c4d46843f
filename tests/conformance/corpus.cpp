// Runs the text modules of ../shared/conformance: by the evaluator, and compiled with passes and without.
//
//   conformance_corpus CORPUS --random K [--seed S] [--part K/N] [--only TEXT] [--verbose]
//   conformance_corpus CORPUS --exceptions exceptions.tsv [--ways usual] [--part K/N] [--only TEXT] [--write FILE] [--verbose]
//
// Each way must pass the module's own checks or meet the expected results of JAX, and all give the same bits, but where
// the evaluator sums in double. A module of an operation that Tenon lacks must be refused with an error that names it.
// exceptions.tsv lists these, and those whose expected values are further from the truth than their own bound.
// --random: each on K inputs drawn by chance instead of its own, evaluated and compiled with all passes and without one
// of them; all must give the same bits. x + 0.0 -> x, the named exception to IEEE, is left out.
// Exit code: 0 all as listed, 1 not, 77 there is no corpus.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "conformance/cases.h"
#include "conformance/random_inputs.h"
#include "dialect/module_impl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/pipeline.h"
#include "tenon/config.h"
#include "tenon/error.h"
#include "tools/run/run_module.h"

namespace tenon::conformance {
namespace {

constexpr unsigned kSecondsPerFile = 120;
constexpr unsigned kSecondsPerRandomFile = 20;  // on inputs that are none of a user's, loops need not end

struct Options {
  std::string corpus, exceptions, only, write;
  unsigned part = 0, parts = 1, random = 0, seed = 1;
  bool all_ways = true;  // else the two that say most
  bool verbose = false;
};

struct Outcome {
  std::string name;  // file, and the function where there are several
  enum Kind { passes, refused, wrong } kind = passes;  // exceptions.tsv calls them - , refused, inexact
  std::string why;  // the operation that lacks; how it is wrong
};

// ---- one function

/// What Tenon lacks, in a word or two, from the error.
std::string what_lacks(const std::string& error) {
  static const std::pair<std::regex, const char*> known[] = {
      {std::regex("!quant\\."), "quantized elements"},
      {std::regex("static shape"), "dynamic shapes"},
      {std::regex("less than a byte"), "elements of less than a byte"},
      {std::regex("float8|f8E|float4|f4E|float6|f6E"), "elements of f8"},
  };
  for (const auto& [pattern, words] : known)
    if (std::regex_search(error, pattern)) return words;
  std::smatch found;
  static const std::regex custom("custom call of ([^ ;,]+)"), operation("(stablehlo|chlo|check|interpreter)\\.[a-z_0-9]+");
  if (std::regex_search(error, found, custom)) return "custom_call @" + found[1].str();
  if (std::regex_search(error, found, operation)) return found[0].str();
  return error;
}

/// Runs one function in all ways.
Outcome run_function(const Module& module, const std::string& function, const Arguments& arguments, const Options& options, bool has_expected) {
  struct Way {
    const char* name;
    bool compiled, optimized, is_usual;
    const char* disable_passes;
    double temp_part = 1;
    bool saved = false;
  };
  // The inputs of self-checking modules are constants: all there is to compute would be folded.
  static constexpr Way kWays[] = {{"evaluated", false, false, true, ""},
                                  {"compiled without folding", true, true, true, "fold-constants"},
                                  {"compiled", true, true, false, ""},
                                  {"compiled with fewer temporaries", true, true, false, "fold-constants", 0.7},
                                  {"saved and loaded", true, true, false, "fold-constants", 1, true},
                                  {"compiled without passes", true, false, false, ""}};
  Outcome outcome;
  Arrays evaluated;
  bool has_compiled_bits = false;
  for (const Way& way : kWays) {
    if (!way.is_usual && !options.all_ways) continue;
    const std::string prefix = std::string(way.name) + ": ";
    try {
      const RunnableModule runnable(module, {way.compiled, way.optimized, function, way.disable_passes, way.temp_part, way.saved});
      if (!way.compiled) has_compiled_bits = runnable.has_compiled_bits();
      const Arrays results = runnable.run(arguments.inputs);
      std::string why;
      if (has_expected && results.size() != arguments.expected.size()) why = std::to_string(results.size()) + " results";
      for (std::size_t i = 0; has_expected && why.empty() && i < results.size(); ++i) {
        why = difference(results[i], arguments.expected[i]);
        if (!why.empty()) why = "result " + std::to_string(i) + ": " + why;
      }
      if (!way.compiled) evaluated = results;
      for (std::size_t i = 0; has_compiled_bits && why.empty() && i < results.size(); ++i) {
        why = bit_difference(results[i], evaluated[i], way.optimized);  // x + 0.0 -> x is the named exception
        if (!why.empty()) why = "result " + std::to_string(i) + " has other bits than evaluated: " + why;
      }
      if (!why.empty()) return {"", Outcome::wrong, prefix + why};
    } catch (const UnimplementedError& error) {
      const std::string lacks = what_lacks(error.what());
      return {"", Outcome::refused, way.compiled ? "compiled: " + lacks : lacks};
    } catch (const std::exception& error) {
      return {"", Outcome::wrong, prefix + error.what()};
    }
  }
  return outcome;
}

/// Part of the name, so that a new file moves no other one.
unsigned hash_of(const std::string& name) {
  unsigned hash = 2166136261u;
  for (unsigned char c : name) hash = (hash ^ c) * 16777619u;
  return hash;
}

/// "drop-zero-sums", and the name of one more pass.
std::string draw_passes_to_leave_out(unsigned number) {
  std::vector<std::string> names;
  for (const passes::PassInfo& pass : passes::list_passes()) {
    if (std::ranges::count(names, pass.name) > 0 || pass.name == "canonicalize-dots") continue;  // kernels need its form
    passes::PipelineOptions options;
    options.disable_passes = pass.name;
    try {
      passes::optimize(Module::parse("func.func @main() { return }"), options);
      names.emplace_back(pass.name);
    } catch (const ValueError&) {  // a pass that backends cannot do without
    }
  }
  return "drop-zero-sums," + names[number % names.size()];
}

/// How results differ by more than the order of a sum explains. Integers may hang on a comparison of such sums.
std::string rough_difference(const Array& got, const Array& wanted) {
  if (!got.dtype().is_inexact()) return "";
  const int bits = got.dtype().bits() / (got.dtype().is_complex() ? 2 : 1);
  const double scale = bits >= 64 ? 1e-9 : bits >= 32 ? 1e-3 : 0.1;
  Expected expected{wanted, {}, scale, 0};
  for (double part : parts_of(wanted))
    if (std::isfinite(part)) expected.atol = std::max(expected.atol, scale * std::fabs(part));
  return expected.atol > 1e30 ? "" : difference(got, expected);
}

/// Runs one function on inputs drawn by chance.
Outcome run_randomly(const Module& module, const std::string& function, const Options& options) {
  const unsigned seed = options.seed * 1000003 + hash_of(function + module.str().substr(0, 2000));
  std::string when = "opened";
  try {
    const Module open = opened(module, function);
    open.verify();
    const RunnableModule evaluated(open, {false, false, "main", ""});
    struct Way {
      std::string without;
      RunnableModule runnable;
    };
    std::vector<Way> ways;
    for (const std::string& without : {std::string("drop-zero-sums"), draw_passes_to_leave_out(seed)}) {
      when = "compiled without " + without;
      ways.push_back({without, RunnableModule(open, {true, true, "main", without})});
    }
    for (unsigned draw = 0; draw < options.random; ++draw) {
      const Arrays inputs = random_inputs(evaluated.argument_avals(), seed + draw);
      when = "evaluated";
      const Arrays wanted = evaluated.run(inputs);
      Arrays first;
      for (const Way& way : ways) {
        when = "compiled without " + way.without + ", on inputs " + std::to_string(seed + draw);
        const Arrays got = way.runnable.run(inputs);
        for (std::size_t i = 0; i < got.size(); ++i) {
          std::string why = evaluated.has_compiled_bits() ? bit_difference(got[i], wanted[i], false) : rough_difference(got[i], wanted[i]);
          if (!why.empty()) return {"", Outcome::wrong, when + ": result " + std::to_string(i) + " differs from evaluated: " + why};
          why = first.empty() ? "" : bit_difference(got[i], first[i], false);
          if (!why.empty()) return {"", Outcome::wrong, when + ": result " + std::to_string(i) + " has other bits than with all passes: " + why};
        }
        if (first.empty()) first = got;
      }
      if (inputs.empty()) break;
    }
  } catch (const UnimplementedError& error) {
    return {"", Outcome::refused, what_lacks(error.what())};
  } catch (const std::exception& error) {
    return {"", Outcome::wrong, when + ": " + error.what()};
  }
  return {};
}

// ---- one file

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find("// -----", begin)) != std::string::npos; begin = text.find('\n', end))
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

std::vector<Outcome> run_file(const CaseFile& file, const Options& options) {
  std::vector<Outcome> outcomes;
  const bool is_jax = !file.arrays.empty();
  Arguments arguments;
  if (is_jax) arguments = load_arguments(file);
  for (const std::string& part : split(read_file(file.path))) {
    try {
      const Module module = Module::parse(part, file.path.filename().string());
      module.verify();
      for (auto function : module_op(module).getOps<mlir::func::FuncOp>()) {
        if (function.isPrivate() || function.isDeclaration()) continue;
        if (!is_jax && function.getNumArguments() > 0 && function.getName() != "main") continue;  // called by others
        const std::string name = function.getName().str();
        outcomes.push_back(options.random > 0 ? run_randomly(module, name, options) : run_function(module, name, arguments, options, is_jax));
        outcomes.back().name = name == "main" ? file.name : file.name + ":" + name;
      }
    } catch (const std::exception& error) {
      outcomes.push_back({file.name, Outcome::wrong, error.what()});
    }
  }
  return outcomes;
}

/// The same in a process of its own: a crash is an outcome.
std::vector<Outcome> run_file_apart(const CaseFile& file, const Options& options) {
  int ends[2];
  if (pipe(ends) != 0) return {{file.name, Outcome::wrong, "no pipe"}};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    alarm(options.random > 0 ? kSecondsPerRandomFile : kSecondsPerFile);
    std::string text;
    for (Outcome outcome : run_file(file, options)) {
      std::ranges::replace(outcome.why, '\n', ' ');
      text += outcome.name + "\t" + std::to_string(outcome.kind) + "\t" + outcome.why + "\n";
    }
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n = write(ends[1], text.data() + done, text.size() - done);
      if (n <= 0) _exit(2);
      done += static_cast<std::size_t>(n);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  std::vector<Outcome> outcomes;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t a = line.find('\t'), b = line.find('\t', a + 1);
    outcomes.push_back({line.substr(0, a), static_cast<Outcome::Kind>(std::stoi(line.substr(a + 1, b - a - 1))), line.substr(b + 1)});
  }
  if (options.random > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    outcomes.push_back({file.name, Outcome::refused, "an end on these inputs in time"});
  else if (WIFSIGNALED(status))
    outcomes.push_back({file.name, Outcome::wrong, std::string("the process died: ") + strsignal(WTERMSIG(status))});
  else if (status != 0)
    outcomes.push_back({file.name, Outcome::wrong, "the process ended early"});
  return outcomes;
}

// ---- all of them

std::string folder_of(const std::string& name) { return name.substr(0, name.rfind('/', name.find(".mlir"))); }

struct Exception {
  std::string kind, why;  // "refused" and what lacks; "inexact" and what the bound is too tight for
};

std::map<std::string, Exception> read_exceptions(const std::string& path) {
  std::map<std::string, Exception> list;
  if (path.empty()) return list;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t a = line.find('\t'), b = line.find('\t', a + 1);
    if (b != std::string::npos && line[0] != '#') list[line.substr(0, a)] = {line.substr(a + 1, b - a - 1), line.substr(b + 1)};
  }
  return list;
}

/// Of the function, or of all in its folder: "stablehlo/testdata/dynamic/*".
const Exception* find_exception(const std::map<std::string, Exception>& list, const std::string& name) {
  auto found = list.find(name);
  if (found == list.end()) found = list.find(folder_of(name) + "/*");
  return found == list.end() ? nullptr : &found->second;
}

/// How an outcome is not what the list says; "" when it is.
std::string complaint(const Outcome& outcome, const Exception* listed, const Options& options) {
  if (options.random > 0) return outcome.kind == Outcome::wrong ? outcome.why : "";
  if (!listed) return outcome.kind == Outcome::passes ? "" : outcome.kind == Outcome::refused ? "is refused: " + outcome.why : outcome.why;
  if (outcome.kind == Outcome::passes) return "passes now: take it off the list of exceptions";
  if (outcome.kind == Outcome::refused)
    return listed->kind == "refused" && listed->why == outcome.why ? "" : "is refused: " + outcome.why + "; the list says " + listed->kind + ", " + listed->why;
  return listed->kind == "inexact" && outcome.why.find("differs; got") != std::string::npos ? "" : outcome.why;
}


void print_table(const std::vector<Outcome>& outcomes) {
  std::map<std::string, int> counts[3], lacks;
  std::set<std::string> folders;
  for (const Outcome& outcome : outcomes) {
    std::string folder = folder_of(outcome.name);
    if (folder.starts_with("jax_programs")) folder = "jax_programs";
    folders.insert(folder);
    ++counts[outcome.kind][folder];
    if (outcome.kind == Outcome::refused) ++lacks[outcome.why];
  }
  std::printf("%-32s %7s %8s %6s\n", "folder", "passes", "refused", "wrong");
  for (const std::string& folder : folders)
    std::printf("%-32s %7d %8d %6d\n", folder.c_str(), counts[0][folder], counts[1][folder], counts[2][folder]);
  std::multimap<int, std::string, std::greater<>> order;
  for (const auto& [what, count] : lacks) order.emplace(count, what);
  for (const auto& [count, what] : order) std::printf("  refused %5d  %s\n", count, what.c_str());
}

int run(const Options& options) {
  const std::vector<CaseFile> files = case_files(options.corpus);
  if (files.empty()) {
    std::printf("there is no corpus at %s\n", options.corpus.c_str());
    return 77;
  }
  const config::Scope wide({{"enable_x64", true}});  // files have the dtypes they have
  const auto exceptions = read_exceptions(options.exceptions);
  std::vector<Outcome> outcomes;
  std::set<std::string> seen_files;
  for (const CaseFile& file : files) {
    if (hash_of(file.name) % options.parts != options.part || file.name.find(options.only) == std::string::npos) continue;
    seen_files.insert(file.name);
    const auto start = std::chrono::steady_clock::now();
    for (Outcome& outcome : run_file_apart(file, options)) {
      if (options.verbose)
        std::printf("%s: %s %s\n", outcome.name.c_str(), outcome.kind == 0 ? "passes" : outcome.kind == 1 ? "refused" : "WRONG", outcome.why.c_str());
      outcomes.push_back(std::move(outcome));
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (seconds > 10 || (options.verbose && seconds > 1)) std::printf("%s takes %.1f s\n", file.name.c_str(), seconds);
    std::fflush(stdout);
  }
  print_table(outcomes);
  if (!options.write.empty()) {
    std::ofstream out(options.write);
    out << "# Modules of ../shared/conformance that do not pass: refused, for the lack of what; or inexact, where the expected values\n"
           "# have more rounding errors than the check allows and ours are nearer. Made by conformance_corpus --write.\n";
    for (const auto& [name, exception] : exceptions)
      if (name.ends_with("/*")) out << name << "\t" << exception.kind << "\t" << exception.why << "\n";
    for (const Outcome& outcome : outcomes) {
      if (outcome.kind == Outcome::passes || (!exceptions.contains(outcome.name) && find_exception(exceptions, outcome.name))) continue;
      out << outcome.name << (outcome.kind == Outcome::refused ? "\trefused\t" : "\tinexact\t") << outcome.why << "\n";
    }
  }
  int failures = 0;
  const auto tell = [&](const std::string& name, const std::string& what) {
    if (++failures <= 200) std::printf("%s: %s\n", name.c_str(), what.c_str());
  };
  std::set<std::string> seen;
  for (const Outcome& outcome : outcomes) {
    seen.insert(outcome.name);
    const std::string why = complaint(outcome, find_exception(exceptions, outcome.name), options);
    if (!why.empty()) tell(outcome.name, why);
  }
  for (const auto& [name, exception] : exceptions) {
    const std::string file = name.substr(0, name.find(".mlir") + 5);  // nothing of a folder
    if (seen_files.contains(file) && !seen.contains(name)) tell(name, "is on the list of exceptions, but not in the corpus");
  }
  std::printf("%zu functions of %zu files: %d not as they should be\n", outcomes.size(), seen_files.size(), failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tenon::conformance

int main(int argc, char** argv) {
  tenon::conformance::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto next = [&]() -> std::string { return i + 1 < argc ? argv[++i] : ""; };
    if (word == "--exceptions") options.exceptions = next();
    else if (word == "--only") options.only = next();
    else if (word == "--write") options.write = next();
    else if (word == "--ways") options.all_ways = next() != "usual";
    else if (word == "--random") options.random = static_cast<unsigned>(std::atoi(next().c_str()));
    else if (word == "--seed") options.seed = static_cast<unsigned>(std::atoi(next().c_str()));
    else if (word == "--verbose") options.verbose = true;
    else if (word == "--part") {
      if (std::sscanf(next().c_str(), "%u/%u", &options.part, &options.parts) != 2 || options.parts == 0) return 2;
    } else if (options.corpus.empty() && !word.starts_with("--")) options.corpus = word;
    else {
      std::fprintf(stderr, "usage: conformance_corpus CORPUS [--exceptions FILE] [--ways usual] [--part K/N] [--only TEXT] [--write FILE]\n"
                           "                          [--random K] [--seed S] [--verbose]\n");
      return 2;
    }
  }
  try {
    return tenon::conformance::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
