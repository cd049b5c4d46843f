"""Judges the table of oracle_table (argv[1]: its output directory) by JAX and NumPy.

Each primitive on each dtype: our values are JAX's within the tolerance of the primitive, or, where
they are not, those of NumPy in the next wider format (XLA flushes subnormal numbers, and has
errors of its own); what we refuse JAX refuses too, and the other way round. Prints the totals, and
a line for each pair that does not agree.
"""
import collections
import math
import pathlib
import sys
import warnings

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
warnings.simplefilter("ignore")

EVEN = lax.RoundingMethod.TO_NEAREST_EVEN
SPECIAL = {
    "round_even": lambda x: lax.round(x, EVEN),
    "copy": lambda x: jnp.copy(x),
    "stop_gradient": lambda x: x,
    "integer_pow_3": lambda x: lax.integer_pow(x, 3),
    "integer_pow_5": lambda x: lax.integer_pow(x, 5),
    "integer_pow_-2": lambda x: lax.integer_pow(x, -2),
    "select_n": lambda x, y: lax.select_n(x == y, x, y),
}
# Units in the last place that JAX's values, of limited accuracy themselves, may differ; the rest: 0.
ULP = dict.fromkeys("exp exp2 expm1 log log1p log2 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh logistic "
                    "sqrt rsqrt cbrt erf erfc erf_inv lgamma digamma pow atan2 integer_pow_-2".split(), 8)
# What the names mean in NumPy, for values where JAX disagrees.
NUMPY = {
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh, "atan2": np.arctan2, "neg": np.negative, "sub": np.subtract, "mul": np.multiply,
    "div": np.divide, "max": np.maximum, "min": np.minimum, "pow": np.power, "rem": np.fmod,
    "rsqrt": lambda x: 1 / np.sqrt(x), "logistic": lambda x: 1 / (1 + np.exp(-x)), "round_even": np.rint,
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "square": lambda x: x * x, "integer_pow_3": lambda x: x * x * x, "integer_pow_-2": lambda x: 1 / (x * x),
    "integer_pow_5": lambda x: x * ((x * x) * (x * x)), "is_finite": np.isfinite, "select_n": lambda x, y: y,
    "clamp": lambda low, x, high: np.minimum(np.maximum(low, x), high), "copy": lambda x: x, "stop_gradient": lambda x: x,
    "erf": np.vectorize(math.erf, otypes=[float]), "erfc": np.vectorize(math.erfc, otypes=[float]),
    "lgamma": np.vectorize(lambda x: math.inf if x <= 0 and x == math.floor(x) else math.lgamma(x), otypes=[float]),
    "round": lambda x: np.copysign(np.where(np.abs(x) < 2.0**52, np.floor(np.abs(x) + 0.5), np.abs(x)), x),
    "nextafter": np.nextafter,
}


def jax_function(name):
    if name in SPECIAL:
        return SPECIAL[name]
    if name.startswith("convert_"):
        return lambda x: lax.convert_element_type(x, name[8:].rstrip("_"))
    if name.startswith("bitcast_"):
        return lambda x: lax.bitcast_convert_type(x, name[8:])
    if name.startswith("reduce_precision_"):
        bits = [int(b) for b in name.split("_")[2:]]
        return lambda x: lax.reduce_precision(x, *bits)
    return getattr(lax, name)


def load(path):
    array = np.load(path)
    return array.view(ml_dtypes.bfloat16) if array.dtype == np.dtype("V2") else array


def parts(array):
    """Complex numbers as pairs of real ones."""
    if array.dtype.kind != "c":
        return array
    return array.view(np.float32 if array.dtype == np.complex64 else np.float64)


def ulps(dtype, want):
    """One unit in the last place of each number, subnormal ones included."""
    info = ml_dtypes.finfo(dtype)
    size = np.abs(np.asarray(want, np.longdouble))
    exponent = np.floor(np.log2(np.where(size > 0, size, 1)))
    exponent = np.maximum(exponent, float(info.minexp))
    return np.exp2(exponent - info.nmant).astype(np.longdouble)


def agrees(got, want, dtype, tolerance, complex_size=None):
    """Elementwise: equal, both NaN, or near. `want` may be of a wider format."""
    got, wide = np.asarray(got, np.longdouble), np.asarray(want, np.longdouble)
    rounded = np.asarray(want).astype(dtype).astype(np.longdouble)
    same = (got == rounded) & ((got != 0) | (np.signbit(got) == np.signbit(rounded))) | np.isnan(got) & np.isnan(rounded)
    if tolerance == 0:
        return same
    unit = ulps(dtype, wide if complex_size is None else complex_size)
    near = np.abs(got - wide) <= tolerance * unit
    largest = float(ml_dtypes.finfo(dtype).max)
    over = np.isinf(got) & (np.abs(wide) > largest * (1 - 2.0 ** (3 - ml_dtypes.finfo(dtype).nmant))) & (np.signbit(got) == np.signbit(wide))
    over |= np.isinf(wide) & (np.abs(got) > largest * (1 - 2.0 ** (3 - ml_dtypes.finfo(dtype).nmant))) & (np.signbit(got) == np.signbit(wide))
    return same | near | over


