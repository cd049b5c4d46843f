"""What the rows of the table of primitives mean: in JAX, and in NumPy where that can judge JAX."""
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import ad_util
from jax.extend.random import threefry2x32_p

# ---- JAX


def half(shape):
    return tuple((n + 1) // 2 for n in shape)


def gather_rows(mode):
    def run(x, indices):
        numbers = lax.GatherDimensionNumbers((1,) if x.ndim == 2 else (), (0,), (0,))
        return lax.gather(x, indices, numbers, (1,) + x.shape[1:], mode=mode)

    return run


def gather_windows(x, indices):
    axes = tuple(range(x.ndim))
    numbers = lax.GatherDimensionNumbers(tuple(a + 1 for a in axes), (), axes)
    return lax.gather(x, indices, numbers, half(x.shape), mode="clip")


def scatter_rows(scatter):
    return lambda x, indices, updates: scatter(x, indices, updates, lax.ScatterDimensionNumbers((1,) if x.ndim == 2 else (), (0,), (0,)))


def scatter_windows(scatter):
    def run(x, indices, updates):
        axes = tuple(range(x.ndim))
        return scatter(x, indices, updates, lax.ScatterDimensionNumbers(tuple(a + 1 for a in axes), (), axes), mode="clip")

    return run


def larger(a, b):
    takes = (a[0] > b[0]) | (a[0] == b[0]) & (a[1] < b[1])
    return lax.select(takes, a[0], b[0]), lax.select(takes, a[1], b[1])


def each(run):
    return lambda x: [run(x[i]) for i in range(x.shape[0])]


def random_bits(words, x):
    return jax.random.bits(jax.random.wrap_key_data(words), x.shape, x.dtype)


FORMS = {
    "add_any": ad_util.add_jaxvals_p.bind,
    "and": lax.bitwise_and, "or": lax.bitwise_or, "xor": lax.bitwise_xor, "not": lax.bitwise_not, "copy": jnp.copy,
    "round even": lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
    "pow int32": lax.pow,
    "select_n": lambda which, *cases: lax.select_n(which, *cases),
    "select_n int32": lambda which, *cases: lax.select_n(which, *cases),
    "broadcast_in_dim": lambda x: lax.broadcast_in_dim(x, (3,) + x.shape + (2,), tuple(range(1, x.ndim + 1))),
    "concatenate": lambda x, y: lax.concatenate([x, y, x], 0),
    "dynamic_slice": lambda x, *starts: lax.dynamic_slice(x, starts, half(x.shape)),
    "dynamic_slice uint8": lambda x, *starts: lax.dynamic_slice(x, starts, half(x.shape)),
    "dynamic_update_slice": lambda x, update, *starts: lax.dynamic_update_slice(x, update, starts),
    "dynamic_update_slice int64": lambda x, update, *starts: lax.dynamic_update_slice(x, update, starts),
    "gather clip": gather_rows("clip"), "gather fill": gather_rows("fill"), "gather windows": gather_windows,
    "iota": lambda x: lax.broadcasted_iota(x.dtype, x.shape, x.ndim - 1),
    "pad": lambda x, value: lax.pad(x, value, [(1, 2, 1), (-1, 3, 0)][: x.ndim]),
    "reshape": lambda x: lax.reshape(x, (1, x.size, 1)),
    "rev": lambda x: lax.rev(x, tuple(range(x.ndim))),
    "rev last": lambda x: lax.rev(x, (x.ndim - 1,)),
    "scatter windows": scatter_windows(lax.scatter), "scatter-add windows": scatter_windows(lax.scatter_add),
    "scatter": scatter_rows(lax.scatter), "scatter-add": scatter_rows(lax.scatter_add), "scatter-max": scatter_rows(lax.scatter_max),
    "scatter-min": scatter_rows(lax.scatter_min), "scatter-mul": scatter_rows(lax.scatter_mul), "scatter-sub": scatter_rows(lax.scatter_sub),
    "slice": lambda x: lax.slice(x, (x.shape[0] // 4, 0)[: x.ndim], x.shape, (2,) if x.ndim == 1 else (1, 3)),
    "split": lambda x: lax.split(x, [x.shape[0] // 3, x.shape[0] - x.shape[0] // 3], 0),
    "squeeze": lambda x: lax.squeeze(x, (x.ndim - 1,)),
    "stack": lambda x, y: lax.stack([x, y, x], x.ndim),
    "tile": lambda x: lax.tile(x, (3,) if x.ndim == 1 else (2, 3)),
    "transpose": lambda x: lax.transpose(x, tuple(range(x.ndim))[::-1]),
    "unstack": lambda x: lax.unstack(x, x.ndim - 1),
    "argmax": lambda x: lax.argmax(x, x.ndim - 1, jnp.int32), "argmax first": lambda x: lax.argmax(x, 0, jnp.int64),
    "argmin": lambda x: lax.argmin(x, x.ndim - 1, jnp.int32), "argmin first": lambda x: lax.argmin(x, 0, jnp.uint8),
    "dot_general": lax.dot, "dot_general vector": lax.dot,
    "dot_general wide": lambda x, y: lax.dot_general(
        x, y, (((1,), (1,)), ((), ())), preferred_element_type=jnp.int64 if jnp.issubdtype(x.dtype, jnp.integer) else jnp.float32),
    "dot_general batch": lambda x, y: lax.dot_general(x, y, (((1,), (1,)), ((0,), (0,)))),
    "reduce": lambda x, init: lax.reduce(x, init, lambda a, b: lax.max(b, a), (0,)),
    "reduce two": lambda x, at, init, none: lax.reduce((x, at), (init, none), larger, (0,)),
    "sort first": lambda x: lax.sort(x, dimension=0),
    "sort keys": lambda *x: lax.sort(x, dimension=0, num_keys=2),
    "top_k": lambda x: lax.top_k(x, (x.shape[-1] + 1) // 2),
    "random_bits": random_bits,
    "random_fold_in": lambda words, x: each(lambda data: jax.random.fold_in(jax.random.wrap_key_data(words), data))(x),
    "random_seed": each(jax.random.key),
    "random_split": lambda words, x: jax.random.split(jax.random.wrap_key_data(words), x.shape),
    "random_unwrap": lambda words: jax.random.key_data(jax.random.wrap_key_data(words)),
    "random_wrap": jax.random.wrap_key_data,
    "threefry2x32": threefry2x32_p.bind,
}


def function(name):
    """The row's function in JAX."""
    if name in FORMS:
        return FORMS[name]
    primitive, *form = name.split(" ")
    if primitive in ("convert_element_type", "bitcast_convert_type"):
        return lambda x: getattr(lax, primitive)(x, form[0].rstrip("_"))
    if primitive in ("reduce_precision", "integer_pow"):
        return lambda x: getattr(lax, primitive)(x, *map(int, form))
    plain = getattr(lax, primitive)
    if primitive.startswith("cum"):
        return lambda x: plain(x, x.ndim - 1 if form else 0, reverse=bool(form))
    if primitive.startswith("reduce_"):
        return lambda x: plain(x, (x.ndim - 1 if form else 0,))
    return plain


# ---- NumPy, in a wider format


def nan_last(x):  # -0.0 equals 0.0, as in a sort
    return np.sort(x, axis=-1, kind="stable")


def sort_keys(x, second, third):
    order = np.lexsort((second, x + 0.0), axis=0)
    return [np.take_along_axis(part, order, 0) for part in (x, second, third)]


def top_k(x):
    size = (x.shape[-1] + 1) // 2
    order = np.lexsort((np.signbit(x), -np.where(np.isnan(x), np.inf, x), ~np.isnan(x)), axis=-1)[..., :size]
    return [np.take_along_axis(x, order, -1), order.astype(np.int32)]


def scatter_by(combine):
    def run(x, indices, updates):
        out = x.copy()
        for index, update in zip(indices[:, 0], updates):
            if 0 <= index < len(x):
                out[index] = combine(out[index], update)
        return out

    return run


def convert(x, dtype):
    if dtype == "bool_":
        return x != 0
    return x.astype(dtype) if dtype.startswith("complex") else x.real


NUMPY = {
    "neg": np.negative, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "rem": np.fmod, "max": np.maximum, "min": np.minimum,
    "pow": np.power, "pow int32": np.power, "atan2": np.arctan2, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "rsqrt": lambda x: 1 / np.sqrt(x),
    "logistic": lambda x: 1 / (1 + np.exp(-x)), "round even": np.rint, "is_finite": np.isfinite,
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "round": lambda x: np.copysign(np.where(np.abs(x) < 2.0**52, np.floor(np.abs(x) + 0.5), np.abs(x)), x),
    "integer_pow 3": lambda x: x * x * x, "integer_pow 5": lambda x: x * ((x * x) * (x * x)), "integer_pow -2": lambda x: 1 / (x * x),
    "clamp": lambda low, x, high: np.minimum(np.maximum(low, x), high), "copy": lambda x: x, "stop_gradient": lambda x: x,
    "erf": np.vectorize(math.erf, otypes=[float]), "erfc": np.vectorize(math.erfc, otypes=[float]),
    "lgamma": np.vectorize(lambda x: math.inf if np.isinf(x) or x <= 0 and x == np.floor(x) else math.lgamma(x), otypes=[float]),
    "sort": nan_last, "sort first": lambda x: np.sort(x, axis=0, kind="stable"),
    "cummax": lambda x: np.maximum.accumulate(x), "cummin": lambda x: np.minimum.accumulate(x),
    "cummax reverse": lambda x: np.maximum.accumulate(x[..., ::-1], -1)[..., ::-1],
    "cummin reverse": lambda x: np.minimum.accumulate(x[..., ::-1], -1)[..., ::-1],
    "sort keys": sort_keys, "top_k": top_k, "scatter-max": scatter_by(np.maximum), "scatter-min": scatter_by(np.minimum),
    "argmax": lambda x: np.argmax(x, -1), "argmax first": lambda x: np.argmax(x, 0),
    "argmin": lambda x: np.argmin(x, -1), "argmin first": lambda x: np.argmin(x, 0),
    "reduce": lambda x, init: np.maximum(np.max(x, 0, initial=-np.inf), init),
    "reduce_max": lambda x: np.max(x, 0, initial=-np.inf), "reduce_min": lambda x: np.min(x, 0, initial=np.inf),
    "reduce_max last": lambda x: np.max(x, -1, initial=-np.inf), "reduce_min last": lambda x: np.min(x, -1, initial=np.inf),
}


def reference(name):
    """The row's function in NumPy."""
    if name in NUMPY:
        return NUMPY[name]
    primitive, *form = name.split(" ")
    if primitive == "convert_element_type":
        return lambda x: convert(x, form[0])
    return getattr(np, name)
