// Rows of the table: reductions, running totals, order, products.
#include "support/table.h"

namespace tenon::test {
namespace {

constexpr TableShapes arrays = TableShapes::arrays, matrices = TableShapes::matrices;

Arrays one(const TableCase& c) { return {table_elements(c, c.shape, 0)}; }
Array positions(const Shape& shape) { return lax::broadcasted_iota(jnp::int32, shape, 0); }

template <int k>
Array scalar(const TableCase& c) {
  return lax::reshape(table_elements(c, {1}, k), {});
}

// The larger value and its position: of equal ones the first.
Arrays larger(const Arrays& a, const Arrays& b) {
  const Array takes = lax::bitwise_or(lax::gt(a[0], b[0]), lax::bitwise_and(lax::eq(a[0], b[0]), lax::lt(a[1], b[1])));
  return {lax::select(takes, a[0], b[0]), lax::select(takes, a[1], b[1])};
}

template <int64_t columns>
Arrays factors(const TableCase& c) {
  return {table_elements(c, c.shape, 0), table_elements(c, columns == 0 ? Shape{c.shape[1]} : Shape{c.shape[1], columns}, 1)};
}

}  // namespace

#define TENON_FUNCTION(...) [](const Arrays& x) -> Arrays { return __VA_ARGS__; }
#define TENON_REDUCE(name, sums, ...) \
  {#name, arrays, one, TENON_FUNCTION({lax::name(x[0], {0})}), 0, sums, {__VA_ARGS__}}, \
  {#name " last", arrays, one, TENON_FUNCTION({lax::name(x[0], {x[0].ndim() - 1})}), 0, sums, {__VA_ARGS__}}
#define TENON_SCAN(name, sums, ...) \
  {#name, arrays, one, TENON_FUNCTION({lax::name(x[0])}), 0, sums, {__VA_ARGS__}}, \
  {#name " reverse", arrays, one, TENON_FUNCTION({lax::name(x[0], x[0].ndim() - 1, true)}), 0, sums, {__VA_ARGS__}}

void append_reduction_rows(std::vector<TableRow>& rows) {
  const std::vector<TableRow> own = {
      {"argmax", arrays, one, TENON_FUNCTION({lax::argmax(x[0], x[0].ndim() - 1, jnp::int32)}), 0, false, {"plain", "pairs"}},
      {"argmax first", arrays, one, TENON_FUNCTION({lax::argmax(x[0], 0, jnp::int64)}), 0, false, {"plain", "pairs"}},
      {"argmin", arrays, one, TENON_FUNCTION({lax::argmin(x[0], x[0].ndim() - 1, jnp::int32)}), 0, false, {"plain", "pairs"}},
      {"argmin first", arrays, one, TENON_FUNCTION({lax::argmin(x[0], 0, jnp::uint8)}), 0, false, {"plain", "pairs"}},
      TENON_SCAN(cumlogsumexp, true, "plain"),
      TENON_SCAN(cummax, false, "plain", "pairs"),
      TENON_SCAN(cummin, false, "plain", "pairs"),
      TENON_SCAN(cumprod, true, "factors"),
      TENON_SCAN(cumsum, true, "plain"),
      {"dot_general", matrices, factors<9>, TENON_FUNCTION({lax::dot(x[0], x[1])}), 0, false, {"dots"}},
      {"dot_general vector", matrices, factors<0>, TENON_FUNCTION({lax::dot(x[0], x[1])}), 0, false, {"dots"}},
      {"dot_general wide", matrices, [](const TableCase& c) -> Arrays { return {table_elements(c, c.shape, 0), table_elements(c, c.shape, 1)}; },
       TENON_FUNCTION({lax::dot_general(x[0], x[1], {{1}, {1}}, {.preferred_element_type = x[0].dtype().is_integer() ? jnp::int64 : jnp::float32})}), 0, false, {"dots"}},
      {"dot_general batch", matrices,
       [](const TableCase& c) -> Arrays { return {table_elements(c, c.shape, 0), table_elements(c, {c.shape[0], c.shape[1], 4}, 1)}; },
       TENON_FUNCTION({lax::dot_general(x[0], x[1], {{1}, {1}, {0}, {0}})}), 0, false, {"dots"}},
      {"fft", TableShapes::one, one, TENON_FUNCTION({lax::fft(x[0], lax::FftType::FFT, x[0].shape())}), 0, true, {"plain"}},
      {"fft inverse", TableShapes::one, one, TENON_FUNCTION({lax::fft(x[0], lax::FftType::IFFT, x[0].shape())}), 0, true, {"plain"}},
      {"fft real", TableShapes::one, one, TENON_FUNCTION({lax::fft(x[0], lax::FftType::RFFT, x[0].shape())}), 0, true, {"plain"}},
      {"fft real inverse", TableShapes::one, one, TENON_FUNCTION({lax::fft(x[0], lax::FftType::IRFFT, {2 * x[0].size() - 1})}), 0, true, {"plain"}},
      {"fft two", TableShapes::one, [](const TableCase& c) -> Arrays { return {table_elements(c, {5, c.shape[0] - 1}, 0)}; },
       TENON_FUNCTION({lax::fft(x[0], lax::FftType::FFT, x[0].shape())}), 0, true, {"plain"}},
      {"reduce", arrays, [](const TableCase& c) -> Arrays { return {table_elements(c, c.shape, 0), scalar<1>(c)}; },
       TENON_FUNCTION({lax::reduce(x[0], x[1], [](const Array& a, const Array& b) { return lax::max(b, a); }, {0})}), 0, false, {"plain", "pairs"}},
      {"reduce two", arrays,
       [](const TableCase& c) -> Arrays { return {table_elements(c, c.shape, 0), positions(c.shape), scalar<1>(c), jnp::int32(-1)}; },
       TENON_FUNCTION(lax::reduce(Arrays{x[0], x[1]}, Arrays{x[2], x[3]}, [](const Arrays& a, const Arrays& b) { return larger(a, b); }, {0})), 0, false, {"plain"}},
      TENON_REDUCE(reduce_and, false, "pairs"),
      TENON_REDUCE(reduce_max, false, "plain", "pairs"),
      TENON_REDUCE(reduce_min, false, "plain", "pairs"),
      TENON_REDUCE(reduce_or, false, "pairs"),
      TENON_REDUCE(reduce_prod, true, "factors"),
      TENON_REDUCE(reduce_sum, true, "plain"),
      TENON_REDUCE(reduce_xor, false, "pairs"),
      {"sort", arrays, one, TENON_FUNCTION({lax::sort(x[0])}), 0, false, {"plain", "pairs"}},
      {"sort first", arrays, one, TENON_FUNCTION({lax::sort(x[0], {.dimension = 0})})},
      {"sort keys", arrays,
       [](const TableCase& c) -> Arrays { return {table_elements(c, c.shape, 0), table_elements({jnp::int8, c.shape, "plain"}, c.shape, 1), positions(c.shape)}; },
       TENON_FUNCTION(lax::sort(x, {.dimension = 0, .num_keys = 2})), 0, false, {"plain", "pairs"}},
      {"top_k", arrays, one, TENON_FUNCTION(lax::top_k(x[0], (x[0].shape().back() + 1) / 2)), 0, false, {"plain", "pairs"}},
  };
  rows.insert(rows.end(), own.begin(), own.end());
}

}  // namespace tenon::test
