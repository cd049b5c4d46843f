// A random program as data: it can be applied to arrays eagerly or under a trace, printed, cut down.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tenon/tenon.h"
#include "tools/fuzz/wrap.h"

namespace tenon::fuzz {

struct Family;

/// One operation. Values are numbered: inputs first, then one for each operation.
struct Op {
  const Family* family = nullptr;
  std::vector<int> operands;
  std::vector<int64_t> numbers;  // axes, sizes, a dtype's code: what the family puts there
};

/// What programs of a kind have in common.
struct Style {
  /// Sums and products are of signs: the same bits in any order, so that a batch can be held to a loop bit for bit.
  /// Without it vmap may add up in another order than the loop, as it may in derivatives.
  bool exact_sums = false;
  /// Floats are float64, so that differences tell a slope.
  bool wide_floats = false;
  /// Elements in [-2, 2], no special ones.
  bool tame = false;
};

struct Program {
  uint64_t seed = 0;  // of the inputs' elements
  bool enable_x64 = false;
  Style style = {};
  Avals inputs;  // of the operations; the whole has others when it is wrapped
  std::vector<Op> ops;
  std::vector<int> results;
  std::vector<Wrap> wraps;  // from inside out

  /// The results' values; `inputs` may be tracers.
  Arrays apply(const Arrays& inputs) const { return function(wraps.size())(inputs); }
  /// The operations with the first `depth` wraps around them, and its inputs.
  Function function(size_t depth) const;
  Avals inputs_of(size_t depth) const;
  /// Elements with many special values among them.
  Arrays make_inputs() const;
  std::string str() const;

 private:
  Arrays apply_ops(const Arrays& inputs) const;
};
/// Avals of the results.
Avals results_of(const Function& function, const Avals& inputs);

/// The values that a program under construction has so far, and the dice.
class Builder {
 public:
  Builder(uint64_t seed, int64_t max_elements, const Style& style = {});

  int64_t pick(int64_t low, int64_t high);  // both included
  bool chance(double probability);
  template <class T>
  const T& one_of(const std::vector<T>& list) { return list[pick(0, static_cast<int64_t>(list.size()) - 1)]; }
  /// A value for which `fits` holds; recent ones more often.
  std::optional<int> value(const std::function<bool(const Aval&)>& fits);
  const Aval& aval(int value) const { return avals_[value]; }
  /// float32, int32 and bool most often.
  DType dtype();
  Shape shape();
  bool is_small(const Shape& shape) const { return shape.num_elements() <= max_elements_; }

  /// A program with `ops` operations. Proposals that the library refuses are dropped.
  Program build(int ops);
  /// With up to `depth` transformations around it, derivatives among them or not.
  void wrap(Program& program, int depth, bool derives);

 private:
  std::mt19937_64 random_;
  int64_t max_elements_;
  Style style_;
  bool enable_x64_ = false;
  Avals avals_;
};

/// A kind of operation: how one is proposed for a program, and what it does.
struct Family {
  const char* name;
  int weight;
  std::function<std::optional<Op>(Builder&)> propose;
  std::function<Array(const Op&, const Arrays&)> apply;
  bool sums = false;  // rounding depends on the order in which elements meet
};
const std::vector<Family>& families();

}  // namespace tenon::fuzz
