// What tenon-bench times: functions on arrays, their inputs, and the right result at any place.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tenon/tenon.h"

namespace tenon::bench {

/// Inputs of a workload, from one seed per workload.
class Draw {
 public:
  explicit Draw(const std::string& id);
  /// Evenly from [low, high), or of mean 0 and variance `scale`^2.
  Array uniform(const Shape& shape, float low, float high);
  Array normal(const Shape& shape, float scale = 1.0f);
  /// Evenly from 0 ... bound - 1, as int32.
  Array indices(const Shape& shape, int32_t bound);

 private:
  std::mt19937_64 random_;
};

/// Elements of the inputs on the host, each list as float (indices are below 2^24).
using Host = std::vector<std::vector<float>>;
/// The exact element of the first result at a place in row-major order, given all inputs.
using Reference = std::function<double(int64_t place)>;

/// How a finished call is timed.
struct Timing {
  double median_seconds = 0, min_seconds = 0;
  int64_t runs = 0;
};
/// One warm-up, one call to size the loop, then about `target` seconds of calls.
Timing time_calls(const std::function<void()>& call, double target);

struct Workload {
  std::string id;
  double tolerance;  // of the largest difference, relative to the largest right element
  std::function<Arrays(Draw&)> inputs;
  /// Compiles for these inputs, and gives the call that is timed.
  std::function<std::function<Arrays()>(const Arrays&)> prepare;
  std::function<Reference(const Host&)> reference;
  /// Facts of the compiled program.
  std::function<Compiled(const Arrays&)> compile;
};

/// A workload whose program is `function` of as many arrays as `inputs` gives.
template <class F, size_t... I>
Workload make_workload(std::string id, std::function<Arrays(Draw&)> inputs, F function,
                       std::function<Reference(const Host&)> reference, double tolerance, std::index_sequence<I...>) {
  auto jitted = jit(function, {.name = id});
  return {id, tolerance, std::move(inputs),
          [jitted](const Arrays& x) { return [jitted, x] { return tree::leaves(jitted(x[I]...)); }; }, std::move(reference),
          [jitted](const Arrays& x) -> Compiled { return jitted.lower(x[I]...).compile(); }};
}
template <size_t kArguments, class F>
Workload workload(std::string id, std::function<Arrays(Draw&)> inputs, F function,
                  std::function<Reference(const Host&)> reference, double tolerance = 1e-5) {
  return make_workload(std::move(id), std::move(inputs), std::move(function), std::move(reference), tolerance,
                       std::make_index_sequence<kArguments>());
}

using Workloads = std::vector<Workload>;
void add_elementwise(Workloads& list);
void add_rows(Workloads& list);
void add_movement(Workloads& list);
void add_products(Workloads& list);
void add_loops(Workloads& list);
void add_training(Workloads& list);

/// Calls, compilations and the start of a process. `emit(id, timing)` prints one line.
using Emit = std::function<void(const std::string& id, const Timing& timing)>;
void run_dispatch(double target, const Emit& emit);
void run_compile(double target, const Emit& emit);
void run_startup(const Emit& emit);
void compile_training(const Emit& emit);
void compile_attention(const Emit& emit);
using Groups = std::vector<std::pair<std::string, std::function<void(const Emit&)>>>;
/// How long compiling takes, of programs of 1,000, 10,000 and 100,000 operations of each form of sized.h.
void add_growth(Groups& groups);
/// What the process that run_startup starts does.
int startup_child();

}  // namespace tenon::bench
