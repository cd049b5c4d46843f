// The programs of library/indexing_programs.py.
#include "support/program_list.h"

namespace tenon::test {

static Aval F(std::initializer_list<int64_t> shape = {}) { return of(DType::kFloat32, shape); }
static Aval I(std::initializer_list<int64_t> shape = {}) { return of(DType::kInt32, shape); }
static Aval I8(std::initializer_list<int64_t> shape = {}) { return of(DType::kInt8, shape); }
static Aval U8(std::initializer_list<int64_t> shape = {}) { return of(DType::kUInt8, shape); }

static const Array& mask() {
  static const Array array = jnp::array({true, false, true, false});
  return array;
}
static const Array& mask2() {
  static const Array array = jnp::array({{true, false, true}, {false, false, true}, {true, true, false}, {false, false, false}});
  return array;
}
static const Array& vector() {
  static const Array array = jnp::array({0, 2});
  return array;
}
static const Array& matrix() {
  static const Array array = jnp::array({{0, 2}, {-1, 1}});
  return array;
}

std::vector<Program> indexing_programs() {
  (void)mask(), (void)mask2(), (void)vector(), (void)matrix();  // made while nothing is traced
  using enum IndexMode;
  return {
      P("index_five", A(x(0, newaxis, slice(1, {}), ellipsis, slice({}, {}, 2), newaxis, -1)), F({2, 3, 4, 5, 6})),
      P("index_mask", A(x(mask())), F({4, 3})),
      P("index_mask_2", A(x(mask2())), F({4, 3})),
      P("index_mask_column", A(x(all, mask())), F({3, 4})),
      P("index_mask_slice", A(x(mask(), slice(1, {}))), F({4, 3})),
      P("index_mask_array", A(x(mask(), y)), F({4, 3}), I({2})),
      P("index_mask_apart", A(x(mask(), all, y)), F({4, 3, 2}), I({2})),
      P("index_true", A(x(true)), F({4})),
      P("index_arrays_far", A(x(all, y, all, z)), F({2, 3, 4, 5}), I({3}), I({3})),
      P("index_arrays_new", A(x(y, newaxis, z)), F({4, 5}), I({2}), I({2})),
      P("index_arrays_broadcast", A(x(y, z)), F({4, 5}), I({2, 1}), I({3})),
      P("index_arrays_slice_back", A(x(y, slice({}, {}, -2))), F({4, 5}), I({2})),
      P("index_scalar_int_array", A(x(y, 1, z)), F({4, 5, 6}), I(), I({2})),
      P("index_array_i8", A(x(y)), F({4, 5}), I8({3})),
      P("index_array_u8", A(x(y)), F({4, 5}), U8({3})),
      P("index_array_empty", A(x(jnp::zeros({0}, jnp::int32), slice(1, {}))), F({4, 5})),
      P("at_get", A(x.at(1).get()), F({5})),
      P("at_get_fill", A(x.at(10).get({.mode = fill})), F({5})),
      P("at_get_fill_value", A(x.at(10).get({.mode = fill, .fill_value = -1})), F({5})),
      P("at_get_fill_float", A(x.at(vector()).get({.mode = fill, .fill_value = 2.5})), F({5})),
      P("at_get_fill_int", A(x.at(y).get({.mode = fill, .fill_value = 7})), I({5}), I()),
      P("at_get_fill_least", A(x.at(y).get({.mode = fill})), I8({5}), I({3})),
      P("at_get_fill_greatest", A(x.at(y).get({.mode = fill})), U8({5}), I({3})),
      P("at_get_clip", A(x.at(10).get({.mode = clip})), F({5})),
      P("at_get_clip_array", A(x.at(y).get({.mode = clip, .indices_are_sorted = true})), F({5}), I({2})),
      P("at_get_unique", A(x.at(y).get({.unique_indices = true})), F({5}), I({2})),
      P("at_get_no_wrap", A(x.at(y).get({.mode = fill, .wrap_negative_indices = false})), F({5}), I({2})),
      P("at_set", A(x.at(1).set(2)), F({5})),
      P("at_set_float", A(x.at(1).set(2.5)), F({5})),
      P("at_set_int", A(x.at(1).set(2)), I({5})),
      P("at_set_float_in_int", A(x.at(1).set(2.5)), I({5})),
      P("at_set_row", A(x.at(1).set(y)), F({3, 4}), F({4})),
      P("at_set_new", A(x.at(1, newaxis).set(2)), F({3, 4})),
      P("at_set_all", A(x.at(ellipsis).set(3)), F({3, 4})),
      P("at_set_traced", A(x.at(y, 1).set(jnp::float32(3), {.mode = promise_in_bounds})), F({3, 4}), I()),
      P("at_set_columns", A(x.at(all, vector()).set(y)), F({3, 4}), F({3, 1})),
      P("at_set_mask", A(x.at(mask()).set(0)), F({4, 3})),
      P("at_set_back", A(x.at(slice({}, {}, -2)).set(y)), F({5}), F({3})),
      P("at_set_empty", A(x.at(slice(2, 2)).set(y)), F({5}), F()),
      P("at_set_far", A(x.at(10).set(1)), I({5})),
      P("at_set_clip", A(x.at(10).set(1, {.mode = clip})), I({5})),
      P("at_set_no_wrap", A(x.at(-1).set(2, {.wrap_negative_indices = false})), F({5})),
      P("at_set_bf16", A(x.at(slice(1, 3)).set(0.1)), of(DType::kBFloat16, {5})),
      P("at_add", A(x.at(slice(1, 3)).add(2.5)), F({5})),
      P("at_add_twice", A(x.at(jnp::array({1, 1})).add(10)), I({5})),
      P("at_add_matrix", A(x.at(matrix()).add(y)), F({5}), F({2, 2})),
      P("at_subtract", A(x.at(1).subtract(2.5)), F({5})),
      P("at_multiply", A(x.at(slice({}, {}, 2)).mul(2.5)), F({5})),
      P("at_min", A(x.at(slice({}, {}, -2)).min(2.5)), F({5})),
      P("at_max", A(x.at(vector(), slice(1, {})).max(2.5)), F({3, 4})),
      P("at_divide", A(x.at(1).divide(2.5)), F({5})),
      P("at_power", A(x.at(1).power(2.0)), F({5})),
      P("at_apply", A(x.at(vector()).apply([](const Array& v) { return jnp::sin(v); })), F({5})),
      P("at_sorted", A(x.at(y).set(0.0, {.indices_are_sorted = true, .unique_indices = true})), F({5}), I({2})),
  };
}

}  // namespace tenon::test
