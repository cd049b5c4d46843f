// Rules of differentiation and batching, from the table of primitives (support/table.h): jvp against differences,
// transposes by inner products, second derivatives both ways round, vmap against a loop.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ops/primitives.h"
#include "support/mapped.h"
#include "support/table.h"

namespace tenon::test {
namespace {

// ---- No holes -----------------------------------------------------------------------------------------------------

// Why a primitive has no rule.
const std::map<std::string, const char*>& without_jvp() {
  static const std::map<std::string, const char*> all = {
      {"axis_index", "it has no operand"},
      {"empty2", "it has no operand"},
      {"iota", "it has no operand"},
      {"pmax", "none in JAX"},
      {"pmin", "none in JAX"},
      {"zeta", "none in JAX"},
  };
  return all;
}
const std::map<std::string, const char*>& without_batching() {
  static const std::map<std::string, const char*> all = {{"empty2", "it has no operand"}, {"iota", "it has no operand"}};
  return all;
}
// Linear in some of their operands. What is not linear needs no transpose: derivatives are made of these.
const std::set<std::string>& linear() {
  static const std::set<std::string> all = {
      "add", "add_any", "all_gather", "broadcast_in_dim", "complex", "concatenate", "conj", "convert_element_type", "copy", "cumsum", "div",
      "dot_general", "dynamic_slice", "dynamic_update_slice", "fft", "gather", "imag", "mul", "neg", "optimization_barrier", "pad", "psum", "real",
      "reduce_precision", "reduce_sum", "reshape", "rev", "scatter", "scatter-add", "scatter-mul", "scatter-sub", "select_n",
      "slice", "split", "squeeze", "stack", "sub", "tile", "transpose", "unstack"};
  return all;
}

TEST(Rules, HaveNoHoles) {
  const Primitive* const primitives[] = {
#define TENON_OP(record) &lax::record,
#include "ops/list.inc"
#undef TENON_OP
  };
  for (const Primitive* primitive : primitives) {
    const std::string name = primitive->name();
    EXPECT_NE(primitive->jvp != nullptr, without_jvp().contains(name)) << name << ": jvp";
    EXPECT_NE(primitive->batching != nullptr, without_batching().contains(name)) << name << ": batching";
    EXPECT_EQ(primitive->transpose != nullptr, linear().contains(name)) << name << ": transpose";
  }
}

// ---- Derivatives --------------------------------------------------------------------------------------------------

// Between 0 and 1 and no two alike, away from where functions have kinks; the same each time.
double fraction(uint64_t k) {
  k = (k + 1) * 0x9E3779B97F4A7C15u;
  k = (k ^ (k >> 29)) * 0xBF58476D1CE4E5B9u;
  return static_cast<double>((k ^ (k >> 32)) >> 11) * 0x1p-53;
}
Array fractions(const Aval& aval, double low, double high, uint64_t seed) {
  if (aval.dtype == jnp::complex128) {
    const Aval part = aval.with_dtype(jnp::float64);
    return lax::complex(fractions(part, low, high, seed), fractions(part, low, high, seed + 1000));
  }
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < static_cast<size_t>(aval.shape.num_elements()); ++i) order.emplace_back(fraction(seed * 100003 + i), i);
  std::vector<double> values(order.size());
  std::ranges::sort(order);
  for (size_t rank = 0; rank < order.size(); ++rank) {
    const double place = (static_cast<double>(rank) + 0.3 + 0.4 * order[rank].first) / static_cast<double>(order.size());
    values[order[rank].second] = low + (high - low) * place;
  }
  return lax::reshape(jnp::array(values, aval.dtype), aval.shape);
}

// A row's program as a function of the operands that have a derivative, giving the results that have one.
struct Smooth {
  const TableRow& row;
  Arrays operands;
  std::vector<size_t> active, wanted;

