// Transformations around random programs: vmap, scan, cond, derivatives, one in another.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tenon/tenon.h"

namespace tenon::fuzz {

class Builder;
struct Wrapper;
using Function = std::function<Arrays(const Arrays&)>;
using Numbers = std::vector<int64_t>;

/// One transformation of a function of arrays.
struct Wrap {
  const Wrapper* wrapper = nullptr;
  Numbers numbers;  // axes, lengths, which result is fed back: what the wrapper puts there
};

/// Types of a function to be wrapped, and what it has inside.
struct Signature {
  Avals inputs, results;
  bool has_while = false;
};

/// How a result is held to its definition: bit for bit, or to rounding (derivatives: sums in another order).
enum class Exactness : uint8_t { bits, rounding };

/// A kind of transformation.
struct Wrapper {
  const char* name;
  int weight;
  bool derives;
  std::optional<Numbers> (*propose)(Builder& builder, const Signature& inner);
  /// Inputs of the wrapped function.
  Avals (*inputs)(const Numbers& numbers, const Avals& inner);
  Arrays (*apply)(const Numbers& numbers, const Function& inner, const Arrays& inputs);
  /// Where `results` of the wrapped function differ from what the transformation is by definition, told by runs of
  /// the function itself: loops written out, differences, inner products. Empty when they do not.
  std::string (*difference)(const Numbers& numbers, const Function& inner, const Arrays& inputs, const Arrays& results, Exactness exactness);
};
const std::vector<Wrapper>& wrappers();

/// Where two results differ in a bit (NaN equals NaN), or "".
std::string difference(const Array& a, const Array& b);
/// What results of a dtype may differ by, as a part of the largest of them.
double rounding_of(DType dtype);
/// The same up to rounding; what is not finite or not floating is not compared.
std::string rough_difference(const Array& a, const Array& b);
inline std::string difference(const Array& a, const Array& b, Exactness exactness) {
  return exactness == Exactness::bits ? difference(a, b) : rough_difference(a, b);
}

}  // namespace tenon::fuzz
