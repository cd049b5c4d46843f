"""Writes movement_table.txt: what JAX computes for the cases of movement_table_slow_test.cpp.

    python movement_table.py [operation ...] > movement_table.txt      (JAX 0.12, on a CPU)

A case is an operation, a dtype, a shape and a table of elements. Its operands are made by `elements`,
here and there. A line of the file is
    operation dtype shape table | dtype shape value value ... | ...     one part for each result
with at most 48 of a result's elements, evenly spread.
"""
import sys

import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np
from jax import lax

FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
COMPLEX = ["complex64", "complex128"]
REAL = FLOATS + INTS
SHAPES = [(0,), (1,), (7,), (17,), (33,), (5000,), (3, 5), (0, 4), (4, 0), (130, 40)]
MATRICES = [(0, 3), (1, 1), (3, 5), (16, 17), (33, 130), (70, 64)]
VALUES = {
    "plain": [k / 4 for k in range(-11, 12)],
    "special": [0.0, -0.0, 1.0, -1.0, 0.5, -2.25, 3.0, np.inf, -np.inf, np.nan, 1e-40, 65504.0, -65504.0, 100.0],
    "factors": [1.0, -1.0, 0.5, 2.0, 1.25, 0.75],
    "dots": [k / 2 for k in range(-4, 5)],
}
INTEGERS = {
    "plain": list(range(-5, 6)),
    "special": [0, 1, -1, 2, 127, -128, 255, -(2**31), 2**31 - 1, -(2**63), 2**63 - 1, 100],
    "factors": [1, -1, 3, 2, 5],
    "dots": [0, 1, -1, 7, -128, 2**31 - 1, 2**62],
}


def elements(dtype, shape, seed, table):
    """As `elements` of movement_table_slow_test.cpp."""
    count = int(np.prod(shape))
    h = (np.arange(count, dtype=np.uint64) * 2654435761 + seed * 40503) % 2**32
    h ^= h >> np.uint64(15)
    h = h * np.uint64(2246822519) % 2**32
    h ^= h >> np.uint64(13)
    d = jnp.dtype(dtype)
    if d == jnp.bool_:
        values = h % 2 == 0
    elif jnp.issubdtype(d, jnp.integer):
        integers = np.array(INTEGERS[table], np.int64)
        with np.errstate(over="ignore"):
            values = integers[h % len(integers)].astype(d)
    else:
        numbers = np.array(VALUES[table])
        values = numbers[h % len(numbers)]
        if jnp.issubdtype(d, jnp.complexfloating):
            values = values.astype(np.complex128)
            values.imag = numbers[(h >> np.uint64(8)) % len(numbers)]
        with np.errstate(over="ignore"):
            values = values.astype(d)
    return jnp.asarray(np.asarray(values).reshape(shape).astype(d))


POINTS = lax.ScatterDimensionNumbers((), (0,), (0,))
ROWS = lax.ScatterDimensionNumbers((1,), (0,), (0,))


