#include "math/reduction_order.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tenon::math {
namespace {

ReductionOrder order_of(std::vector<std::int64_t> shape, std::vector<int> reduced) {
  bool is_reduced[8] = {};
  for (int d : reduced) is_reduced[d] = true;
  return reduction_order(shape, {is_reduced, shape.size()});
}

TEST(ReductionOrder, LastDimensionReducedIsARow) {
  const ReductionOrder order = order_of({3, 5, 7}, {1, 2});
  EXPECT_TRUE(order.is_row);
  EXPECT_EQ(order.run, 35);
  EXPECT_EQ(order.runs, 1);
  EXPECT_EQ(order.chunks, 1);
}

TEST(ReductionOrder, LastDimensionKeptIsAColumn) {
  const ReductionOrder order = order_of({600, 5}, {0});
  EXPECT_FALSE(order.is_row);
  EXPECT_EQ(order.count(), 600);
  EXPECT_EQ(order.chunks, 3);
  EXPECT_EQ(reduction_chunk(order, 2).first_run, 512);
  EXPECT_EQ(reduction_chunk(order, 2).runs, 88);
}

TEST(ReductionOrder, SizeOneDimensionsChangeNothing) {
  const ReductionOrder order = order_of({6, 20}, {1});
  for (const ReductionOrder& same : {order_of({6, 20, 1}, {1}), order_of({6, 1, 20}, {1, 2}), order_of({6, 1, 4, 5, 1}, {2, 3})}) {
    EXPECT_EQ(same.is_row, order.is_row);
    EXPECT_EQ(same.run, order.run);
    EXPECT_EQ(same.runs, order.runs);
    EXPECT_EQ(same.chunks, order.chunks);
  }
}

TEST(ReductionOrder, ShortRunsShareAChunk) {
  const ReductionOrder order = order_of({1000, 2, 100}, {0, 2});
  EXPECT_EQ(order.run, 100);
  EXPECT_EQ(order.runs, 1000);
  EXPECT_EQ(order.chunks, 25);  // 40 runs each
  EXPECT_EQ(reduction_chunk(order, 24).first_run, 960);
  EXPECT_EQ(reduction_chunk(order, 24).end, 100);
}

TEST(ReductionOrder, LongRunsAreCut) {
  const ReductionOrder order = order_of({2, 3, 5000}, {0, 2});
  EXPECT_EQ(order.chunks, 4);
  EXPECT_EQ(reduction_chunk(order, 3).first_run, 1);
  EXPECT_EQ(reduction_chunk(order, 3).begin, 4096);
  EXPECT_EQ(reduction_chunk(order, 3).end, 5000);
}

TEST(ReductionOrder, NothingToReduceGivesInit) {
  EXPECT_EQ(order_of({0, 4}, {0}).chunks, 0);
  EXPECT_EQ(order_of({4, 0}, {1}).chunks, 0);
  EXPECT_EQ(order_of({0}, {0}).chunks, 0);
  EXPECT_EQ(order_of({}, {}).chunks, 1);
}

TEST(PairwiseTree, IsTheTreeByLevels) {
  const auto join = [](const std::string& a, const std::string& b) { return "(" + a + b + ")"; };
  for (int n = 1; n <= 40; ++n) {
    std::vector<std::string> level;
    PairwiseTree<std::string> tree;
    for (int i = 0; i < n; ++i) {
      level.push_back(std::to_string(i) + ",");
      tree.push(level.back(), join);
    }
    while (level.size() > 1) {
      std::vector<std::string> next;
      for (std::size_t i = 0; i < level.size(); i += 2)
        next.push_back(i + 1 < level.size() ? join(level[i], level[i + 1]) : level[i]);
      level = next;
    }
    EXPECT_EQ(tree.total(join), level[0]);
  }
}

TEST(ReduceInOrder, CoversEachElementOnce) {
  for (const auto& [shape, reduced] : std::vector<std::pair<std::vector<std::int64_t>, std::vector<int>>>{
           {{5}, {0}}, {{37}, {0}}, {{4097}, {0}}, {{10000}, {0}}, {{300, 3}, {0}}, {{70, 3, 90}, {0, 2}}}) {
    const ReductionOrder order = order_of(shape, reduced);
    std::vector<int> seen(static_cast<std::size_t>(order.count()));
    const std::int64_t sum = reduce_in_order<std::int64_t>(
        order, 1000, 0,
        [&](std::int64_t p) {
          ++seen[static_cast<std::size_t>(p)];
          return p;
        },
        [](std::int64_t a, std::int64_t b) { return a + b; });
    EXPECT_EQ(sum, 1000 + order.count() * (order.count() - 1) / 2);
    for (int count : seen) EXPECT_EQ(count, 1);
  }
}

}  // namespace
}  // namespace tenon::math
