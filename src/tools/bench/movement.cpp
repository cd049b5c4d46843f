// Workloads that move elements: transposes, running sums, order, tables.
#include <algorithm>
#include <memory>
#include <numeric>

#include "tools/bench/workload.h"

namespace tenon::bench {

/// A reference that is a whole computed result.
static Reference listed(std::vector<double> values) {
  return [values = std::make_shared<std::vector<double>>(std::move(values))](int64_t i) { return (*values)[static_cast<size_t>(i)]; };
}

void add_movement(Workloads& list) {
  constexpr int64_t n = 4096, M = int64_t{1} << 20;
  const auto big = [](Draw& d) { return Arrays{d.uniform({n, n}, -1, 1)}; };
  list.push_back(workload<1>("transpose", big, [](Array a) { return a.T(); },
                             [](const Host& in) { return [&in](int64_t i) { return double(in[0][i % n * n + i / n]); }; }, 0));
  list.push_back(workload<1>("transpose_mul_add", big, [](Array a) { return a.T() * 2 + 1; },
                             [](const Host& in) { return [&in](int64_t i) { return double(in[0][i % n * n + i / n]) * 2 + 1; }; }));
  list.push_back(workload<1>("cumsum", [](Draw& d) { return Arrays{d.normal({4 * M})}; }, [](Array a) { return jnp::cumsum(a); },
                             [](const Host& in) {
                               std::vector<double> sums(in[0].begin(), in[0].end());
                               std::partial_sum(sums.begin(), sums.end(), sums.begin());
                               return listed(std::move(sums));
                             },
                             1e-3));
  list.push_back(workload<1>("sort", [](Draw& d) { return Arrays{d.normal({M})}; }, [](Array a) { return jnp::sort(a); },
                             [](const Host& in) {
                               std::vector<double> sorted(in[0].begin(), in[0].end());
                               std::sort(sorted.begin(), sorted.end());
                               return listed(std::move(sorted));
                             },
                             0));
  list.push_back(workload<2>("gather_rows", [](Draw& d) { return Arrays{d.normal({100000, 64}), d.indices({M}, 100000)}; },
                             [](Array table, Array ids) { return jnp::take(table, ids, {.axis = 0}); },
                             [](const Host& in) {
                               return [&in](int64_t i) { return double(in[0][static_cast<int64_t>(in[1][i / 64]) * 64 + i % 64]); };
                             },
                             0));
  list.push_back(workload<2>("scatter_add", [](Draw& d) { return Arrays{d.normal({4 * M}), d.indices({4 * M}, 100000)}; },
                             [](Array data, Array ids) { return jnp::zeros({100000}).at(ids).add(data); },
                             [](const Host& in) {
                               std::vector<double> sums(100000);
                               for (size_t i = 0; i < in[0].size(); ++i) sums[static_cast<size_t>(in[1][i])] += in[0][i];
                               return listed(std::move(sums));
                             }));
}

}  // namespace tenon::bench