def scatter(function):
    def run(x, k):
        n = x.shape[0]
        indices = ((jnp.arange(n + 3) * 7) % (n + 3) - 1).reshape(-1, 1).astype(jnp.int32)
        updates = elements(x.dtype, (n + 3,) + x.shape[1:], 2, k)
        return function(x, indices // 2, updates, ROWS if x.ndim == 2 else POINTS)

    return run


def block(x):
    return tuple((n + 1) // 2 for n in x.shape)


# name: function of x and the table's name, dtypes, shapes, tables
ALL = ["bool"] + REAL + COMPLEX
OPS = {
    "sort": (lambda x, k: lax.sort(x), ALL, SHAPES, ["plain", "special"]),
    "sort_first": (lambda x, k: lax.sort(x, dimension=0), ["float32", "int16"], SHAPES, ["special"]),
    "sort_keys": (lambda x, k: lax.sort((x, elements("int8", x.shape, 3, "plain"), lax.broadcasted_iota(jnp.int32, x.shape, 0)), dimension=0, num_keys=2), ALL, SHAPES, ["special"]),
    "argsort": (lambda x, k: jnp.argsort(x).astype(jnp.int32), REAL, SHAPES, ["special"]),
    "top_k": (lambda x, k: lax.top_k(x, (x.shape[-1] + 1) // 2), REAL, SHAPES, ["plain", "special"]),
    "cumsum": (lambda x, k: lax.cumsum(x), REAL + COMPLEX, SHAPES, ["plain"]),
    "cumsum_last": (lambda x, k: lax.cumsum(x, x.ndim - 1, reverse=True), REAL + COMPLEX, SHAPES, ["plain"]),
    "cumprod": (lambda x, k: lax.cumprod(x), REAL, SHAPES[:-1], ["factors"]),
    "cummax": (lambda x, k: lax.cummax(x), REAL, SHAPES, ["plain", "special"]),
    "cummin": (lambda x, k: lax.cummin(x, x.ndim - 1, reverse=True), REAL, SHAPES, ["plain", "special"]),
    "cumlogsumexp": (lambda x, k: lax.cumlogsumexp(x), ["float32", "float64"], SHAPES, ["plain"]),
    "pad": (lambda x, k: lax.pad(x, elements(x.dtype, (), 5, k), [(1, 2, 1), (-1, 3, 0)][: x.ndim]), ALL, SHAPES[:-2] + SHAPES[-1:], ["special"]),
    "dynamic_update_slice": (lambda x, k: lax.dynamic_update_slice(x, elements(x.dtype, block(x), 4, k), [jnp.int32(2)] * x.ndim), ALL, SHAPES, ["special"]),
    "scatter": (scatter(lax.scatter), ALL, SHAPES, ["special"]),
    "scatter_add": (scatter(lax.scatter_add), REAL + COMPLEX, SHAPES, ["plain"]),
    "scatter_mul": (scatter(lax.scatter_mul), REAL + COMPLEX, SHAPES, ["plain"]),
    "scatter_min": (scatter(lax.scatter_min), ["bool"] + REAL, SHAPES, ["special"]),
    "scatter_max": (scatter(lax.scatter_max), ["bool"] + REAL, SHAPES, ["special"]),
    "reduce_sum": (lambda x, k: lax.reduce_sum(x, (0,)), REAL + COMPLEX, SHAPES, ["plain"]),
    "reduce_prod": (lambda x, k: lax.reduce_prod(x, (0,)), REAL + COMPLEX, SHAPES[:-1], ["factors"]),
    "reduce_max": (lambda x, k: lax.reduce_max(x, (x.ndim - 1,)), ["bool"] + REAL, SHAPES, ["plain", "special"]),
    "reduce_min": (lambda x, k: lax.reduce_min(x, (x.ndim - 1,)), ["bool"] + REAL, SHAPES, ["plain", "special"]),
    "reduce_and": (lambda x, k: lax.reduce_and(x, (0,)), ["bool"] + INTS, SHAPES, ["special"]),
    "reduce_or": (lambda x, k: lax.reduce_or(x, (0,)), ["bool"] + INTS, SHAPES, ["special"]),
    "reduce_xor": (lambda x, k: lax.reduce_xor(x, (0,)), ["bool"] + INTS, SHAPES, ["special"]),
    "argmax": (lambda x, k: lax.argmax(x, x.ndim - 1, jnp.int32), ["bool"] + REAL, SHAPES[1:7] + SHAPES[-1:], ["plain", "special"]),
    "argmin": (lambda x, k: lax.argmin(x, 0, jnp.int32), ["bool"] + REAL, SHAPES[1:7] + SHAPES[-1:], ["plain", "special"]),
    "dot": (lambda x, k: lax.dot(x, elements(x.dtype, (x.shape[1], 9), 6, k)), ALL, MATRICES, ["dots"]),
    "dot_vector": (lambda x, k: lax.dot(x, elements(x.dtype, x.shape[1:], 6, k)), ALL, MATRICES, ["dots"]),
    "dot_wide": (lambda x, k: lax.dot_general(x, elements(x.dtype, x.shape, 6, k), (((1,), (1,)), ((), ())), preferred_element_type=jnp.int32 if jnp.issubdtype(x.dtype, jnp.integer) else jnp.float32), ["int8", "uint8", "int16", "float16", "bfloat16"], MATRICES, ["dots"]),
    "dot_batch": (lambda x, k: lax.dot_general(x, elements(x.dtype, x.shape + (4,), 6, k), (((1,), (1,)), ((0,), (0,)))), REAL + COMPLEX, MATRICES, ["dots"]),
}


def part(value):
    value = np.asarray(value)
    flat = value.ravel()
    step = max(1, -(-flat.size // 48))
    flat = flat[::step]
    if jnp.issubdtype(value.dtype, jnp.complexfloating):
        words = [repr(float(p)) for v in flat for p in (v.real, v.imag)]
    elif jnp.issubdtype(value.dtype, jnp.floating):
        words = [repr(float(v)) for v in flat]
    else:
        words = [str(int(v)) for v in flat]
    return " ".join([str(value.dtype), "x".join(map(str, value.shape)) or "scalar"] + words)


def main():
    for name, (function, dtypes, shapes, tables) in OPS.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        for dtype in dtypes:
            for shape in shapes:
                for table in tables:
                    if table != tables[0] and dtype == "bool":
                        continue
                    x = elements(dtype, shape, 1, table)
                    try:
                        results = jax.tree.leaves(jax.jit(lambda x: function(x, table))(x))
                    except Exception as e:
                        raise RuntimeError(f"{name} {dtype} {shape}") from e
                    print(" | ".join(["%s %s %s %s" % (name, dtype, "x".join(map(str, shape)), table)] + [part(r) for r in results]))


if __name__ == "__main__":
    main()
