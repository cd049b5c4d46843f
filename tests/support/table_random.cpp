// Rows of the table: keys and random bits. Words of keys are elements like others; keys are made inside.
#include "ops/primitives.h"
#include "support/table.h"

namespace tenon::test {
namespace {

Shape words_of(Shape shape) {
  shape.push_back(2);
  return shape;
}
Arrays words(const TableCase& c) { return {table_elements(c, words_of(c.shape), 0)}; }
Arrays key_and_elements(const TableCase& c) {
  return {table_elements({jnp::uint32, {2}, "pairs"}, {2}, 3), table_elements(c, c.shape, 0)};
}

// The function of each element, a scalar.
template <class F>
Arrays each(const Array& x, F function) {
  Arrays out;
  for (int64_t i = 0; i < x.shape()[0]; ++i) out.push_back(function(lax::reshape(lax::slice(x, {i}, {i + 1}), {})));
  return out;
}

}  // namespace

#define TENON_FUNCTION(...) [](const Arrays& x) -> Arrays { return __VA_ARGS__; }

void append_random_rows(std::vector<TableRow>& rows) {
  using random::key_data, random::wrap_key_data;
  const std::vector<TableRow> own = {
      {"random_bits", TableShapes::arrays, key_and_elements, TENON_FUNCTION({random::bits(wrap_key_data(x[0]), x[1].shape(), x[1].dtype())})},
      {"random_fold_in", TableShapes::one, key_and_elements,
       TENON_FUNCTION(each(x[1], [&](const Array& data) { return random::fold_in(wrap_key_data(x[0]), data); }))},
      {"random_seed", TableShapes::one, [](const TableCase& c) -> Arrays { return {table_elements(c, c.shape, 0)}; }, TENON_FUNCTION(each(x[0], [](const Array& seed) { return random::key(seed); }))},
      {"random_split", TableShapes::arrays, [](const TableCase& c) -> Arrays { return {table_elements(c, {2}, 0), table_elements(c, c.shape, 0)}; },
       TENON_FUNCTION({random::split(wrap_key_data(x[0]), x[1].shape())})},
      {"random_unwrap", TableShapes::arrays, words, TENON_FUNCTION({key_data(wrap_key_data(x[0]))})},
      {"random_wrap", TableShapes::arrays, words, TENON_FUNCTION({wrap_key_data(x[0])})},
      {"threefry2x32", TableShapes::arrays,
       [](const TableCase& c) -> Arrays {
         Arrays all;
         for (int k = 0; k < 4; ++k) all.push_back(table_elements(c, c.shape, k));
         return all;
       },
       TENON_FUNCTION(bind_all(lax::threefry2x32_p, x))},
  };
  rows.insert(rows.end(), own.begin(), own.end());
}

}  // namespace tenon::test
