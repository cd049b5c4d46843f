// The table of elementwise primitives, three ways, bit for bit: a scalar and an odd length.
#include "ops/table_check.h"

namespace tenon::test {
namespace {

class Table : public testing::TestWithParam<size_t> {};

TEST_P(Table, IsTheSameThreeWays) {
  TableTotals totals;
  check_table(table_ops()[GetParam()], {{}, {17}}, totals);
  RecordProperty("pairs", totals.pairs);
  RecordProperty("refused", totals.refused);
  RecordProperty("elements", std::to_string(totals.elements));
}

INSTANTIATE_TEST_SUITE_P(Ops, Table, testing::Range<size_t>(0, table_ops().size()), [](const auto& info) {
  std::string name = table_ops()[info.param].name;
  for (char& c : name) c = c == '-' ? 'm' : c;
  return name;
});

}  // namespace
}  // namespace tenon::test
