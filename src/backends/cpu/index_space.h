// Index expressions: affine in loop variables where possible, so that an address' stride along each
// loop is known at compile time.
//
// A quotient or remainder that does not simplify becomes a variable of its own (its definition is
// kept); where both meet again in a sum, d * (e / d) + e % d, they turn back into e. So an array
// that is walked by a flat loop and reshaped on the way costs no division.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "llvm/ADT/SmallVector.h"

namespace tenon::cpu {

struct Term {
  int variable;
  int64_t coefficient;
  auto operator<=>(const Term&) const = default;
};

/// constant + sum of coefficient * variable; terms sorted by variable, no coefficient 0.
struct Index {
  int64_t constant = 0;
  llvm::SmallVector<Term, 3> terms;

  Index() = default;
  explicit Index(int64_t value) : constant(value) {}
  bool is_constant() const { return terms.empty(); }
  int64_t coefficient(int variable) const;
  bool operator==(const Index&) const = default;
};
bool operator<(const Index& a, const Index& b);

using Indices = llvm::SmallVector<Index, 4>;

struct Variable {
  enum class Kind : uint8_t { loop, quotient, remainder, loaded };
  Kind kind;
  int64_t min, max;     // both included
  Index source;         // quotient, remainder: of this
  int64_t divisor = 1;  // quotient, remainder: by this
  int handle = -1;      // loaded: which value it is (the emitter knows)
};

/// Makes variables and computes with expressions. One for each kernel.
class IndexSpace {
 public:
  /// A loop that runs over min .. max.
  int add_loop(int64_t min, int64_t max);
  /// An index read from memory, already clamped to 0 .. max; the same handle and max give the same
  /// variable.
  Index loaded(int handle, int64_t max);

  static Index variable(int id, int64_t coefficient = 1);
  Index add(const Index& a, const Index& b);
  Index add(const Index& a, int64_t constant);
  Index multiply(const Index& a, int64_t factor);
  /// a / divisor and a % divisor; a >= 0, divisor >= 1.
  Index quotient(const Index& a, int64_t divisor);
  Index remainder(const Index& a, int64_t divisor);

  struct Range {
    int64_t min, max;
  };
  Range range(const Index& a) const;

  const Variable& operator[](int id) const { return variables_[id]; }
  int size() const { return static_cast<int>(variables_.size()); }

  /// Calls `visit` for each loop or loaded variable that `a` depends on.
  template <class Visit>
  void for_each_leaf(const Index& a, Visit&& visit) const {
    for (const Term& t : a.terms) {
      const Variable& v = variables_[t.variable];
      if (v.kind == Variable::Kind::loop || v.kind == Variable::Kind::loaded)
        visit(t.variable);
      else
        for_each_leaf(v.source, visit);
    }
  }
  bool depends_on(const Index& a, int variable) const;

 private:
  void normalize(Index& a);
  /// a == divisor * first + second, the parts that divide exactly taken out.
  std::pair<Index, Index> split(const Index& a, int64_t divisor) const;
  int derived(Variable::Kind kind, const Index& source, int64_t divisor);

  std::vector<Variable> variables_;
  std::map<std::tuple<int, int64_t, Index>, int> derived_;
  std::map<std::pair<int, int64_t>, int> loaded_;  // by handle and max
};

}  // namespace tenon::cpu
