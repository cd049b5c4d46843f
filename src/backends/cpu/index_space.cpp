#include "backends/cpu/index_space.h"

#include <algorithm>
#include <numeric>

namespace tenon::cpu {

int64_t Index::coefficient(int variable) const {
  for (const Term& t : terms) {
    if (t.variable == variable) return t.coefficient;
  }
  return 0;
}

bool operator<(const Index& a, const Index& b) {
  if (a.constant != b.constant) return a.constant < b.constant;
  return std::lexicographical_compare(a.terms.begin(), a.terms.end(), b.terms.begin(),
                                      b.terms.end());
}

int IndexSpace::add_loop(int64_t min, int64_t max) {
  variables_.push_back({Variable::Kind::loop, min, max, {}, 1, -1});
  return size() - 1;
}

Index IndexSpace::loaded(int handle, int64_t max) {
  auto [it, is_new] = loaded_.try_emplace({handle, max}, size());
  if (is_new) variables_.push_back({Variable::Kind::loaded, 0, max, {}, 1, handle});
  return variable(it->second);
}

Index IndexSpace::variable(int id, int64_t coefficient) {
  Index index;
  if (coefficient != 0) index.terms.push_back({id, coefficient});
  return index;
}

Index IndexSpace::add(const Index& a, const Index& b) {
  Index sum;
  sum.constant = a.constant + b.constant;
  const Term *x = a.terms.begin(), *y = b.terms.begin();
  while (x != a.terms.end() || y != b.terms.end()) {
    if (y == b.terms.end() || (x != a.terms.end() && x->variable < y->variable)) {
      sum.terms.push_back(*x++);
    } else if (x == a.terms.end() || y->variable < x->variable) {
      sum.terms.push_back(*y++);
    } else {
      if (x->coefficient + y->coefficient != 0)
        sum.terms.push_back({x->variable, x->coefficient + y->coefficient});
      ++x, ++y;
    }
  }
  normalize(sum);
  return sum;
}

Index IndexSpace::add(const Index& a, int64_t constant) {
  Index sum = a;
  sum.constant += constant;
  return sum;
}

Index IndexSpace::multiply(const Index& a, int64_t factor) {
  if (factor == 0) return Index(0);
  Index product = a;
  product.constant *= factor;
  for (Term& t : product.terms) t.coefficient *= factor;
  return product;
}

IndexSpace::Range IndexSpace::range(const Index& a) const {
  Range r{a.constant, a.constant};
  for (const Term& t : a.terms) {
    const Variable& v = variables_[t.variable];
    r.min += t.coefficient * (t.coefficient > 0 ? v.min : v.max);
    r.max += t.coefficient * (t.coefficient > 0 ? v.max : v.min);
  }
  return r;
}

bool IndexSpace::depends_on(const Index& a, int variable) const {
  bool found = false;
  for_each_leaf(a, [&](int leaf) { found |= leaf == variable; });
  return found;
}

// Two rules, until none applies:
//   k d (s / d) + k (s % d)             ->  k s
//   k d ((s / d) % e) + k (s % d)       ->  k (s % (d e))
void IndexSpace::normalize(Index& a) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < a.terms.size() && !changed; ++i) {
      const Term low = a.terms[i];
      const Variable rem = variables_[low.variable];
      if (rem.kind != Variable::Kind::remainder) continue;
      for (size_t j = 0; j < a.terms.size(); ++j) {
        const Term high = a.terms[j];
        if (i == j || high.coefficient != low.coefficient * rem.divisor) continue;
        const Variable& other = variables_[high.variable];
        Index merged;
        if (other.kind == Variable::Kind::quotient && other.divisor == rem.divisor &&
            other.source == rem.source) {
          merged = rem.source;
        } else if (other.kind == Variable::Kind::remainder && other.source.constant == 0 &&
                   other.source.terms.size() == 1 && other.source.terms[0].coefficient == 1) {
          const Variable& inner = variables_[other.source.terms[0].variable];
          if (inner.kind != Variable::Kind::quotient || inner.divisor != rem.divisor ||
              inner.source != rem.source)
            continue;
          merged = remainder(rem.source, rem.divisor * other.divisor);
        } else {
          continue;
        }
        Index rest;
        rest.constant = a.constant;
        for (size_t k = 0; k < a.terms.size(); ++k) {
          if (k != i && k != j) rest.terms.push_back(a.terms[k]);
        }
        a = add(rest, multiply(merged, low.coefficient));
        changed = true;
        break;
      }
    }
  }
}

