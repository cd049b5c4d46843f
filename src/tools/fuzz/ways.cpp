#include "tools/fuzz/ways.h"

#include <algorithm>
#include <memory>

namespace tenon::fuzz {

using Scopes = std::vector<std::unique_ptr<config::Scope>>;

static auto function_of(const Program& program) {
  return [program](Arrays xs) { return program.apply(xs); };
}

static Arrays finished(Arrays results) {
  for (Array& result : results) result.block_until_ready();
  return results;
}

// Nothing that is compared has the named exception to IEEE: -0.0 + 0.0 is 0.0.
constexpr const char* kExact = "drop-zero-sums";

static std::string without(const std::string& pass) { return pass + "," + kExact; }

static Way jitted(std::string name, std::vector<config::Setting> settings, std::string backend = "", std::vector<int> threads = {2}) {
  return {name, [=](const Program& program, const Arrays& inputs) {
            Scopes scopes;
            for (const config::Setting& setting : settings) scopes.push_back(std::make_unique<config::Scope>(std::initializer_list{setting}));
            auto function = jit(function_of(program), {.name = "fuzz", .backend = backend});
            std::vector<Outcome> outcomes;
            for (int count : threads) {  // one executable
              const config::Scope pool{{"num_threads", count}};
              outcomes.push_back({name + " on " + std::to_string(count) + " threads", finished(function(inputs))});
            }
            return outcomes;
          }};
}

Way truth() {
  return jitted("the evaluator", {{"disable_passes", "all,canonicalize-dots"}}, "reference");
}

std::vector<Way> all_ways() {
  return {
      jitted("jit", {}, "", {1, 2, 8}),
      {"eager", [](const Program& program, const Arrays& inputs) { return std::vector{Outcome{"eager", finished(program.apply(inputs))}}; }},
      jitted("jit without fusion", {{"disable_passes", without("fusion")}}),
      jitted("jit in streams", {{"stream_min_bytes", int64_t{0}}}, "", {1, 2}),
      jitted("jit for avx2", {{"cpu_target", "avx2"}}),
      jitted("jit for baseline", {{"cpu_target", "baseline"}}),
      jitted("the evaluator after the passes", {}, "reference"),
  };
}

std::vector<Way> ways_without_a_pass() {
  std::vector<Way> ways;
  for (const char* pass : {"unroll-loops", "simplify", "fold-constants", "merge-duplicates", "remove-dead-code", "fusion", "stream-rows", "schedule", "all"})
    ways.push_back(jitted(std::string("jit without ") + pass, {{"disable_passes", without(pass)}}));
  return ways;
}

// Where the outermost transformation is not what it should be, or "".
static std::string difference_from_definition(const Program& program, const Arrays& inputs, const Arrays& results) {
  if (program.wraps.empty()) return "";
  const Wrap& last = program.wraps.back();
  std::string where = last.wrapper->difference(last.numbers, program.function(program.wraps.size() - 1), inputs, results,
                                               program.style.exact_sums ? Exactness::bits : Exactness::rounding);
  return where.empty() ? "" : std::string(last.wrapper->name) + " and " + where;
}

std::string first_difference(const Program& program, const std::vector<Way>& ways) {
  const config::Scope scope{{"enable_x64", program.enable_x64}, {"disable_passes", kExact}};
  const Way base = truth();
  const Way* now = &base;
  try {
    const Arrays inputs = program.make_inputs();
    const Arrays expected = base.run(program, inputs)[0].results;
    for (const Way& way : ways) {
      now = &way;
      for (const Outcome& outcome : way.run(program, inputs)) {
        for (size_t k = 0; k < expected.size(); ++k) {
          const std::string where = difference(expected[k], outcome.results[k]);
          const std::string which = program.wraps.empty() ? "v" + std::to_string(program.results[k]) : "result " + std::to_string(k);
          if (!where.empty()) return base.name + " and " + outcome.how + ", " + which + ", " + where;
        }
      }
    }
    now = nullptr;
    return difference_from_definition(program, inputs, expected);
  } catch (const std::exception& error) {
    return (now ? now->name : "the definition") + " throws: " + error.what();
  }
  return "";
}

// ---- smaller programs

static void drop_unused(Program& program) {
  std::vector<bool> used(program.inputs.size() + program.ops.size());
  for (int result : program.results) used[result] = true;
  for (size_t k = program.ops.size(); k-- > 0;) {
    if (!used[program.inputs.size() + k]) continue;
    for (int operand : program.ops[k].operands) used[operand] = true;
  }
  std::vector<int> number(used.size());
  int next = static_cast<int>(program.inputs.size());  // inputs stay: their elements depend on their number
  Program smaller = program;
  smaller.ops.clear();
  smaller.results.clear();
  for (size_t k = 0; k < used.size(); ++k) {
    if (k < program.inputs.size()) {
      number[k] = static_cast<int>(k);
    } else if (used[k]) {
      number[k] = next++;
      Op op = program.ops[k - program.inputs.size()];
      for (int& operand : op.operands) operand = number[operand];
      smaller.ops.push_back(std::move(op));
    }
  }
  for (int result : program.results) smaller.results.push_back(number[result]);
  program = std::move(smaller);
}

static Avals avals_of(const Program& program) {
  const config::Scope wide{{"enable_x64", program.enable_x64}};
  Program all = program;
  all.results.clear();
  for (size_t k = 0; k < program.inputs.size() + program.ops.size(); ++k) all.results.push_back(static_cast<int>(k));
  return results_of(all.function(0), program.inputs);
}

// What kind of fault: an exception by its first words.
static std::string kind_of(const std::string& why) {
  const size_t at = why.find(" throws: ");
  return at == std::string::npos ? "" : why.substr(at, 40);
}

Program shrink(Program program, const std::vector<Way>& ways) {
  const std::string kind = kind_of(first_difference(program, ways));
  const auto fails = [&](const Program& candidate) {
    const std::string why = first_difference(candidate, ways);
    return !why.empty() && kind_of(why) == kind;
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t k = program.wraps.size(); k-- > 0;) {
      Program candidate = program;
      candidate.wraps.erase(candidate.wraps.begin() + static_cast<std::ptrdiff_t>(k));
      if (fails(candidate)) program = std::move(candidate), progress = true;
    }
    const auto try_results = [&](std::vector<int> results) {
      Program candidate = program;
      candidate.results = std::move(results);
      drop_unused(candidate);
      if (!fails(candidate)) return false;
      program = std::move(candidate);
      return progress = true;
    };
    for (size_t r = 0; r < program.results.size() && program.results.size() > 1; ++r) {
      if (try_results({program.results[r]})) break;
    }
    for (size_t r = 0; r < program.results.size() && program.results.size() > 1;) {
      std::vector<int> fewer = program.results;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(r));
      if (!try_results(std::move(fewer))) ++r;
    }
    for (size_t k = program.ops.size(); k-- > 0;) {
      // An earlier value of the same type, or a new input, in place of the k-th operation.
      const Avals avals = avals_of(program);
      const int value = static_cast<int>(program.inputs.size() + k);
      std::vector<int> substitutes;
      for (int other = 0; other < value; ++other) {
        if (avals[other].shape == avals[value].shape && avals[other].dtype == avals[value].dtype) substitutes.push_back(other);
      }
      for (int other : substitutes) {
        Program candidate = program;
        for (Op& op : candidate.ops) std::ranges::replace(op.operands, value, other);
        std::ranges::replace(candidate.results, value, other);
        drop_unused(candidate);
        if (candidate.ops.size() >= program.ops.size() || !fails(candidate)) continue;
        program = std::move(candidate), progress = true;
        break;
      }
      k = std::min(k, program.ops.size());
    }
  }
  return program;
}

}  // namespace tenon::fuzz
