"""Writes random_values.txt: what jax.random gives, bit by bit.

    python random_values.py > random_values.txt      (JAX 0.12, on a CPU)

Each program is one line here and one of the same name in random_test.cpp. A block is
    ### name
    dtype shape hexadecimal elements as unsigned integers
Of normal numbers these are those of an exact erf_inv: JAX's own is up to 31 units in the last place off.
"""
import jax
import jax.numpy as jnp
import numpy as np
from scipy.special import erfinv

r = jax.random
K = r.key(7)
W = r.PRNGKey(11)
LOGITS = jnp.array([[0.0, 1.0, -1.0, 0.5], [2.0, 0.0, 0.0, -3.0]])
f16, bf16, f32, f64 = jnp.float16, jnp.bfloat16, jnp.float32, jnp.float64



def normal(key, shape=(), dtype=None):
    dtype = jnp.zeros((), dtype or float).dtype
    low = np.nextafter(dtype.type(-1), dtype.type(0)) if dtype != bf16 else dtype.type(-0.99609375)
    u = np.asarray(r.uniform(key, shape, dtype, low, dtype.type(1)))
    return np.asarray(dtype.type(np.sqrt(2)) * erfinv(u.astype(np.float64)).astype(dtype))


PROGRAMS = [
    ("key", lambda: r.key(0)),
    ("key_negative", lambda: r.key(-5)),
    ("key_wide", lambda: r.key(2**40 + 5)),
    ("key_array", lambda: r.key(jnp.uint32(4000000000))),
    ("key_i8", lambda: r.key(jnp.int8(-3))),
    ("prng_key", lambda: r.PRNGKey(42)),
    ("split", lambda: r.split(K)),
    ("split_5", lambda: r.split(K, 5)),
    ("split_0", lambda: r.split(K, 0)),
    ("split_shape", lambda: r.split(K, (2, 3))),
    ("split_words", lambda: r.split(W, 3)),
    ("fold_in", lambda: r.fold_in(K, 3)),
    ("fold_in_large", lambda: r.fold_in(K, jnp.uint32(4294967295))),
    ("fold_in_words", lambda: r.fold_in(W, 9)),
    ("key_data", lambda: r.key_data(r.split(K, 3))),
    ("wrap_key_data", lambda: r.wrap_key_data(jnp.array([[1, 2], [3, 4]], jnp.uint32))),
    ("keys_move", lambda: jnp.concatenate([r.split(K, 3), r.split(K, 3)[::-1]]).reshape(2, 3).T[1:, 0]),
    ("keys_gather", lambda: r.split(K, 5)[jnp.array([[4, 0], [-1, 9]])]),
    ("keys_equal", lambda: r.split(K, 3) == r.split(K, 3)[::-1]),
    ("bits", lambda: r.bits(K, (5,))),
    ("bits_scalar", lambda: r.bits(K)),
    ("bits_empty", lambda: r.bits(K, (0, 3))),
    ("bits_3d", lambda: r.bits(K, (2, 3, 5))),
    ("bits_8", lambda: r.bits(K, (7,), jnp.uint8)),
    ("bits_16", lambda: r.bits(K, (3, 3), jnp.uint16)),
    ("bits_words", lambda: r.bits(W, (17,))),
    ("bits_many", lambda: r.bits(K, (5000,))[::97]),
    ("uniform", lambda: r.uniform(K, (9,))),
    ("uniform_scalar", lambda: r.uniform(K)),
    ("uniform_matrix", lambda: r.uniform(K, (3, 5))),
    ("uniform_many", lambda: r.uniform(K, (70, 90))[::13, ::17]),
    ("uniform_f16", lambda: r.uniform(K, (9,), f16)),
    ("uniform_bf16", lambda: r.uniform(K, (9,), bf16)),
    ("uniform_range", lambda: r.uniform(K, (9,), minval=-3.0, maxval=5)),
    ("uniform_bounds", lambda: r.uniform(K, (2, 3), minval=jnp.array([0.0, 10.0, 20.0]), maxval=jnp.array([[30.0], [40.0]]))),
    ("uniform_words", lambda: r.uniform(W, (4,))),
    ("randint", lambda: r.randint(K, (9,), 0, 10)),
    ("randint_scalar", lambda: r.randint(K, (), -100, 100)),
    ("randint_none", lambda: r.randint(K, (3,), 5, 2)),
    ("randint_wide", lambda: r.randint(K, (4,), -2147483648, 2147483647)),
    ("randint_i8", lambda: r.randint(K, (7,), -128, 128, jnp.int8)),
    ("randint_u8", lambda: r.randint(K, (7,), 0, 300, jnp.uint8)),
    ("randint_i16", lambda: r.randint(K, (7,), -300, 300, jnp.int16)),
    ("randint_u32", lambda: r.randint(K, (7,), 0, 1000, jnp.uint32)),
    ("randint_bounds", lambda: r.randint(K, (2, 3), jnp.array([0, 10, 20]), jnp.array([[30], [2000]]))),
    ("randint_float_bounds", lambda: r.randint(K, (4,), 0.5, 7.9)),
    ("bernoulli", lambda: r.bernoulli(K)),
    ("bernoulli_p", lambda: r.bernoulli(K, 0.3, (20,))),
    ("bernoulli_ps", lambda: r.bernoulli(K, jnp.array([0.0, 0.5, 1.0]), (2, 3))),
    ("normal_words", lambda: normal(W, (6,))),
    ("normal", lambda: normal(K, (33,))),
    ("normal_scalar", lambda: normal(K)),
    ("normal_f16", lambda: normal(K, (33,), f16)),
    ("normal_bf16", lambda: normal(K, (33,), bf16)),
    ("normal_many", lambda: normal(K, (50, 200))[::7, ::3]),
    ("gumbel", lambda: r.gumbel(K, (9,))),
    ("categorical", lambda: r.categorical(K, LOGITS)),
    ("categorical_axis", lambda: r.categorical(K, LOGITS, axis=0)),
    ("categorical_shape", lambda: r.categorical(K, LOGITS, shape=(5, 2))),
    ("permutation", lambda: r.permutation(K, 10)),
    ("permutation_rows", lambda: r.permutation(K, jnp.arange(12).reshape(4, 3))),
    ("permutation_axis", lambda: r.permutation(K, jnp.arange(12).reshape(4, 3), axis=1)),
    ("permutation_independent", lambda: r.permutation(K, jnp.arange(12).reshape(4, 3), axis=1, independent=True)),
    ("permutation_large", lambda: r.permutation(K, 5000)[::101]),
    ("choice", lambda: r.choice(K, 10, (5,))),
    ("choice_of", lambda: r.choice(K, jnp.arange(10.0) * 2, (2, 3))),
    ("choice_rows", lambda: r.choice(K, jnp.arange(12).reshape(4, 3), (2,))),
    ("choice_without", lambda: r.choice(K, 10, (5,), replace=False)),
    ("choice_axis_without", lambda: r.choice(K, jnp.arange(12).reshape(3, 4), (2,), replace=False, axis=1)),
]
WIDE = [
    ("x64_key", lambda: r.key(2**40 + 5)),
    ("x64_key_negative", lambda: r.key(-5)),
    ("x64_bits", lambda: r.bits(K, (5,))),
    ("x64_uniform", lambda: r.uniform(K, (9,))),
    ("x64_uniform_f32", lambda: r.uniform(K, (9,), f32)),
    ("x64_randint", lambda: r.randint(K, (5,), -10, 10**12)),
    ("x64_randint_i32", lambda: r.randint(K, (5,), 0, 10**12, jnp.int32)),
    ("x64_normal", lambda: normal(K, (33,))),
]


def line(value):
    value = jnp.asarray(value)
    shape = "x".join(map(str, value.shape)) or "scalar"
    dtype = str(value.dtype)
    words = np.asarray(r.key_data(value) if dtype == "key<fry>" else value)
    if words.dtype.kind == "c":
        words = words.view(words.real.dtype)
    if words.dtype == np.bool_:
        words = words.astype(np.uint8)
    words = words.view("u%d" % words.dtype.itemsize)
    return " ".join([dtype, shape] + ["%x" % w for w in words.ravel()])


def main():
    for programs in (PROGRAMS, WIDE):
        with jax.enable_x64(programs is WIDE):
            for name, function in programs:
                print("### %s\n%s" % (name, line(function())))


if __name__ == "__main__":
    main()