def wider(array):
    kind = array.dtype
    if kind == np.complex64:
        return array.astype(np.complex128)
    if kind == np.complex128:
        return array.astype(np.clongdouble)
    if kind == np.float64:
        return array.astype(np.longdouble)
    if kind.kind in "fV" or kind == ml_dtypes.bfloat16:
        return array.astype(np.float64)
    return array


def judge(directory, name, dtype, operands):
    x = [load(directory / f"{name}.{dtype}.{k}.npy") for k in range(operands)]
    got = load(directory / f"{name}.{dtype}.out.npy")
    want = np.asarray(jax.jit(jax_function(name))(*x))
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype}{got.shape} against {want.dtype}{want.shape}", 0
    is_float = want.dtype.kind in "fcV" or want.dtype == ml_dtypes.bfloat16
    if not is_float:
        good = got == want
        result_type, g, w = want.dtype, got, want
    else:
        g, w = parts(got), parts(want)
        result_type = g.dtype
        tolerance = ULP.get(name, 0)
        size = None
        if got.dtype.kind == "c":
            tolerance = 32 if name in ULP else 4 if name in ("div", "mul", "square", "sign", "abs") or "pow" in name else 0
            size = np.repeat(np.maximum(np.abs(w.reshape(-1, 2)[:, 0]), np.abs(w.reshape(-1, 2)[:, 1])), 2).reshape(w.shape)
            size = np.where(np.isfinite(size), size, np.abs(w))
        elif x[0].dtype.kind == "c":
            tolerance = 4 if name == "abs" else 0
        good = agrees(g, w, result_type, tolerance, size)
    by_numpy = 0
    if not good.all():
        function = NUMPY.get(name) or (getattr(np, name) if hasattr(np, name) else None)
        if function is not None and is_float:
            try:
                reference = function(*[wider(v) for v in x])
                if name == "nextafter":
                    reference = np.nextafter(*x)
                reference = parts(np.asarray(reference)) if np.asarray(reference).dtype != np.clongdouble else np.stack([reference.real, reference.imag], -1).reshape(g.shape)
                size = None
                if got.dtype.kind == "c":
                    pairs = np.abs(np.asarray(reference, np.longdouble).reshape(-1, 2))
                    size = np.repeat(pairs.max(-1), 2).reshape(g.shape)
                    size = np.where(np.isfinite(size), size, np.abs(reference))
                also = agrees(g, reference, result_type, max(4 if name in ULP else 0, 8 if got.dtype.kind == "c" else 0), size)
                by_numpy = int((~good & also).sum())
                good = good | also
            except TypeError:
                pass
    if good.all():
        return "", by_numpy
    bad = np.argwhere(~good.reshape(-1))[:, 0]
    i = int(bad[0])
    flat = [np.asarray(v).reshape(-1) for v in x]
    at = i // (g.size // got.size) if g.size != got.size else i
    shown = ", ".join(str(v[min(at * v.size // max(got.size, 1), v.size - 1)]) for v in flat)
    return f"{len(bad)} of {g.size} differ; first at {shown}: got {g.reshape(-1)[i]}, JAX {w.reshape(-1)[i]}", by_numpy


def refuses(name, dtype):
    operands = 3 if name == "clamp" else 2 if name in ("select_n",) else None
    for count in [operands] if operands else (1, 2):
        try:
            jax.eval_shape(jax_function(name), *[jax.ShapeDtypeStruct((8,), dtype)] * count)
            return False
        except (TypeError, ValueError) as error:
            if "argument" in str(error) and "positional" in str(error):
                continue
    return True


def main():
    directory = pathlib.Path(sys.argv[1])
    totals = collections.Counter()
    for line in (directory / "table.tsv").read_text().splitlines():
        name, dtype, what, *message = line.split("\t")
        totals["pairs"] += 1
        if what == "refused":
            if refuses(name, dtype):
                totals["refused, as by JAX"] += 1
                continue
            problem = "refused: " + message[0]
        elif what == "failed":
            problem = "failed: " + message[0]
        else:
            problem, by_numpy = judge(directory, name, dtype, int(what))
            totals["elements of the true value where JAX has another"] += by_numpy
        if problem:
            totals["wrong"] += 1
            print(f"{name} {dtype}: {problem}")
        else:
            totals["agree"] += 1
    print("; ".join(f"{key}: {count}" for key, count in totals.items()))
    sys.exit(1 if totals["wrong"] or not totals["agree"] else 0)


if __name__ == "__main__":
    main()
