// Long programs print in linear time.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "support/jaxpr_reader.h"

namespace tenon {
namespace {

Var var() {
  auto node = detail::make_ref<detail::VarNode>();
  node->aval.shape = {3};
  return Var(node);
}

double seconds_to_print(int equations) {
  auto node = detail::make_ref<detail::JaxprNode>();
  Var x = var();
  node->invars = {x};
  for (int i = 0; i < equations; ++i) {
    Var y = var();
    node->eqns.emplace_back(test_primitive("reduce_sum"), Vars{x}, Vars{y}, EqnParams{{"axes", Axes{0}}});
    x = y;
  }
  node->outvars = {x};
  auto start = std::chrono::steady_clock::now();
  std::string text = Jaxpr(detail::Ref<const detail::JaxprNode>(node)).str();
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), equations + 1);
  return elapsed.count();
}

TEST(Printer, AMillionEquationsTakeLinearTime) {
  double small = std::min(seconds_to_print(100'000), seconds_to_print(100'000));
  EXPECT_LT(seconds_to_print(1'000'000), 40 * small + 1);  // a quadratic printer takes 100 times as long
}

}  // namespace
}  // namespace tenon
