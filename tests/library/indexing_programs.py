"""Programs that read and write by index expressions, for programs.py."""
import jax
import jax.numpy as jnp
import numpy as np

S = lambda dtype: lambda *shape: jax.ShapeDtypeStruct(shape, dtype)
F, I, U8, I8, BF = S(jnp.float32), S(jnp.int32), S(jnp.uint8), S(jnp.int8), S(jnp.bfloat16)
MASK = np.array([True, False, True, False])
MASK2 = np.array([[True, False, True], [False, False, True], [True, True, False], [False, False, False]])
VECTOR = jnp.array([0, 2])
MATRIX = jnp.array([[0, 2], [-1, 1]])

PROGRAMS = [
    ("index_five", lambda x: x[0, None, 1:, ..., ::2, None, -1], F(2, 3, 4, 5, 6)),
    ("index_mask", lambda x: x[MASK], F(4, 3)),
    ("index_mask_2", lambda x: x[MASK2], F(4, 3)),
    ("index_mask_column", lambda x: x[:, MASK], F(3, 4)),
    ("index_mask_slice", lambda x: x[MASK, 1:], F(4, 3)),
    ("index_mask_array", lambda x, i: x[MASK, i], F(4, 3), I(2)),
    ("index_mask_apart", lambda x, i: x[MASK, :, i], F(4, 3, 2), I(2)),
    ("index_true", lambda x: x[True], F(4)),
    ("index_arrays_far", lambda x, i, j: x[:, i, :, j], F(2, 3, 4, 5), I(3), I(3)),
    ("index_arrays_new", lambda x, i, j: x[i, None, j], F(4, 5), I(2), I(2)),
    ("index_arrays_broadcast", lambda x, i, j: x[i, j], F(4, 5), I(2, 1), I(3)),
    ("index_arrays_slice_back", lambda x, i: x[i, ::-2], F(4, 5), I(2)),
    ("index_scalar_int_array", lambda x, i, j: x[i, 1, j], F(4, 5, 6), I(), I(2)),
    ("index_array_i8", lambda x, i: x[i], F(4, 5), I8(3)),
    ("index_array_u8", lambda x, i: x[i], F(4, 5), U8(3)),
    ("index_array_empty", lambda x: x[jnp.zeros((0,), jnp.int32), 1:], F(4, 5)),
    ("at_get", lambda x: x.at[1].get(), F(5)),
    ("at_get_fill", lambda x: x.at[10].get(mode="fill"), F(5)),
    ("at_get_fill_value", lambda x: x.at[10].get(mode="fill", fill_value=-1), F(5)),
    ("at_get_fill_float", lambda x: x.at[VECTOR].get(mode="fill", fill_value=2.5), F(5)),
    ("at_get_fill_int", lambda x, i: x.at[i].get(mode="fill", fill_value=7), I(5), I()),
    ("at_get_fill_least", lambda x, i: x.at[i].get(mode="fill"), I8(5), I(3)),
    ("at_get_fill_greatest", lambda x, i: x.at[i].get(mode="fill"), U8(5), I(3)),
    ("at_get_clip", lambda x: x.at[10].get(mode="clip"), F(5)),
    ("at_get_clip_array", lambda x, i: x.at[i].get(mode="clip", indices_are_sorted=True), F(5), I(2)),
    ("at_get_unique", lambda x, i: x.at[i].get(unique_indices=True), F(5), I(2)),
    ("at_get_no_wrap", lambda x, i: x.at[i].get(wrap_negative_indices=False, mode="fill"), F(5), I(2)),
    ("at_set", lambda x: x.at[1].set(2), F(5)),
    ("at_set_float", lambda x: x.at[1].set(2.5), F(5)),
    ("at_set_int", lambda x: x.at[1].set(2), I(5)),
    ("at_set_float_in_int", lambda x: x.at[1].set(2.5), I(5)),
    ("at_set_row", lambda x, y: x.at[1].set(y), F(3, 4), F(4)),
    ("at_set_new", lambda x: x.at[1, None].set(2), F(3, 4)),
    ("at_set_all", lambda x: x.at[...].set(3), F(3, 4)),
    ("at_set_traced", lambda x, i: x.at[i, 1].set(jnp.float32(3), mode="promise_in_bounds"), F(3, 4), I()),
    ("at_set_columns", lambda x, y: x.at[:, VECTOR].set(y), F(3, 4), F(3, 1)),
    ("at_set_mask", lambda x: x.at[MASK].set(0), F(4, 3)),
    ("at_set_back", lambda x, y: x.at[::-2].set(y), F(5), F(3)),
    ("at_set_empty", lambda x, y: x.at[2:2].set(y), F(5), F()),
    ("at_set_far", lambda x: x.at[10].set(1), I(5)),
    ("at_set_clip", lambda x: x.at[10].set(1, mode="clip"), I(5)),
    ("at_set_no_wrap", lambda x: x.at[-1].set(2, wrap_negative_indices=False), F(5)),
    ("at_set_bf16", lambda x: x.at[1:3].set(0.1), BF(5)),
    ("at_add", lambda x: x.at[1:3].add(2.5), F(5)),
    ("at_add_twice", lambda x: x.at[jnp.array([1, 1])].add(10), I(5)),
    ("at_add_matrix", lambda x, y: x.at[MATRIX].add(y), F(5), F(2, 2)),
    ("at_subtract", lambda x: x.at[1].subtract(2.5), F(5)),
    ("at_multiply", lambda x: x.at[::2].mul(2.5), F(5)),
    ("at_min", lambda x: x.at[::-2].min(2.5), F(5)),
    ("at_max", lambda x: x.at[VECTOR, 1:].max(2.5), F(3, 4)),
    ("at_divide", lambda x: x.at[1].divide(2.5), F(5)),
    ("at_power", lambda x: x.at[1].power(2.0), F(5)),
    ("at_apply", lambda x: x.at[VECTOR].apply(jnp.sin), F(5)),
    ("at_sorted", lambda x, i: x.at[i].set(0.0, indices_are_sorted=True, unique_indices=True), F(5), I(2)),
]