  Smooth(const TableRow& table_row, const TableCase& c) : row(table_row), operands(row.operands(c)) {
    const bool above_one = row.name == "acosh";
    // Of a reduction the first value changes nothing, and has no derivative; by the updates of a scatter-mul there is none
    // unless they are unique, as in JAX.
    const bool only_first = row.primitive() == "reduce" || row.name == "scatter-mul";
    if (row.name == "polygamma") return;  // of any order: NaN
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].dtype() != c.dtype || (row.primitive() == "polygamma" && i == 0)) continue;
      if (only_first && i > 0) {
        if (row.primitive() == "reduce") operands[i] = lax::full_like(operands[i], -1);
        continue;
      }
      active.push_back(i);
      double low = above_one ? 1.2 : 0.15, high = above_one ? 1.9 : 0.85;
      if (row.name == "clamp" && i == 0) high = 0.4;
      if (row.name == "clamp" && i == 2) low = 0.6;
      operands[i] = fractions(operands[i].aval(), low, high, i);
    }
    const Arrays out = row.function(operands);
    for (size_t i = 0; i < out.size(); ++i)
      if (out[i].dtype() == jnp::float64 || out[i].dtype() == jnp::complex128) wanted.push_back(i);
  }
  Arrays values() const {
    Arrays out;
    for (size_t i : active) out.push_back(operands[i]);
    return out;
  }
  Arrays tangents(uint64_t seed) const {
    Arrays out;
    for (size_t i : active) out.push_back(fractions(operands[i].aval(), -1, 1, seed + i));
    return out;
  }
  Arrays operator()(const Arrays& x) const {
    Arrays all = operands, out;
    for (size_t i = 0; i < active.size(); ++i) all[active[i]] = x[i];
    const Arrays results = row.function(all);
    for (size_t i : wanted) out.push_back(results[i]);
    return out;
  }
};

std::vector<double> numbers(const Arrays& arrays) {
  std::vector<double> all;
  for (const Array& x : arrays) {
    const bool is_complex = x.dtype().is_complex();
    for (const Array& part : is_complex ? Arrays{lax::real(x), lax::imag(x)} : Arrays{x}) {
      const std::vector<double> values = part.to_vector<double>();
      all.insert(all.end(), values.begin(), values.end());
    }
  }
  return all;
}
// The real part of the sum of products.
double inner(const Arrays& x, const Arrays& y) {
  double sum = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    const std::vector<double> a = numbers({x[k]}), b = numbers({y[k]});
    for (size_t i = 0; i < a.size(); ++i) sum += (x[k].dtype().is_complex() && i >= a.size() / 2 ? -1 : 1) * a[i] * b[i];
  }
  return sum;
}
void expect_near(const std::vector<double>& got, const std::vector<double>& want, double tolerance, const char* what) {
  ASSERT_EQ(got.size(), want.size());
  double scale = 1;
  for (double w : want) scale = std::fmax(scale, std::abs(w));
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i]) || got[i] == want[i] || std::abs(got[i] - want[i]) <= tolerance * scale) continue;  // NaN: a fill value
    ADD_FAILURE() << what << " at " << i << ": got " << got[i] << ", want " << want[i];
    return;
  }
}

Arrays moved(const Arrays& x, const Arrays& along, double step) {
  Arrays out;
  for (size_t i = 0; i < x.size(); ++i) out.push_back(lax::add(x[i], lax::mul(along[i], lax::full_like(along[i], step))));
  return out;
}

