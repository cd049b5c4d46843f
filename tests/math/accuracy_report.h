// The table of worst errors, printed after the tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "witness.h"

namespace tenon::math {

/// While a test runs nothing may be printed; this prints what was collected when all have.
class AccuracyTable : public ::testing::Environment {
 public:
  static void add(std::string line) { lines().push_back(std::move(line)); }
  void TearDown() override {
    for (const std::string& line : lines()) std::printf("%s\n", line.c_str());
  }

 private:
  static std::vector<std::string>& lines() {
    static std::vector<std::string> all;
    return all;
  }
};
inline ::testing::Environment* const kAccuracyTable = ::testing::AddGlobalTestEnvironment(new AccuracyTable);

/// Notes the verdict in the table, and fails where a bound does not hold.
template <class F, class Of>
void conclude(const Of& function, const Verdict<F>& verdict) {
  char place[80];
  if constexpr (std::is_same_v<Of, Function<F>>) std::snprintf(place, sizeof place, "%a", static_cast<double>(verdict.at));
  else std::snprintf(place, sizeof place, "%a, %a", static_cast<double>(verdict.at), static_cast<double>(verdict.at_second));
  char line[300];
  std::snprintf(line, sizeof line, "%-8s float%-2d worst %.4f ulp of %g allowed, at %s; %.4g points, MPFR decided %.4g; witness %.3f of its margin",
                function.name, static_cast<int>(8 * sizeof(F)), verdict.worst_ulp, function.max_ulp, place,
                static_cast<double>(verdict.points), static_cast<double>(verdict.asked), verdict.witness_error);
  AccuracyTable::add(line);
  EXPECT_LE(verdict.worst_ulp, function.max_ulp) << line;
  EXPECT_LT(verdict.witness_error, 1) << line << "; the witness at " << std::hexfloat << verdict.witness_at;
}

}  // namespace tenon::math
