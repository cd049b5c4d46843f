// 10,000 compiles leave nothing behind.
#include "support/leaking_compiles.h"

namespace tenon {
namespace {

TEST(ProgramCacheNightly, TenThousandCompilesLeaveNothing) { test::expect_nothing_stays(10'000, 4 << 20); }

}  // namespace
}  // namespace tenon