void check_first(const TableRow& row, const Smooth& f) {
  const Arrays x = f.values(), t = f.tangents(7);
  auto function = [&](const Arrays& v) -> Arrays { return f(v); };
  const auto [y, dy] = jvp(function, std::tuple(x), std::tuple(t));
  expect_near(numbers(y), numbers(f(x)), 1e-12, "the value of jvp");
  if (row.primitive() != "stop_gradient" && row.primitive() != "nextafter" && row.primitive() != "round") {
    constexpr double step = 0x1p-17;
    const std::vector<double> above = numbers(f(moved(x, t, step))), below = numbers(f(moved(x, t, -step)));
    std::vector<double> difference;
    for (size_t i = 0; i < above.size(); ++i) difference.push_back((above[i] - below[i]) / (2 * step));
    expect_near(numbers(dy), difference, 1e-6, "jvp");
  }
  const auto [value, pull] = vjp(function, x);
  Arrays c;
  for (size_t i = 0; i < y.size(); ++i) c.push_back(fractions(y[i].aval(), -1, 1, 31 + i));
  const auto [back] = pull(c);
  const double forward = inner(dy, c), reverse = inner(back, t);
  EXPECT_NEAR(forward, reverse, 1e-9 * (1 + std::abs(forward))) << "<J t, c> and <t, J^T c>";
}

void check_second(const Smooth& f) {
  if (f.row.name == "gather fill") return;  // NaN
  const Arrays x = f.values(), t = f.tangents(7);
  auto total = [&](const Arrays& v) -> Array {
    Array sum = Array(0.0);
    const Arrays results = f(v);
    for (size_t i = 0; i < results.size(); ++i) {
      const Array real = results[i].dtype().is_complex() ? lax::real(results[i]) : results[i];
      const Array weighed = lax::mul(real, fractions(real.aval(), 0.5, 1, 51 + i));
      Axes all;
      for (int axis = 0; axis < weighed.ndim(); ++axis) all.push_back(axis);
      const Array one = lax::reduce_sum(lax::square(weighed), all);
      sum = i == 0 ? one : lax::add(sum, one);
    }
    return sum;
  };
  auto gradient = [&](const Arrays& v) -> Arrays { return grad(total)(v); };
  const auto [unused, forward] = jvp(gradient, std::tuple(x), std::tuple(t));
  auto along = [&](const Arrays& v) -> Array { return jvp(total, std::tuple(v), std::tuple(t)).second; };
  const Arrays reverse = grad(along)(x);
  expect_near(numbers(forward), numbers(reverse), 1e-9, "second derivatives, forward over reverse");
}

class Rules : public testing::TestWithParam<size_t> {};

