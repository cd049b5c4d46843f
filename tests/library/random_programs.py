"""Programs of random keys and numbers, for programs.py."""
import jax
import jax.numpy as jnp

r = jax.random
S = lambda dtype: lambda *shape: jax.ShapeDtypeStruct(shape, dtype)
F, I, U32, U8, I8 = S(jnp.float32), S(jnp.int32), S(jnp.uint32), S(jnp.uint8), S(jnp.int8)
K = S(jax.eval_shape(lambda: r.key(0)).dtype)

PROGRAMS = [
    ("random_key", lambda: r.key(3)),
    ("random_key_of", lambda s: r.key(s), I()),
    ("random_key_u32", lambda s: r.PRNGKey(s), U32()),
    ("random_key_i8", lambda s: r.PRNGKey(s), I8()),
    ("random_split", lambda k: r.split(k), K()),
    ("random_split_words", lambda k: r.split(k, 3), U32(2)),
    ("random_split_shape", lambda k: r.split(k, (2, 3)), K()),
    ("random_fold_in", lambda k: r.fold_in(k, 7), K()),
    ("random_fold_in_of", lambda k, n: r.fold_in(r.fold_in(k, n), 7), U32(2), I()),
    ("random_data", lambda k: r.key_data(k), K(3)),
    ("random_wrap", lambda k: r.wrap_key_data(k), U32(3, 2)),
    ("random_bits", lambda k: r.bits(k, (2, 3, 4)), U32(2)),
    ("random_bits_scalar", lambda k: r.bits(k), K()),
    ("random_bits_empty", lambda k: r.bits(k, (0,)), U32(2)),
    ("random_bits_u8", lambda k: r.bits(k, (3,), jnp.uint8), U32(2)),
    ("random_uniform", lambda k: r.uniform(k, (3,)), U32(2)),
    ("random_uniform_typed", lambda k: r.uniform(k, (3, 2)), K()),
    ("random_uniform_scalar", lambda k: r.uniform(k), U32(2)),
    ("random_uniform_bounds", lambda k, a: r.uniform(k, (2, 3), minval=a, maxval=4), U32(2), F(3)),
    ("random_uniform_f16", lambda k: r.uniform(k, (3,), jnp.float16), U32(2)),
    ("random_uniform_bf16", lambda k: r.uniform(k, (3,), jnp.bfloat16), U32(2)),
    ("random_uniforms", lambda k: r.uniform(k, (3,)) + r.uniform(r.fold_in(k, 1), (3,)) + r.uniform(r.split(k)[1], (4,))[:3], K()),
    ("random_randint", lambda k: r.randint(k, (3,), 0, 10), U32(2)),
    ("random_randint_u32", lambda k: r.randint(k, (), 0, 7, jnp.uint32), U32(2)),
    ("random_randint_i8", lambda k: r.randint(k, (2,), 0, 7, jnp.int8), U32(2)),
    ("random_bernoulli", lambda k: r.bernoulli(k, 0.3, (3,)), U32(2)),
    ("random_bernoulli_of", lambda k, p: r.bernoulli(k, p), K(), F(3)),
    ("random_normal", lambda k: r.normal(k, (3,)), U32(2)),
    ("random_gumbel", lambda k: r.gumbel(k, (3,)), U32(2)),
    ("random_categorical", lambda k, x: r.categorical(k, x), U32(2), F(2, 3)),
    ("random_categorical_shape", lambda k, x: r.categorical(k, x, axis=0, shape=(5, 3)), K(), F(2, 3)),
    ("keys_index", lambda k: k[1], K(3)),
    ("keys_index_of", lambda k, i: k[i], K(3), I()),
    ("keys_gather", lambda k, i: k[i], K(4, 3), I(2)),
    ("keys_slice", lambda k: k[::-1, None, 1:], K(3, 2)),
    ("keys_move", lambda k: jnp.concatenate([k, k]).reshape(2, 3).T, K(3)),
    ("keys_stack", lambda k, l: jnp.stack([k, l]), K(3), K(3)),
    ("keys_broadcast", lambda k: jnp.broadcast_to(k, (2, 3)), K(3)),
    ("keys_where", lambda m, k, l: jnp.where(m, k, l), S(jnp.bool_)(3), K(3), K()),
    ("keys_equal", lambda k, l: (k == l, k != l), K(3), K(3)),
]
