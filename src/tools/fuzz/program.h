// A random program as data: it can be applied to arrays eagerly or under a trace, printed, cut down.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tenon/tenon.h"

namespace tenon::fuzz {

struct Family;

/// One operation. Values are numbered: inputs first, then one for each operation.
struct Op {
  const Family* family = nullptr;
  std::vector<int> operands;
  std::vector<int64_t> numbers;  // axes, sizes, a dtype's code: what the family puts there
};

struct Program {
  uint64_t seed = 0;  // of the inputs' elements
  bool enable_x64 = false;
  Avals inputs;
  std::vector<Op> ops;
  std::vector<int> results;

  /// The results' values; `inputs` may be tracers.
  Arrays apply(const Arrays& inputs) const;
  /// Elements with many special values among them.
  Arrays make_inputs() const;
  std::string str() const;
};

/// The values that a program under construction has so far, and the dice.
class Builder {
 public:
  Builder(uint64_t seed, int64_t max_elements);

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

 private:
  std::mt19937_64 random_;
  int64_t max_elements_;
  bool enable_x64_ = false;
  Avals avals_;
};

/// A kind of operation: how one is proposed for a program, and what it does.
struct Family {
  const char* name;
  int weight;
  std::function<std::optional<Op>(Builder&)> propose;
  std::function<Array(const Op&, const Arrays&)> apply;
};
const std::vector<Family>& families();

}  // namespace tenon::fuzz
