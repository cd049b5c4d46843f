// Keys: made, split, folded, looked into.
#include "base/fail.h"
#include "base/promotion.h"
#include "library/random/key.h"

namespace tenon::random {

CheckedKey check_key(const char* who, const Array& key, bool may_be_array) {
  const bool wrapped = !key.dtype().is_prng_key();
  const Array typed = wrapped ? bind(lax::random_wrap_p, {key}, {{"impl", "fry"}}) : key;
  if (!may_be_array && typed.ndim() > 0)
    fail<ValueError>(who, "accepts a single key; got a key array of shape ", typed.shape(), "; use vmap for batching");
  return {typed, wrapped};
}

// In the form in which the key was given.
static Array unwrapped_if(bool wrapped, const Array& keys) { return wrapped ? bind(lax::random_unwrap_p, {keys}) : keys; }

Array random_bits(const Array& key, int64_t bit_width, const Shape& shape) {
  return bind(lax::random_bits_p, {key}, {{"bit_width", bit_width}, {"shape", shape}});
}
Array random_split(const Array& key, const Shape& shape) { return bind(lax::random_split_p, {key}, {{"shape", shape}}); }
Arrays split_in_two(const Array& key) { return bind_all(lax::unstack_p, {random_split(key, {2})}, {{"axis", int64_t{0}}}); }

Array detail_::integer_seed(int64_t seed) { return Array(detail::make_scalar(seed, default_int(), false)); }

static Array key_of(const char* who, const Array& seed) {
  if (seed.dtype().is_prng_key()) fail<TypeError>(who, "accepts a scalar seed; got a key, ", seed.aval());
  if (seed.ndim() > 0) fail<TypeError>(who, "accepts a scalar seed; got ", seed.aval(), "; use vmap for batching");
  return bind(lax::random_seed_p, {seed}, {{"impl", "fry"}});
}
Array key(const Operand& seed) {
  detail::FunctionScope site(seed.loc);
  return key_of("key", seed.value);
}
Array PRNGKey(const Operand& seed) {
  detail::FunctionScope site(seed.loc);
  return unwrapped_if(true, key_of("PRNGKey", seed.value));
}

Array split(const Operand& key, const Shape& shape) {
  detail::FunctionScope site(key.loc);
  const auto [typed, wrapped] = check_key("split", key.value);
  for (int64_t size : shape)
    if (size < 0) fail<ValueError>("split", "a size must not be negative; got ", shape);
  return unwrapped_if(wrapped, random_split(typed, shape));
}
Array split(const Operand& key, int64_t num) { return split(key, Shape{num}); }

Array fold_in(const Operand& key, const Operand& data) {
  detail::FunctionScope site(key.loc);
  const auto [typed, wrapped] = check_key("fold_in", key.value);
  if (data.value.ndim() > 0) fail<TypeError>("fold_in", "accepts a scalar; got ", data.value.aval(), "; use vmap for batching");
  if (data.value.weak_type() && detail::is_scalar_node(data.value) && data.value.dtype().is_signed() && data.value.item<int64_t>() < 0)
    fail<ValueError>("fold_in", "the number must be in [0, 2^32); got ", data.value.item<int64_t>());
  const Array number = lax::convert_type(data.value, jnp::uint32, false);
  return unwrapped_if(wrapped, bind(lax::random_fold_in_p, {typed, number}));
}

Array key_data(const Operand& keys) {
  detail::FunctionScope site(keys.loc);
  return unwrapped_if(true, check_key("key_data", keys.value, true).key);
}
Array wrap_key_data(const Operand& words) {
  detail::FunctionScope site(words.loc);
  return bind(lax::random_wrap_p, {words.value}, {{"impl", "fry"}});
}
Array clone(const Operand& key) {
  check_key("clone", key.value, true);
  return key.value;
}

Array bits(const Operand& key, const Shape& shape, std::optional<DType> dtype) {
  detail::FunctionScope site(key.loc);
  const Array typed = check_key("bits", key.value).key;
  const DType type = canonical_dtype(dtype.value_or(jnp::uint64));
  if (!type.is_unsigned() || type.bits() < 8) fail<ValueError>("bits", "dtype must be an unsigned dtype; got ", type);
  return random_bits(typed, type.bits(), shape);
}

}  // namespace tenon::random
