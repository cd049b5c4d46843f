// The programs of library/random_programs.py.
#include "support/program_list.h"
#include "tenon/random.h"

namespace tenon::test {

namespace r = random;

static Aval F(std::initializer_list<int64_t> shape = {}) { return of(DType::kFloat32, shape); }
static Aval I(std::initializer_list<int64_t> shape = {}) { return of(DType::kInt32, shape); }
static Aval U32(std::initializer_list<int64_t> shape = {}) { return of(DType::kUInt32, shape); }
static Aval K(std::initializer_list<int64_t> shape = {}) { return of(DType::kKeyFry, shape); }

std::vector<Program> random_programs() {
  return {
      P("random_key", A(r::key(3))),
      P("random_key_of", A(r::key(x)), I()),
      P("random_key_u32", A(r::PRNGKey(x)), U32()),
      P("random_key_i8", A(r::PRNGKey(x)), of(DType::kInt8, {})),
      P("random_split", A(r::split(x)), K()),
      P("random_split_words", A(r::split(x, 3)), U32({2})),
      P("random_split_shape", A(r::split(x, {2, 3})), K()),
      P("random_fold_in", A(r::fold_in(x, 7)), K()),
      P("random_fold_in_of", A(r::fold_in(r::fold_in(x, y), 7)), U32({2}), I()),
      P("random_data", A(r::key_data(x)), K({3})),
      P("random_wrap", A(r::wrap_key_data(x)), U32({3, 2})),
      P("random_bits", A(r::bits(x, {2, 3, 4})), U32({2})),
      P("random_bits_scalar", A(r::bits(x)), K()),
      P("random_bits_empty", A(r::bits(x, {0})), U32({2})),
      P("random_bits_u8", A(r::bits(x, {3}, jnp::uint8)), U32({2})),
      P("random_uniform", A(r::uniform(x, {3})), U32({2})),
      P("random_uniform_typed", A(r::uniform(x, {3, 2})), K()),
      P("random_uniform_scalar", A(r::uniform(x)), U32({2})),
      P("random_uniform_bounds", A(r::uniform(x, {2, 3}, {.minval = y, .maxval = 4})), U32({2}), F({3})),
      P("random_uniform_f16", A(r::uniform(x, {3}, jnp::float16)), U32({2})),
      P("random_uniform_bf16", A(r::uniform(x, {3}, jnp::bfloat16)), U32({2})),
      P("random_uniforms", [&] {
          const Array first = r::uniform(x, {3}) + r::uniform(r::fold_in(x, 1), {3});
          return A(first + r::uniform(r::split(x)(1), {4})(slice(3)));
        }(), K()),
      P("random_randint", A(r::randint(x, {3}, 0, 10)), U32({2})),
      P("random_randint_u32", A(r::randint(x, {}, 0, 7, jnp::uint32)), U32({2})),
      P("random_randint_i8", A(r::randint(x, {2}, 0, 7, jnp::int8)), U32({2})),
      P("random_bernoulli", A(r::bernoulli(x, 0.3, Shape{3})), U32({2})),
      P("random_bernoulli_of", A(r::bernoulli(x, y)), K(), F({3})),
      P("random_normal", A(r::normal(x, {3})), U32({2})),
      P("random_gumbel", A(r::gumbel(x, {3})), U32({2})),
      P("random_categorical", A(r::categorical(x, y)), U32({2}), F({2, 3})),
      P("random_categorical_shape", A(r::categorical(x, y, {.axis = 0, .shape = Shape{5, 3}})), K(), F({2, 3})),
      P("keys_index", A(x(1)), K({3})),
      P("keys_index_of", A(x(y)), K({3}), I()),
      P("keys_gather", A(x(y)), K({4, 3}), I({2})),
      P("keys_slice", A(x(slice({}, {}, -1), newaxis, slice(1, {}))), K({3, 2})),
      P("keys_move", A(jnp::concatenate({x, x}).reshape({2, 3}).T()), K({3})),
      P("keys_stack", A(jnp::stack({x, y})), K({3}), K({3})),
      P("keys_broadcast", A(jnp::broadcast_to(x, {2, 3})), K({3})),
      P("keys_where", A(jnp::where(x, y, z)), of(DType::kBool, {3}), K({3}), K()),
      P("keys_equal", A(x == y, x != y), K({3}), K({3})),
  };
}

}  // namespace tenon::test
