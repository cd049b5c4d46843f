"""Writes derivatives.txt: what JAX prints for derivatives and batched forms of the programs of derivatives_test.cpp.

    python derivatives.py > derivatives.txt      (JAX 0.12)

Each program is one line here and one of the same name there. A block of derivatives.txt is
    ### name what
    jaxpr
where `what` is jvp, grad (of the sum of the first inexact result, by all inexact arguments) or vmap and the mapped axes.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

np.set_printoptions(legacy="1.25")  # 2, not np.int64(2)

S = lambda dtype: lambda *shape: jax.ShapeDtypeStruct(shape, dtype)
F, I, B, C, U32, U8 = S(jnp.float32), S(jnp.int32), S(jnp.bool_), S(jnp.complex64), S(jnp.uint32), S(jnp.uint8)
G, D = lax.GatherDimensionNumbers, lax.ScatterDimensionNumbers
MODE = lax.GatherScatterMode
POINTS = D(update_window_dims=(), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,))
ROWS = D(update_window_dims=(1,), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,))
N = None

# name, function, avals, what: "jvp", "grad", in_axes...
PROGRAMS = [
    ("broadcast_in_dim", lambda x: lax.broadcast_in_dim(x, (4, 3, 2), (1,)), [F(3)], "jvp", "grad", (0,)),
    ("broadcast_in_dim_ones", lambda x: lax.broadcast_in_dim(x, (4, 3), (0, 1)), [F(1, 3)], "jvp", "grad", (1,)),
    ("broadcast_in_dim_scalar", lambda x: lax.broadcast_in_dim(x, (4, 3), ()), [F()], "jvp", "grad", (0,)),
    ("reshape", lambda x: lax.reshape(x, (3, 2)), [F(2, 3)], "jvp", "grad", (1,)),
    ("transpose", lambda x: lax.transpose(x, (2, 0, 1)), [F(2, 3, 4)], "jvp", "grad", (1,), (2,)),
    ("squeeze", lambda x: lax.squeeze(x, (0, 2)), [F(1, 3, 1)], "jvp", "grad", (1,), (0,)),
    ("slice", lambda x: lax.slice(x, (1, 0), (4, 3)), [F(5, 3)], "jvp", "grad", (1,)),
    ("slice_strided", lambda x: lax.slice(x, (1, 0), (5, 3), (2, 1)), [F(7, 3)], "jvp", "grad", (2,)),
    ("slice_empty", lambda x: lax.slice(x, (1,), (1,), (2,)), [F(7)], "grad"),
    ("dynamic_slice", lambda x, i, j: lax.dynamic_slice_p.bind(x, i, j, slice_sizes=(2, 3)), [F(4, 5), I(), I()],
     "jvp", "grad", (0, N, N), (1, N, N), (N, 0, N), (2, 0, 0), (N, 0, 0)),
    ("dynamic_update_slice", lambda x, y, i, j: lax.dynamic_update_slice_p.bind(x, y, i, j), [F(4, 5), F(2, 3), I(), I()],
     "jvp", "grad", (0, N, N, N), (N, 1, N, N), (N, N, 0, N), (2, 1, 0, 0)),
    ("pad", lambda x, y: lax.pad(x, y, ((1, 2, 1), (-1, 0, 0))), [F(3, 4), F()], "jvp", "grad", (1, N), (N, 0), (2, 0)),
    ("rev", lambda x: lax.rev(x, (0, 1)), [F(3, 4)], "jvp", "grad", (1,)),
    ("concatenate", lambda x, y: lax.concatenate([x, y, x], 1), [F(3, 4), F(3, 2)], "jvp", "grad", (0, N), (N, 2), (1, 1)),
    ("stack", lambda x, y: lax.stack([x, y], 1), [F(3, 4), F(3, 4)], "jvp", "grad", (0, N), (1, 1), (2, 2), (0, 1)),
    ("split", lambda x: lax.split(x, (1, 3), 1), [F(3, 4)], "jvp", "grad", (1,), (2,)),
    ("split_one", lambda x: lax.split(x, (1, 3), 1)[0], [F(3, 4)], "jvp", "grad"),
    ("unstack", lambda x: lax.unstack_p.bind(x, axis=1), [F(3, 2)], "jvp", "grad", (1,), (2,)),
    ("tile", lambda x: lax.tile_p.bind(x, reps=(2, 3)), [F(3, 4)], "jvp", "grad", (1,)),
    ("gather", lambda x, i: lax.gather(x, i, G((1,), (0,), (0,)), (1, 4), mode=MODE.CLIP), [F(5, 4), I(3, 1)],
     "jvp", "grad", (0, N), (1, N), (N, 0), (2, 1)),
    ("gather_fill", lambda x, i: lax.gather(x, i, G((1,), (0,), (0,)), (1, 2), mode=MODE.FILL_OR_DROP, unique_indices=True),
     [F(5, 4), I(3, 1)], "jvp", "grad", (0, N), (N, 0), (1, 1)),
    ("gather_batch", lambda x, i: lax.gather(x, i, G((), (1,), (1,), (0,), (0,)), (1, 1)), [F(3, 4), I(3, 1)],
     "jvp", "grad", (2, N), (N, 1), (0, 0)),
    ("scatter", lambda x, i, y: lax.scatter(x, i, y, ROWS), [F(5, 4), I(3, 1), F(3, 4)],
     "jvp", "grad", (0, N, N), (N, 0, N), (N, N, 1), (1, 1, 1)),
    ("scatter_unique", lambda x, i, y: lax.scatter(x, i, y, ROWS, unique_indices=True), [F(5, 4), I(3, 1), F(3, 4)], "jvp", "grad"),
    ("scatter_add", lambda x, i, y: lax.scatter_add(x, i, y, ROWS), [F(5, 4), I(3, 1), F(3, 4)],
     "jvp", "grad", (0, N, N), (N, 0, N), (1, 0, 2)),
    ("scatter_sub", lambda x, i, y: lax.scatter_sub(x, i, y, POINTS), [F(5), I(3, 1), F(3)], "jvp", "grad", (0, 0, 0)),
    ("scatter_mul", lambda x, i, y: lax.scatter_mul(x, i, y, POINTS, unique_indices=True), [F(5), I(3, 1), F(3)], "jvp", "grad", (0, N, 0)),
    ("scatter_max", lambda x, i, y: lax.scatter_max(x, i, y, ROWS), [F(5, 4), I(3, 1), F(3, 4)], "jvp", "grad", (0, N, N)),
    ("scatter_min", lambda x, i, y: lax.scatter_min(x, i, y, POINTS, mode="clip"), [F(5), I(3, 1), F(3)], "jvp", "grad"),
    ("reduce_sum", lambda x: lax.reduce_sum(x, (0, 2)), [F(2, 3, 4)], "jvp", "grad", (0,), (1,), (3,)),
    ("reduce_prod", lambda x: lax.reduce_prod(x, (1,)), [F(2, 5)], "jvp", "grad", (0,), (2,)),
    ("reduce_prod_all", lambda x: lax.reduce_prod(x, (0, 1)), [F(2, 3)], "jvp", "grad"),
    ("reduce_prod_none", lambda x: lax.reduce_prod(x, (0,)), [F(0, 3)], "jvp"),
    ("reduce_max", lambda x: lax.reduce_max(x, (1,)), [F(2, 3)], "jvp", "grad", (0,), (1,)),
    ("reduce_min", lambda x: lax.reduce_min(x, (0, 1)), [F(2, 3)], "jvp", "grad", (1,)),
    ("reduce_and", lambda x: lax.reduce_and(x, (0,)), [B(2, 3)], (1,)),
    ("argmax", lambda x: lax.argmax(x, 1, jnp.int32), [F(2, 3)], (0,), (1,), (2,)),
    ("cumsum", lambda x: lax.cumsum(x, 1), [F(2, 5)], "jvp", "grad", (0,), (1,), (2,)),
    ("cumprod", lambda x: lax.cumprod(x, 1), [F(2, 5)], "jvp", "grad", (1,)),
    ("cumprod_reverse", lambda x: lax.cumprod(x, 0, reverse=True), [F(4)], "jvp", "grad"),
    ("cummax", lambda x: lax.cummax(x, 0), [F(3)], "jvp", "grad", (1,)),
    ("cummin", lambda x: lax.cummin(x, 0), [F(1)], "jvp", "grad"),
    ("cumlogsumexp", lambda x: lax.cumlogsumexp(x, 0), [F(3)], "jvp", "grad", (1,)),
    ("sort", lambda x: lax.sort(x, 1), [F(2, 5)], "jvp", "grad", (0,), (2,)),
    ("sort_keys", lambda x, y, z: lax.sort((x, y, z), dimension=0, num_keys=2), [F(5), I(5), F(5)],
     "grad", (0, N, 1), (N, 1, N)),
    ("top_k", lambda x: lax.top_k(x, 2), [F(3, 5)], "grad", (0,), (2,)),
    ("fft", lambda x, y: lax.real(lax.fft(lax.complex(x, y), "FFT", (4,))), [F(3, 4), F(3, 4)], "jvp", "grad", (1, 1)),
    ("fft_inverse", lambda x, y: lax.imag(lax.fft(lax.complex(x, y), "IFFT", (3, 4))), [F(3, 4), F(3, 4)], "grad", (2, N)),
    ("rfft", lambda x: lax.real(lax.fft(x, "RFFT", (4,))), [F(3, 4)], "jvp", "grad", (1,)),
    ("rfft_odd", lambda x: lax.imag(lax.fft(x, "RFFT", (3, 5))), [F(3, 5)], "grad", (0,)),
    ("irfft", lambda x, y: lax.fft(lax.complex(x, y), "IRFFT", (6,)), [F(4), F(4)], "jvp", "grad", (1, 0)),
    ("irfft_odd", lambda x, y: lax.fft(lax.complex(x, y), "IRFFT", (2, 5)), [F(2, 3), F(2, 3)], "grad"),
    ("dot_general", lambda x, y: lax.dot_general(x, y, (([1], [0]), ([], []))), [F(2, 3), F(3, 4)],
     "jvp", "grad", (0, N), (1, N), (N, 0), (N, 2), (1, 0)),
    ("dot_general_batch", lambda x, y: lax.dot_general(x, y, (([3, 1], [0, 2]), ([2], [3]))), [F(2, 3, 4, 5), F(5, 6, 3, 4)],
     "jvp", "grad", (0, N), (2, N), (4, N), (N, 0), (N, 2), (N, 4), (3, 1)),
    ("dot_general_vector", lambda x, y: lax.dot_general(x, y, (([0], [0]), ([], []))), [F(3), F(3)], "jvp", "grad", (0, N), (N, 1), (1, 0)),
    ("dot_general_wide", lambda x, y: lax.dot_general(x, y, (([1], [1]), ([], [])), preferred_element_type=jnp.float32),
     [S(jnp.bfloat16)(2, 3), S(jnp.bfloat16)(4, 3)], "jvp", "grad", (0, 0)),
    ("digamma", lambda x: lax.digamma(x), [F(3)], "jvp", "grad", (0,)),
    ("polygamma", lambda x: lax.polygamma(np.float32(2), x), [F(3)], "jvp", "grad", (0,)),
    ("reduce_precision", lambda x: lax.reduce_precision(x, 5, 10), [F(3)], "jvp", "grad", (0,)),
    ("bitcast", lambda x: lax.bitcast_convert_type(x, jnp.uint8), [F(3)], (0,), (1,)),
    ("optimization_barrier", lambda x, y: lax.optimization_barrier((x, y)), [F(3), F(2)], "jvp", "grad", (0, 1)),
    ("stop_gradient", lambda x: lax.stop_gradient(x) * x, [F(3)], "jvp", "grad", (0,)),
    ("reduce", lambda x: lax.reduce(x, np.float32(1), lambda a, b: a * b * np.float32(2), (1,)), [F(2, 3)], "jvp", "grad"),
    ("key", lambda x, y: jax.random.key_data(jax.random.fold_in(jax.random.wrap_key_data(x), y)), [U32(2), U32()],
     (0, N), (N, 0), (1, 0)),
    ("bits", lambda x: jax.random.bits(jax.random.wrap_key_data(x), (3,), jnp.uint8), [U32(2)], (0,), (1,)),
    ("keys", lambda x: jax.random.key_data(jax.random.split(jax.random.wrap_key_data(x), 3)), [U32(2)], (0,)),
]


def is_inexact(x):
    return jnp.issubdtype(x.dtype, jnp.inexact)


def outputs(f, avals):
    out = f(*avals)
    return list(out) if isinstance(out, (tuple, list)) else [out]


def total(f, active, avals):
    def g(by, rest):
        by, rest = iter(by), iter(rest)
        out = outputs(f, [next(by) if a else next(rest) for a in active])
        first = next(x for x in out if is_inexact(x))
        return lax.reduce_sum(first, tuple(range(first.ndim)))
    return g


def show(f, avals, what):
    active = [is_inexact(a) for a in avals]
    by = [a for a in avals if is_inexact(a)]
    rest = [a for a in avals if not is_inexact(a)]
    if what == "jvp":
        def g(x, t, i):
            def h(by):
                by, more = iter(by), iter(i)
                return outputs(f, [next(by) if a else next(more) for a in active])
            out, tangents = jax.jvp(h, (x,), (t,))
            return out, [t for t in tangents if t.dtype != jax.dtypes.float0]
        return jax.make_jaxpr(g)(by, by, rest)
    if what == "grad":
        return jax.make_jaxpr(jax.grad(total(f, active, avals)))(by, rest)
    mapped = []
    for a, axis in zip(avals, what):
        shape = list(a.shape)
        if axis is not None:
            shape.insert(axis, 6)
        mapped.append(jax.ShapeDtypeStruct(tuple(shape), a.dtype))
    return jax.make_jaxpr(jax.vmap(lambda *x: outputs(f, x), in_axes=what))(*mapped)


for name, f, avals, *whats in PROGRAMS:
    for what in whats:
        label = what if isinstance(what, str) else "vmap " + " ".join(str(a) for a in what)
        print(f"### {name} {label}")
        print(show(f, avals, what))
