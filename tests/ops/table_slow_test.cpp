// The table of elementwise primitives, three ways, bit for bit, in all shapes that kernels tell apart.
#include "ops/table_check.h"

namespace tenon::test {
namespace {

class Table : public testing::TestWithParam<size_t> {};

TEST_P(Table, IsTheSameThreeWays) { check_one(GetParam(), {{}, {0}, {1}, {7}, {8}, {9}, {15}, {16}, {17}, {3, 5}, {1, 33}, {5000}}); }

INSTANTIATE_TEST_SUITE_P(Ops, Table, testing::Range<size_t>(0, table_ops().size()), table_name);

}  // namespace
}  // namespace tenon::test