std::pair<Index, Index> IndexSpace::split(const Index& a, int64_t divisor) const {
  Index whole, rest;
  for (const Term& t : a.terms) {
    if (t.coefficient % divisor == 0) {
      whole.terms.push_back({t.variable, t.coefficient / divisor});
    } else {
      rest.terms.push_back(t);
    }
  }
  rest.constant = a.constant % divisor;
  if (rest.constant < 0) rest.constant += divisor;
  whole.constant = (a.constant - rest.constant) / divisor;
  return {whole, rest};
}

int IndexSpace::derived(Variable::Kind kind, const Index& source, int64_t divisor) {
  auto [it, is_new] = derived_.try_emplace({static_cast<int>(kind), divisor, source},
                                           static_cast<int>(variables_.size()));
  if (is_new) {
    const Range r = range(source);
    const bool is_quotient = kind == Variable::Kind::quotient;
    variables_.push_back({kind, is_quotient ? r.min / divisor : 0,
                          is_quotient ? r.max / divisor : std::min(divisor - 1, r.max), source,
                          divisor, -1});
  }
  return it->second;
}

Index IndexSpace::quotient(const Index& a, int64_t divisor) {
  if (divisor <= 1) return a;  // 0: the size of an axis without elements, over which no loop runs
  auto [whole, rest] = split(a, divisor);
  const Range r = range(rest);
  if (r.min >= 0 && r.max < divisor) return whole;
  if (r.min < 0) whole = Index(0), rest = a;  // the parts may cross a multiple; keep the sum
  // (g e + k) / (g d)  ->  e / d   for 0 <= k < g
  int64_t g = divisor;
  for (const Term& t : rest.terms) g = std::gcd(g, t.coefficient);
  if (g > 1) {
    Index reduced;
    reduced.constant = rest.constant / g;
    for (const Term& t : rest.terms) reduced.terms.push_back({t.variable, t.coefficient / g});
    return add(whole, quotient(reduced, divisor / g));
  }
  if (rest.constant == 0 && rest.terms.size() == 1 && rest.terms[0].coefficient == 1) {
    const Variable v = variables_[rest.terms[0].variable];
    // (s / c) / d  ->  s / (c d)
    if (v.kind == Variable::Kind::quotient)
      return add(whole, quotient(v.source, v.divisor * divisor));
    // (s % (d e)) / d  ->  (s / d) % e
    if (v.kind == Variable::Kind::remainder && v.divisor % divisor == 0)
      return add(whole, remainder(quotient(v.source, divisor), v.divisor / divisor));
  }
  return add(whole, variable(derived(Variable::Kind::quotient, rest, divisor)));
}

Index IndexSpace::remainder(const Index& a, int64_t divisor) {
  if (divisor <= 1) return Index(0);
  auto [whole, rest] = split(a, divisor);
  const Range r = range(rest);
  if (r.min >= 0 && r.max < divisor) return rest;
  if (r.min < 0) rest = a;
  // (g e + k) % (g d)  ->  g (e % d) + k   for 0 <= k < g
  int64_t g = divisor;
  for (const Term& t : rest.terms) g = std::gcd(g, t.coefficient);
  if (g > 1) {
    Index reduced;
    reduced.constant = rest.constant / g;
    for (const Term& t : rest.terms) reduced.terms.push_back({t.variable, t.coefficient / g});
    return add(multiply(remainder(reduced, divisor / g), g), rest.constant % g);
  }
  if (rest.constant == 0 && rest.terms.size() == 1 && rest.terms[0].coefficient == 1) {
    const Variable v = variables_[rest.terms[0].variable];
    // (s % (d e)) % d  ->  s % d
    if (v.kind == Variable::Kind::remainder && v.divisor % divisor == 0)
      return remainder(v.source, divisor);
  }
  return variable(derived(Variable::Kind::remainder, rest, divisor));
}

}  // namespace tenon::cpu