TEST_P(Rules, DeriveAndTranspose) {
  config::Scope scope({{"enable_x64", true}});
  const TableRow& row = table_rows()[GetParam()];
  if (without_jvp().contains(row.primitive())) return;
  // Rounded so coarsely it is not linear, though its rule says so.
  if (row.primitive() == "reduce_precision" && row.name != "reduce_precision 11 52") return;
  for (DType dtype : {DType(jnp::float64), DType(jnp::complex128)}) {
    std::vector<TableCase> cases = short_table_cases(row, dtype);
    std::erase_if(cases, [&](const TableCase& c) { return c.values != row.values[0]; });
    if (dtype == jnp::float64 && row.shapes != TableShapes::matrices && row.shapes != TableShapes::one) cases.push_back({dtype, {1037}, row.values[0]});
    // Their derivatives compare, and complex numbers have no order.
    const std::set<std::string> ordered = {"max", "min", "clamp", "reduce", "cummax", "cummin", "custom_jvp_call"};
    if (dtype == jnp::complex128 && ordered.contains(row.primitive())) continue;
    for (const TableCase& c : cases) {
      SCOPED_TRACE(row.name + " " + dtype.str() + " " + c.str());
      std::optional<Smooth> f;
      try {
        f.emplace(row, c);
      } catch (const Error&) {  // not for this dtype or shape
        continue;
      }
      if (f->active.empty() || f->wanted.empty()) continue;
      try {
        check_first(row, *f);
        if (dtype == jnp::float64 && c.shape != Shape{1037}) check_second(*f);
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
    }
  }
}

// ---- Batching -----------------------------------------------------------------------------------------------------

// The operand and two others like it.
Arrays variants(const Array& x) {
  if (x.ndim() == 0 && x.dtype().is_integer()) return {x, lax::add(x, lax::full_like(x, 1)), lax::sub(x, lax::full_like(x, 1))};
  if (x.ndim() == 0) return {x, x, x};
  Axes all;
  for (int axis = 0; axis < x.ndim(); ++axis) all.push_back(axis);
  return {x, lax::rev(x, all), lax::rev(x, {0})};
}

// Sums may be rounded in another order.
void expect_same(const TableRow& row, const Array& got, const Array& want) {
  ASSERT_EQ(got.aval().str(), want.aval().str());
  if (canonical_bytes(got) == canonical_bytes(want)) return;
  const bool sums = row.sums || row.primitive() == "dot_general";
  ASSERT_TRUE(sums && want.dtype().is_inexact()) << got.str() << " against " << want.str();
  const int bits = want.dtype().bits() / (want.dtype().is_complex() ? 2 : 1);
  const double tolerance = want.dtype() == jnp::bfloat16 ? 0.06 : bits == 16 ? 0.01 : bits == 32 ? 1e-5 : 1e-13;
  const std::vector<double> a = numbers({got}), b = numbers({want});
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_TRUE((std::isnan(a[i]) && std::isnan(b[i])) || a[i] == b[i] || std::abs(a[i] - b[i]) <= tolerance * (1 + std::abs(b[i])))
        << "at " << i << ": " << a[i] << " against " << b[i];
}

void check_batched(const TableRow& row, const std::vector<Arrays>& all, unsigned mask, int place) {
  std::vector<std::optional<int>> axes;
  Arrays operands;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool maps = (mask >> i & 1) != 0;
    axes.push_back(maps ? std::optional(std::min(place, all[i][0].ndim())) : std::nullopt);
    operands.push_back(maps ? lax::stack(all[i], *axes.back()) : all[i][0]);
  }
  const Arrays batched = mapped(row.function, operands, axes);
  for (size_t element = 0; element < 3; ++element) {
    Arrays own;
    for (size_t i = 0; i < all.size(); ++i) own.push_back(all[i][axes[i] ? element : 0]);
    const Arrays want = row.function(own);
    ASSERT_EQ(batched.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) expect_same(row, lax::unstack(batched[i], 0)[element], want[i]);
  }
}

TEST_P(Rules, BatchAsALoop) {
  config::Scope scope({{"enable_x64", true}});
  const TableRow& row = table_rows()[GetParam()];
  for (DType dtype : table_dtypes()) {
    std::vector<TableCase> cases = short_table_cases(row, dtype);
    std::erase_if(cases, [&](const TableCase& c) { return c.values != row.values[0]; });
    if (dtype != jnp::float32) cases.erase(cases.begin(), cases.end() - 1);
    for (const TableCase& c : cases) {
      std::vector<Arrays> all;
      int ndim = 0;
      try {
        const Arrays operands = row.operands(c);
        row.function(operands);
        for (const Array& x : operands) {
          all.push_back(variants(x));
          ndim = std::max(ndim, x.ndim());
        }
      } catch (const Error&) {  // a dtype that it does not take
        continue;
      }
      if (all.size() > 4) continue;
      for (unsigned mask = 1; mask < 1u << all.size(); ++mask) {
        for (int place = 0; place <= ndim; ++place) {
          SCOPED_TRACE(row.name + " " + dtype.str() + " " + c.str() + ", operands " + std::to_string(mask) + ", axis " + std::to_string(place));
          try {
            check_batched(row, all, mask, place);
          } catch (const Error& error) {
            ADD_FAILURE() << error.what();
          }
          if (HasFailure()) return;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, Rules, testing::Range<size_t>(0, table_rows().size()), [](const auto& info) {
  std::string name = table_rows()[info.param].name;
  for (char& c : name) c = c == '-' || c == ' ' ? '_' : c;
  return name;
});

}  // namespace
}  // namespace tenon::test
