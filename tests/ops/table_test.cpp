// The table of elementwise primitives, three ways, bit for bit: a scalar and an odd length.
#include "ops/table_check.h"

namespace tenon::test {
namespace {

class Table : public testing::TestWithParam<size_t> {};

TEST_P(Table, IsTheSameThreeWays) { check_one(GetParam(), {{}, {17}}); }

INSTANTIATE_TEST_SUITE_P(Ops, Table, testing::Range<size_t>(0, table_ops().size()), table_name);

}  // namespace
}  // namespace tenon::test
