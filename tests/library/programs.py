"""Writes programs.txt: what JAX prints for the programs of programs.h.

    python programs.py > programs.txt      (JAX 0.12)

Each program is one line here and one line of the same name there. A block of programs.txt is
    ### name
    jaxpr
    ---
    StableHLO without the module's first and last line
"""
import re

import jax
import jax.numpy as jnp
from jax import lax

import custom_programs
import indexing_programs
import random_programs

F = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
I = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.int32)
B = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.bool_)
U = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.uint8)
S = lambda dtype: lambda *shape: jax.ShapeDtypeStruct(shape, dtype)
I8, U32, BF, H, C = S(jnp.int8), S(jnp.uint32), S(jnp.bfloat16), S(jnp.float16), S(jnp.complex64)
CONST = jnp.arange(6.0)
VECTOR = jnp.array([0, 2])
nn = jax.nn

PROGRAMS = [
    # promotion and scalars
    ("add_scalar", lambda x: x + 1.0, F(3)),
    ("add_int_scalar", lambda x: x + 1, F(3)),
    ("int_add_float_scalar", lambda x: x + 1.5, I(3)),
    ("strong_scalar", lambda x: x * jnp.float32(2), F(3)),
    ("int_strong_scalar", lambda x: x * jnp.float32(2), I(3)),
    ("scalars_only", lambda x: jnp.add(1.0, 2.0) + x, F(3)),
    ("mixed_scalars", lambda: jnp.add(1, 2.0)),
    ("sin_scalar", lambda x: jnp.sin(2.0) * x, F(3)),
    ("float_int", lambda x, y: x + y, F(3), I(3)),
    ("bool_int_scalar", lambda x: jnp.minimum(x, 0), B(3)),
    ("rank_promotion", lambda x, y: x == y, F(3), I(2, 3)),
    ("ones_broadcast", lambda x, y: x + y, F(1, 3), F(2, 3)),
    ("scalar_array", lambda x, y: x + y, F(), F(2, 3)),
    ("constant_twice", lambda x: (x + CONST) * CONST, F(6)),
    ("bool_add", lambda x, y: x + y, B(3), B(3)),
    ("bool_multiply", lambda x, y: x * y, B(3), B(3)),
    ("u8_i8", lambda x, y: x + y, U(2), I8(2)),
    ("u32_i32", lambda x, y: x + y, U32(2), I(2)),
    ("bf16_f16", lambda x, y: x + y, BF(2), H(2)),
    ("i32_bf16", lambda x, y: x + y, I(2), BF(2)),
    ("f32_c64", lambda x, y: x + y, F(2), C(2)),
    ("bool_u8", lambda x, y: x + y, B(2), U(2)),
    ("f16_scalar", lambda x: x * 0.1 + 1, H(2)),
    ("u8_scalar", lambda x: x + 1, U(2)),
    ("weak_input", lambda x: x * 2, 3.0),
    ("weak_int_input", lambda x: x * 2.5, 3),
    ("weak_meets_strong", lambda x, y: x * y, 3.0, F(2)),
    ("extreme_literals", lambda x, y: (jnp.where(y, x, -jnp.inf), jnp.maximum(x, jnp.nan), x * -0.5, x + 1e-20, x * 1e30), F(2), B(2)),
    # unary
    ("sin", lambda x: jnp.sin(x), F(3)),
    ("sin_int", lambda x: jnp.sin(x), I(3)),
    ("sin_bool", lambda x: jnp.sin(x), B(3)),
    ("cos", lambda x: jnp.cos(x), F(3)),
    ("tanh", lambda x: jnp.tanh(x), F(3)),
    ("exp", lambda x: jnp.exp(x), F(3)),
    ("log", lambda x: jnp.log(x), F(3)),
    ("sqrt", lambda x: jnp.sqrt(x), I(3)),
    ("rsqrt", lambda x: lax.rsqrt(x), F(3)),
    ("square", lambda x: jnp.square(x), F(3)),
    ("square_int", lambda x: jnp.square(x), I(3)),
    ("square_bool", lambda x: jnp.square(x), B(3)),
    ("abs", lambda x: jnp.abs(x), F(3)),
    ("abs_bool", lambda x: jnp.abs(x), B(3)),
    ("sign", lambda x: jnp.sign(x), F(3)),
    ("sign_unsigned", lambda x: jnp.sign(x), U(3)),
    ("floor", lambda x: jnp.floor(x), F(3)),
    ("floor_int", lambda x: jnp.floor(x), I(3)),
    ("round", lambda x: jnp.round(x), F(3)),
    ("round_2", lambda x: jnp.round(x, 2), F(3)),
    ("round_int", lambda x: jnp.round(x), I(3)),
    ("lax_round", lambda x: lax.round(x), F(3)),
    ("neg", lambda x: -x, F(3)),
    ("not_bool", lambda x: ~x, B(3)),
    ("not_int", lambda x: ~x, I(3)),
    ("isnan", lambda x: jnp.isnan(x), F(3)),
    ("isfinite", lambda x: jnp.isfinite(x), F(3)),
    ("isfinite_int", lambda x: jnp.isfinite(x), I(3)),
    ("isinf", lambda x: jnp.isinf(x), F(3)),
    ("logical_not", lambda x: jnp.logical_not(x), F(3)),
    ("reciprocal", lambda x: jnp.reciprocal(x), F(3)),
    ("astype_int", lambda x: x.astype(int), F(3)),
    ("astype_bool", lambda x: x.astype(bool), F(3)),
    ("int_astype_bool", lambda x: x.astype(bool), I(3)),
    ("astype_same", lambda x: x.astype(jnp.float32), F(3)),
    ("bool_astype", lambda x: x.astype(jnp.float32), B(3)),
    # powers
    ("power_3", lambda x: x**3, F(3)),
    ("power_m2", lambda x: x**-2, F(3)),
    ("power_m3", lambda x: x**-3, F(3)),
    ("power_0", lambda x: x**0, F(3)),
    ("power_1", lambda x: x**1, F(3)),
    ("power_2_int", lambda x: x**2, I(3)),
    ("power_2_bool", lambda x: x**2, B(3)),
    ("power_5", lambda x: x**5, F(3)),
    ("power_7", lambda x: x**7, F(3)),
    ("power_half", lambda x: x**0.5, F(3)),
    ("power_array", lambda x, y: x**y, F(3), F(3)),
    ("power_of_2", lambda x: 2**x, F(3)),
    ("power_int_int", lambda x, y: x**y, I(3), I(3)),
    # binary
    ("int_divide", lambda x, y: x / y, I(3), I(3)),
    ("divide_scalar", lambda x: x / 2, I(3)),
    ("floor_divide_int", lambda x, y: x // y, I(3), I(3)),
    ("floor_divide_float", lambda x, y: x // y, F(3), F(3)),
    ("floor_divide_scalar", lambda x: x // 2, F(3)),
    ("remainder_float", lambda x, y: x % y, F(3), F(3)),
    ("remainder_int_scalar", lambda x: x % 2, I(3)),
    ("remainder_scalar", lambda x: x % 2.0, F(3)),
    ("and_bool", lambda x, y: x & y, B(3), B(3)),
    ("or_mixed", lambda x, y: x | y, B(3), I(3)),
    ("xor_bool", lambda x, y: x ^ y, B(3), B(3)),
    ("less_bool", lambda x, y: x < y, B(3), B(3)),
    ("less_mixed", lambda x, y: x < y, F(3), I(3)),
    ("not_equal_zero", lambda x: x != 0, F(3)),
    ("logical_and", lambda x: jnp.logical_and(x, x), F(3)),
    ("logical_and_int", lambda x: jnp.logical_and(x, 1), F(3)),
    ("logical_or_true", lambda x: jnp.logical_or(x, True), B(3)),
    ("maximum", lambda x: jnp.maximum(x, 0), F(3)),
    ("maximum_left", lambda x: jnp.maximum(0.0, x), F(3)),
    ("lax_rem", lambda x, y: lax.rem(x, y), F(3), F(3)),
    ("lax_clamp", lambda x: lax.clamp(0.0, x, 1.0), F(3, 4)),
    ("divisions", lambda x, y: (x // y, x % y, x / y), I(3), I(3)),
    ("arithmetic", lambda x: (x * 2.0 + 1) / 4, F(2, 3)),
    # choosing
    ("where", lambda x, y: jnp.where(x, y, 0.0), B(3), F(3)),
    ("where_condition", lambda x, y: jnp.where(x > 0, y, 0), F(3), F(2, 3)),
    ("where_scalars", lambda x: jnp.where(x, 1, 2.0), B()),
    ("where_mixed", lambda x, y, z: jnp.where(x, y, z), F(3), I(3, 1), F(1, 3)),
    ("where_weak", lambda x: jnp.where(x, 1, 0.0), B(3)),
    ("clip", lambda x: jnp.clip(x, 0.0, 1.0), F(3)),
    ("clip_int", lambda x: jnp.clip(x, 0, 1), F(3)),
    ("clip_min", lambda x: jnp.clip(x, min=0), I(3)),
    ("clip_max", lambda x: jnp.clip(x, max=0), I(3)),
    ("select_n_int", lambda w, x, y, z: lax.select_n(w, x, y, z), I(3), F(3), F(3), F(3)),
    ("where_empty", lambda x, y: jnp.where(x, y, 0.0), B(0, 3), F(3)),
    # creation
    ("zeros", lambda: jnp.zeros((2, 3))),
    ("ones_int", lambda: jnp.ones((2, 3), int)),
    ("ones_scalar", lambda: jnp.ones(())),
    ("full", lambda: jnp.full((2, 3), 1.5)),
    ("full_traced", lambda x: jnp.full((2, 3), x), F()),
    ("ones_like", lambda x: jnp.ones_like(x), I(3)),
    ("full_like", lambda x: jnp.full_like(x, 2), F(3)),
    ("arange", lambda: jnp.arange(5)),
    ("arange_float", lambda: jnp.arange(5.0)),
    ("arange_2", lambda: jnp.arange(2, 5)),
    ("arange_3", lambda: jnp.arange(2, 10, 3)),
    ("arange_step", lambda: jnp.arange(0.0, 1.0, 0.1)),
    ("linspace", lambda: jnp.linspace(0, 1, 5)),
    ("linspace_traced", lambda x: jnp.linspace(0, x, 5), F()),
    ("linspace_vector", lambda x: jnp.linspace(x, 1.0, 5), F(3)),
    ("linspace_open", lambda: jnp.linspace(0, 10, 5, endpoint=False, dtype=int)),
    ("linspace_1", lambda: jnp.linspace(0, 1, 1)),
    ("eye", lambda: jnp.eye(3)),
    ("eye_k", lambda: jnp.eye(3, 4, k=1, dtype=int)),
    ("tri", lambda: jnp.tri(3)),
    ("array_of_traced", lambda x: jnp.array([1.0, x]), F()),
    ("array_copy", lambda x: jnp.array(x), F(3, 4)),
    ("asarray", lambda x: jnp.asarray(x), F(3, 4)),
    ("asarray_scalar", lambda x: x + jnp.asarray(2.0), F(3)),
    ("literals", lambda x: (jnp.sin(0.1), x * 0.1, jnp.clip(x, 0.1, 0.9), jnp.full((2,), 0.1)), F(3)),
    # reductions
    ("sum", lambda x: jnp.sum(x), F(3, 4)),
    ("sum_axis", lambda x: jnp.sum(x, axis=1), F(3, 4)),
    ("sum_keepdims", lambda x: jnp.sum(x, axis=(0, 2), keepdims=True), F(3, 4, 5)),
    ("sum_bool", lambda x: jnp.sum(x), B(3)),
    ("sum_scalar", lambda x: jnp.sum(x), F()),
    ("sum_uint8", lambda x: jnp.sum(x), U(3)),
    ("prod", lambda x: jnp.prod(x), F(3)),
    ("mean", lambda x: jnp.mean(x, axis=0), F(3, 4)),
    ("mean_int", lambda x: jnp.mean(x, axis=0, keepdims=True), I(3, 4)),
    ("mean_bool", lambda x: jnp.mean(x), B(3)),
    ("max", lambda x: jnp.max(x), F(3, 4)),
    ("max_keepdims", lambda x: jnp.max(x, axis=1, keepdims=True), F(3, 4)),
    ("max_int", lambda x: jnp.max(x), I(3)),
    ("min_int", lambda x: jnp.min(x), I(3)),
    ("max_bool", lambda x: jnp.max(x), B(3)),
    ("min", lambda x: jnp.min(x), F(3)),
    ("max_uint8", lambda x: jnp.max(x), U(3)),
    ("any", lambda x: jnp.any(x), F(3)),
    ("all", lambda x: jnp.all(x, axis=0), I(3, 2)),
    ("argmax", lambda x: jnp.argmax(x), F(3, 4)),
    ("argmin_axis", lambda x: jnp.argmin(x, axis=1), F(3, 4)),
    ("argmin_keepdims", lambda x: jnp.argmin(x, axis=1, keepdims=True), F(3, 4)),
    ("argmax_int", lambda x: jnp.argmax(x, axis=0), I(3, 4)),
    ("argmax_twice", lambda x, y: jnp.argmax(x) + jnp.argmax(y) + jnp.argmin(x), F(3), F(3)),
    ("var", lambda x: jnp.var(x), F(3, 3)),
    ("std", lambda x: jnp.std(x, axis=0), F(3, 3)),
    ("sum_bf16", lambda x: jnp.sum(x), BF(3)),
    ("mean_f16", lambda x: jnp.mean(x, axis=1), H(3, 2)),
    ("transpose_sum", lambda x: jnp.transpose(x, (4, 0, 3, 1, 2)).sum((1, 3)), F(2, 3, 4, 5, 6)),
    ("argmax_bf16", lambda x: jnp.argmax(x), BF(3)),
    # products
    ("dot_matrix", lambda x, y: jnp.dot(x, y), F(3, 4), F(4, 5)),
    ("dot_vector", lambda x, y: jnp.dot(x, y), F(4), F(4)),
    ("dot_scalar", lambda x, y: jnp.dot(x, y), F(), F(4)),
    ("dot_nd", lambda x, y: jnp.dot(x, y), F(2, 3, 4), F(5, 4, 6)),
    ("dot_mixed", lambda x, y: jnp.dot(x, y), F(3, 4), I(4, 5)),
    ("dot_int", lambda x, y: jnp.dot(x, y), I(3, 4), I(4, 5)),
    ("matmul", lambda x, y: x @ y, F(3, 4), F(4, 5)),
    ("matmul_vector", lambda x, y: x @ y, F(3, 4), F(4)),
    ("vector_matmul", lambda x, y: x @ y, F(4), F(4, 5)),
    ("matmul_batch", lambda x, y: x @ y, F(2, 3, 4), F(2, 4, 5)),
    ("matmul_left_batch", lambda x, y: x @ y, F(2, 3, 4), F(4, 5)),
    ("matmul_right_batch", lambda x, y: x @ y, F(3, 4), F(2, 4, 5)),
    ("matmul_one", lambda x, y: x @ y, F(1, 3, 4), F(2, 4, 5)),
    ("matmul_ones", lambda x, y: x @ y, F(2, 1, 3, 4), F(5, 4, 5)),
    ("matmul_both_one", lambda x, y: x @ y, F(2, 1, 3, 4), F(2, 1, 4, 5)),
    ("vector_matmul_batch", lambda x, y: x @ y, F(4), F(2, 4, 5)),
    ("outer", lambda x, y: jnp.outer(x, y), F(3, 2), F(4)),
    ("inner", lambda x, y: jnp.inner(x, y), F(2, 3), F(4, 3)),
    ("tensordot", lambda x, y: jnp.tensordot(x, y, 1), F(2, 3), F(3, 4)),
    ("vdot", lambda x, y: jnp.vdot(x, y), F(2, 3), F(2, 3)),
    ("matmul_empty", lambda x, y: (x @ y, x.sum(0), jnp.concatenate([x, x])), F(0, 3), F(3, 0)),
    ("matmul_bf16", lambda x, y: x @ y, BF(2, 3), BF(3, 4)),
    # shapes
    ("T", lambda x: x.T, F(3, 4)),
    ("T_vector", lambda x: x.T, F(3)),
    ("transpose", lambda x: jnp.transpose(x, (2, 0, 1)), F(3, 4, 5)),
    ("reshape", lambda x: x.reshape(2, 6), F(3, 4)),
    ("reshape_same", lambda x: x.reshape(3, 4), F(3, 4)),
    ("ravel", lambda x: jnp.ravel(x), F(3, 4)),
    ("squeeze", lambda x: jnp.squeeze(x), F(3, 1, 4, 1)),
    ("squeeze_axis", lambda x: jnp.squeeze(x, 1), F(3, 1, 4, 1)),
    ("expand_dims", lambda x: jnp.expand_dims(x, (0, -1)), F(3, 4)),
    ("broadcast_to", lambda x: jnp.broadcast_to(x, (2, 3, 4)), F(3, 4)),
    ("broadcast_to_size1", lambda x: jnp.broadcast_to(x, (3, 4)), F(3, 1)),
    ("broadcast_to_scalar", lambda x: jnp.broadcast_to(x, (3, 4)), F()),
    ("concatenate", lambda x, y: jnp.concatenate([x, y], axis=1), F(3, 4), I(3, 2)),
    ("concatenate_one", lambda x: jnp.concatenate([x]), F(3, 4)),
    ("concatenate_many", lambda x: jnp.concatenate([x] * 20), F(2)),
    ("stack", lambda x, y: jnp.stack([x, y]), F(3, 4), F(3, 4)),
    ("stack_last", lambda x, y: jnp.stack([x, y], axis=-1), F(3, 4), F(3, 4)),
    ("split", lambda x: lax.split(x, (2, 2, 2)), F(6, 4)),  # jnp.split prints np.int64(2)
    ("split_at", lambda x: lax.split(x, (2, 1, 1), axis=1), F(6, 4)),
    ("flip", lambda x: jnp.flip(x), F(3, 3)),
    ("tile", lambda x: jnp.tile(x, (2, 1)), F(3, 3)),
    ("repeat", lambda x: jnp.repeat(x, 2, axis=0), F(3, 3)),
    ("swapaxes", lambda x: jnp.swapaxes(x, 0, 2), F(3, 4, 5)),
    ("moveaxis", lambda x: jnp.moveaxis(x, 0, -1), F(3, 4, 5)),
    ("lax_slice", lambda x: lax.slice(x, (0, 1), (2, 3), (1, 2)), F(3, 4)),
    ("lax_dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i, 0), (2, 3)), F(3, 4), I()),
    ("lax_dynamic_slice_known", lambda x: lax.dynamic_slice(x, (0, -1), (2, 3)), F(3, 4)),
    ("barrier", lambda x: lax.optimization_barrier(x), F(3, 4)),
    ("barriers", lambda x, y: tuple(lax.optimization_barrier((x, y))), F(3), I(2)),
    ("stop_gradient", lambda x: lax.stop_gradient(x), F(3)),
    # comparing
    ("array_equal", lambda x, y: jnp.array_equal(x, y), F(3), F(3)),
    ("array_equal_shapes", lambda x, y: jnp.array_equal(x, y), F(3), F(4)),
    ("allclose", lambda x, y: jnp.allclose(x, y), F(3), F(3)),
    ("isclose", lambda x, y: jnp.isclose(x, y), I(3), F(3)),
    ("isclose_rtol", lambda x, y: jnp.isclose(x, y, rtol=1e-3), F(3), F(3)),
    # nn
    ("softmax", lambda x: nn.softmax(x), F(3, 4)),
    ("softmax_axis", lambda x: nn.softmax(x, axis=0), F(3, 4)),
    ("log_softmax", lambda x: nn.log_softmax(x), F(3, 4)),
    ("sigmoid", lambda x: nn.sigmoid(x), F(3, 4)),
    ("silu", lambda x: nn.silu(x), F(3, 4)),
    ("gelu", lambda x: nn.gelu(x), F(3, 4)),
    # indexing
    ("index_int", lambda x: x[0], F(4, 3)),
    ("index_negative", lambda x: x[-1], F(4, 3)),
    ("index_two", lambda x: x[2, -1], F(4, 3)),
    ("index_slice", lambda x: x[1:3], F(4, 3)),
    ("index_reverse", lambda x: x[::-1], F(4, 3)),
    ("index_ellipsis_new", lambda x: x[..., None], F(4, 3)),
    ("index_column", lambda x: x[:, 1], F(4, 3)),
    ("index_strides", lambda x: x[::2, 1:], F(4, 3)),
    ("index_back", lambda x: x[5:2:-1], F(8)),
    ("index_back_2", lambda x: x[-1:1:-2], F(8)),
    ("index_empty", lambda x: x[0:0], F(8)),
    ("index_beyond", lambda x: x[10:20], F(8)),
    ("index_whole", lambda x: x[:], F(8)),
    ("index_new_front", lambda x: x[None, 1:3, None], F(8)),
    ("index_many", lambda x: x[1, None, ..., 0], F(8, 3, 2)),
    ("index_too_large", lambda x: x[5], F(3)),
    ("index_too_small", lambda x: x[-5], F(3)),
    ("index_traced", lambda x, i: x[i], F(4, 3), I()),
    ("index_traced_vector", lambda x, i: x[i], F(3), I()),
    ("index_traced_unsigned", lambda x, i: x[i], F(3), U()),
    ("index_traced_column", lambda x, i: x[..., i], F(4, 5), I()),
    ("index_traced_two", lambda x, i, j: x[i, j], F(4, 5), I(), I()),
    ("index_traced_slice", lambda x, i: x[i, 1:3], F(4, 5), I()),
    ("index_traced_back", lambda x, i: x[i, ::-1], F(4, 5), I()),
    ("index_traced_stride", lambda x, i: x[i, ::2], F(4, 5), I()),
    ("index_traced_new", lambda x, i: x[i, None], F(4, 5), I()),
    ("index_traced_known", lambda x, i: x[-1, i], F(3, 4), I()),
    ("index_array", lambda x, i: x[i], F(4, 5), I(2, 3)),
    ("index_array_column", lambda x, i: x[:, i], F(4, 5), I(2, 3)),
    ("index_arrays", lambda x, i, j: x[i, j], F(4, 5), I(3), I(3)),
    ("index_array_scalar", lambda x, i, j: x[i, j], F(4, 5), I(), I(3)),
    ("index_arrays_apart", lambda x, i, j: x[i, :, j], F(4, 5, 6), I(3), I(3)),
    ("index_array_int", lambda x, i: x[i, 1], F(4, 5), I(3)),
    ("index_int_array", lambda x, i: x[1, i], F(4, 5), I(3)),
    ("index_array_slice", lambda x, i: x[i, 1:3], F(4, 5), I(3)),
    ("index_new_array", lambda x, i: x[None, i], F(4, 5), I(3)),
    ("index_constant", lambda x: x[VECTOR], F(4, 5)),
    ("take", lambda x, i: jnp.take(x, i), F(5), I(3)),
    ("take_axis", lambda x, i: jnp.take(x, i, axis=1), F(4, 5), I(2, 3)),
    ("take_scalar", lambda x, i: jnp.take(x, i, axis=0), I(4, 5), I()),
    ("take_clip", lambda x, i: jnp.take(x, i, axis=0, mode="clip"), I(4, 5), I()),
    # results and programs in programs
    ("results", lambda x: (x, x, 1.0, CONST), F(6)),
    ("dead_code", lambda x: (x * 2, x + 1)[1], F(3)),
]


PROGRAMS += custom_programs.PROGRAMS + indexing_programs.PROGRAMS + random_programs.PROGRAMS


def without_shardings(lines):
    """JAX says of keys how they are spread over devices; the values behind are renumbered."""
    out, names, gone = [], {}, 0
    for line in lines:
        if "func.func" in line:
            names, gone = {}, 0
        line = re.sub(r"%(\d+)\b", lambda m: names.get(m[1], m[0]), line)
        if "sdy.mesh" in line:
            continue
        constraint = re.match(r" *%(\d+) = sdy.sharding_constraint (%\w+)", line)
        if constraint:
            names[constraint[1]] = constraint[2]
            gone += 1
            continue
        result = re.match(r" *%(\d+)\b", line)
        if result and gone:
            names[result[1]] = "%%%d" % (int(result[1]) - gone)
            line = line.replace("%" + result[1], names[result[1]], 1)
        out.append(line)
    return out


def main():
    for name, function, *args in PROGRAMS:
        text = str(jax.make_jaxpr(function)(*args))
        lowered = jax.jit(function).lower(*args).as_text().rstrip("\n").split("\n")
        print("### %s\n%s\n---\n%s" % (name, text, "\n".join(without_shardings(lowered[1:-1]))))


if __name__ == "__main__":
    main()
