"""What the rows of the table of primitives mean: in JAX, and in NumPy or mpmath where these can judge JAX."""

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
from jax import lax
from jax._src.ad_util import add_jaxvals_p
from jax._src.lax.lax import one_minus_square_p
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
    takes = lax.gt(a[0], b[0]) | lax.eq(a[0], b[0]) & lax.lt(a[1], b[1])
    return lax.select(takes, a[0], b[0]), lax.select(takes, a[1], b[1])


def each(run):
    return lambda x: [run(x[i]) for i in range(x.shape[0])]


def random_bits(words, x):
    return jax.random.bits(jax.random.wrap_key_data(words), x.shape, x.dtype)


FORMS = {
    "and": lax.bitwise_and, "or": lax.bitwise_or, "xor": lax.bitwise_xor, "not": lax.bitwise_not, "copy": jnp.copy,
    "add_any": add_jaxvals_p.bind, "one_minus_square": one_minus_square_p.bind, "custom_jvp_call": jax.nn.relu,
    "jit": jax.jit(lambda a, b: lax.select(lax.ne(a, b), a, b)),
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
    "fft": lambda x: lax.fft(x, "FFT", x.shape), "fft inverse": lambda x: lax.fft(x, "IFFT", x.shape),
    "fft real": lambda x: lax.fft(x, "RFFT", x.shape), "fft real inverse": lambda x: lax.fft(x, "IRFFT", (2 * x.size - 1,)),
    "fft two": lambda x: lax.fft(x, "FFT", x.shape),
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


def nan_last(x, axis=-1):  # -0.0 equals 0.0, as in a sort; complex numbers by their real, then their imaginary parts
    order = np.lexsort((x.imag + 0.0, x.real + 0.0) if x.dtype.kind == "c" else (x,), axis=axis)
    return np.take_along_axis(x, order, axis)


def sort_keys(x, second, third):
    order = np.lexsort((second, x.imag + 0.0, x.real + 0.0) if x.dtype.kind == "c" else (second, x + 0.0), axis=0)
    return [np.take_along_axis(part, order, 0) for part in (x, second, third)]


def top_k(x):
    size = (x.shape[-1] + 1) // 2
    order = np.lexsort((np.signbit(x), -np.where(np.isnan(x), np.inf, x), ~np.isnan(x)), axis=-1)[..., :size]
    return [np.take_along_axis(x, order, -1), order.astype(np.int32)]


def reduce_two(x, at, init, none):
    """The larger value, of equal ones the smaller companion."""
    best, best_at = np.broadcast_to(init, x.shape[1:]), np.broadcast_to(none, x.shape[1:])
    for value, place in zip(x, at):
        keeps = (best > value) | (best == value) & (best_at < place)
        best, best_at = np.where(keeps, best, value), np.where(keeps, best_at, place)
    return [best, best_at]


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


def product(a, b):
    """As HLO multiplies complex numbers, in their own format: neither contracted nor rescued."""
    if a.dtype.kind != "c":
        return a * b
    out = np.empty_like(a)
    out.real = a.real * b.real - a.imag * b.imag
    out.imag = a.real * b.imag + a.imag * b.real
    return out


def rounded_to(exponent_bits, mantissa_bits):
    """Of numbers in a wider format: the nearest that a format with so many bits has."""
    bias = 2 ** (exponent_bits - 1) - 1

    def run(x):
        _, exponent = np.frexp(np.where(np.isfinite(x), x, 1))
        unit = np.exp2((np.maximum(exponent - 1, 1 - bias) - mantissa_bits).astype(x.dtype))
        nearest = np.rint(x / unit) * unit
        return np.where(np.isfinite(x), np.where(np.abs(nearest) >= 2.0 ** (bias + 1), np.copysign(np.inf, x), nearest), x)

    return run


# ---- mpmath


def exactly(f, digits=40):
    """The function of mpmath on each element; NaN where it has no value."""
    def scalar(x):
        if np.iscomplexobj(x):
            return mpmath.mpc(scalar(x.real), scalar(x.imag))
        return mpmath.mpf(float(x)) if not np.isfinite(x) else mpmath.mpf(int(np.frexp(x)[0] * np.longdouble(2.0**64))) * mpmath.mpf(2) ** (int(np.frexp(x)[1]) - 64)

    def number(x):
        return np.longdouble(str(x).strip("+")) if mpmath.isfinite(x) else np.longdouble(float(x))

    known = {}  # special values meet often

    def run(*operands):
        is_complex = any(np.iscomplexobj(x) for x in operands)
        out = np.full(operands[0].shape, np.nan, np.clongdouble if is_complex else np.longdouble)
        with mpmath.workdps(digits):
            for i in np.ndindex(out.shape):
                key = tuple(x[i].tobytes() for x in operands)
                if key not in known:
                    try:
                        value = f(*[scalar(x[i]) for x in operands])
                        known[key] = (number(mpmath.re(value)), number(mpmath.im(value))) if is_complex else (number(value), 0)
                    except (ValueError, ZeroDivisionError, OverflowError):
                        known[key] = None
                if known[key] is None:
                    continue
                if is_complex:
                    out.real[i], out.imag[i] = known[key]
                else:
                    out[i] = known[key][0]
        return out

    return run


def zeta_of_positive(s, q):
    """Hurwitz' zeta function for s > 1 and 0 < q < inf; mpmath's takes forever for large s."""
    if s <= 1000:
        return mpmath.zeta(s, q)
    if q < 100 * s:  # few terms count
        total, k = mpmath.mpf(0), 0
        while True:
            term = mpmath.exp(-s * mpmath.log1p(k / q))
            total += term
            k += 1
            if term < mpmath.mpf(10) ** -mpmath.mp.dps * total:
                return total * q**-s
    total, rising = q / (s - 1) + mpmath.mpf(1) / 2, s / q  # Euler and Maclaurin
    for j in range(1, 15):
        total += mpmath.bernoulli(2 * j) / mpmath.factorial(2 * j) * rising
        rising *= (s + 2 * j - 1) * (s + 2 * j) / q**2
    return total * q**-s


def is_whole(x):
    return mpmath.isfinite(x) and x == mpmath.floor(x)


def zeta(s, q):
    """Of any two operands; ValueError where it has no value."""
    if s == 1:
        return mpmath.inf
    if not s > 1 or mpmath.isnan(q):
        raise ValueError
    if q <= 0:
        if q == mpmath.floor(q):
            if is_whole(s) and s % 2 == 0:
                return mpmath.inf
            raise ValueError
        if not is_whole(s):
            raise ValueError
        if s % 2 == 1 and is_whole(2 * q):  # the terms of -1/2 and 1/2 cancel, and so on
            return zeta(s, 1 - q)
        count = int(mpmath.ceil(-q))
        odd = -1 if s % 2 == 1 else 1
        return odd * sum(mpmath.exp(-s * mpmath.log(-q - k)) for k in range(count)) + zeta_of_positive(s, q + count)
    if mpmath.isinf(q):
        return mpmath.mpf(0)
    if mpmath.isinf(s):
        return mpmath.mpf(0) if q > 1 else mpmath.mpf(1) if q == 1 else mpmath.inf
    return zeta_of_positive(s, q)


def polygamma(m, x):
    if not is_whole(m) or m < 0:
        raise ValueError
    if m == 0:
        return mpmath.digamma(x)
    return (-1) ** int(m + 1) * mpmath.gamma(m + 1) * zeta(m + 1, x)


def angle(y, x):
    point, squares = x + 1j * y, x * x + y * y
    return -1j * mpmath.log(point / mpmath.sqrt(squares))


def power(a, b):
    """Of complex numbers; where |a| is infinite, zero or infinity in the direction that the angle says."""
    b = np.broadcast_to(b, a.shape).astype(a.dtype)
    below = (a.imag == 0) & np.signbit(a.imag)  # mpmath has no -0.0: the other side of the cut, mirrored
    out = exactly(mpmath.power, 400)(np.where(below, np.conj(a), a), np.where(below, np.conj(b), b))
    out = np.where(below, np.conj(out), out)
    out = np.where(b == 0, 1, np.where(b == 1, a, np.where((a == 0) & (b.real != 0), np.where(b.real > 0, 0, np.inf), out)))
    out[np.isinf(np.abs(a)) & (b.imag != 0)] = np.nan + 1j * np.nan  # of no direction
    length = np.abs(a)
    for i in np.argwhere(np.isinf(length) & np.isfinite(b) & (b.imag == 0) & (b.real != 0) & (b != 1)):
        i = tuple(i)
        size = np.inf if b[i].real > 0 else 0.0
        if b[i].imag == 0 and b[i].real % 1 == 0 and 0 in (a[i].real, a[i].imag):  # quarter turns
            quarters = (2 if a[i].real < 0 else 0) if a[i].imag == 0 else 3 if a[i].imag < 0 else 1
            x, y = [(1, 0), (0, 1), (-1, 0), (0, -1)][int(quarters * b[i].real) % 4]
        else:
            turn = b[i].real * np.angle(a[i])
            x, y = np.cos(turn), np.sin(turn)
        out.real[i], out.imag[i] = x * size if x else x, y * size if y else y
    return out


def pow_of(a, b):
    return power(a, b) if np.iscomplexobj(a) else np.power(a, b)


def quotient(a, b):
    """Of complex numbers as C99, Annex G, says: what is infinite in a part stays so over a finite number."""
    out = np.divide(a, b)
    if not np.iscomplexobj(a):
        return out
    lost = (np.isinf(a.real) | np.isinf(a.imag)) & np.isfinite(b)
    unit = lambda x: np.where(np.isinf(x), np.copysign(1, x), np.copysign(0, x))
    x, y, u, v = unit(a.real), unit(a.imag), b.real, b.imag
    rescued = np.empty_like(out)
    rescued.real, rescued.imag = np.inf * (x * u + y * v), np.inf * (y * u - x * v)
    return np.where(lost & np.isnan(out), rescued, out)


def logistic(x):
    return np.where(np.isneginf(x.real), 0, 1 / (1 + np.exp(-x)))  # in the limit 0 whatever the imaginary part


def by_parts(of_real, of_parts):
    """lax.sin and lax.cos of complex numbers: products of functions of the parts, in their own format."""
    def run(x):
        if not np.iscomplexobj(x):
            return of_real(x.astype(np.longdouble))
        up, down = np.expm1(x.imag), np.expm1(-x.imag)
        out = np.empty_like(x)
        out.real, out.imag = of_parts(np.sin(x.real), np.cos(x.real), (up - down) / 2, (up + down + 2) / 2)
        axis = out.real if of_real is np.sin else out.imag
        axis[x.real == 0] = 0
        return out

    return run


def exp2(x):
    """Of complex numbers: exp(x log 2), the product in their own format."""
    if not np.iscomplexobj(x):
        return np.exp2(x.astype(np.longdouble))
    scaled = np.empty(x.shape, np.clongdouble)
    scaled.real, scaled.imag = (part * part.dtype.type(np.log(2)) for part in (x.real, x.imag))
    return np.exp(scaled)


def along(run, reverse):
    """Along the rows, from their ends, or along the columns."""
    return (lambda x: run(x[..., ::-1], x.ndim - 1)[..., ::-1]) if reverse else lambda x: run(x, 0)


def log_of_sums(x, axis):
    return np.log(np.cumsum(np.exp(x), axis))


def lost_in_sums(x, axis):
    return np.cumsum(np.exp(x.real), axis) / np.abs(np.cumsum(np.exp(x), axis))


# By what rounding errors grow where terms cancel: of complex operands in a wider format.
CONDITION = {"cumlogsumexp": along(lost_in_sums, False), "cumlogsumexp reverse": along(lost_in_sums, True)}

# Computed in the operands' own format.
OWN_FORMAT = {"nextafter": np.nextafter, "mul": product, "exp2": exp2,
              "sin": by_parts(np.sin, lambda sin, cos, sinh, cosh: (sin * cosh, cos * sinh)),
              "cos": by_parts(np.cos, lambda sin, cos, sinh, cosh: (cos * cosh, -sin * sinh)),
              "one_minus_square": lambda x: product(1 + x, 1 - x), "integer_pow 3": lambda x: product(product(x, x), x),
              "integer_pow 5": lambda x: product(x, product(product(x, x), product(x, x)))}

NUMPY = {
    "add_any": np.add, "custom_jvp_call": lambda x: np.maximum(x, 0),
    "neg": np.negative, "sub": np.subtract, "div": quotient, "rem": np.fmod, "max": np.maximum, "min": np.minimum,
    "pow": pow_of, "pow int32": pow_of, "atan2": lambda y, x: exactly(angle, 700)(y, x) if np.iscomplexobj(y) else np.arctan2(y, x), "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "rsqrt": lambda x: 1 / np.sqrt(x),
    "logistic": logistic, "jit": lambda a, b: np.where(a != b, a, b), "round even": np.rint, "is_finite": np.isfinite,
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "round": lambda x: np.copysign(np.where(np.abs(x) < 2.0**52, np.floor(np.abs(x) + 0.5), np.abs(x)), x),
    "integer_pow -2": lambda x: 1 / (x * x),
    "clamp": lambda low, x, high: np.minimum(np.maximum(low, x), high), "copy": lambda x: x, "stop_gradient": lambda x: x,
    "erf": exactly(mpmath.erf), "erfc": exactly(mpmath.erfc), "erf_inv": exactly(mpmath.erfinv), "digamma": exactly(mpmath.digamma),
    "polygamma": exactly(polygamma), "polygamma order": exactly(polygamma), "zeta": exactly(zeta),
    "lgamma": exactly(lambda x: mpmath.inf if mpmath.isinf(x) or x <= 0 and x == mpmath.floor(x) else mpmath.re(mpmath.loggamma(x))),
    "reduce_precision 5 10": rounded_to(5, 10), "reduce_precision 5 7": rounded_to(5, 7), "reduce_precision 8 7": rounded_to(8, 7), "reduce_precision 4 3": rounded_to(4, 3),
    "sort": nan_last, "sort first": lambda x: nan_last(x, 0),
    "cummax": lambda x: np.maximum.accumulate(x), "cummin": lambda x: np.minimum.accumulate(x),
    "cummax reverse": lambda x: np.maximum.accumulate(x[..., ::-1], -1)[..., ::-1],
    "cummin reverse": lambda x: np.minimum.accumulate(x[..., ::-1], -1)[..., ::-1],
    "sort keys": sort_keys, "top_k": top_k, "scatter-max": scatter_by(np.maximum), "scatter-min": scatter_by(np.minimum),
    "argmax": lambda x: np.argmax(x, -1), "argmax first": lambda x: np.argmax(x, 0),
    "argmin": lambda x: np.argmin(x, -1), "argmin first": lambda x: np.argmin(x, 0),
    "cumprod": along(np.multiply.accumulate, False), "cumprod reverse": along(np.multiply.accumulate, True),
    "reduce_prod": lambda x: np.prod(x, 0), "reduce_prod last": lambda x: np.prod(x, -1),
    "reduce two": reduce_two,
    "reduce": lambda x, init: np.maximum.reduce([np.broadcast_to(init, x.shape[1:]), *x]),
    "reduce_max": lambda x: np.max(x, 0, initial=-np.inf), "reduce_min": lambda x: np.min(x, 0, initial=np.inf),
    "reduce_max last": lambda x: np.max(x, -1, initial=-np.inf), "reduce_min last": lambda x: np.min(x, -1, initial=np.inf),
}


def reference(name):
    """The row's function in NumPy, of operands in a wider format."""
    if name in NUMPY:
        return NUMPY[name]
    primitive, *form = name.split(" ")
    if primitive == "convert_element_type":
        return lambda x: convert(x, form[0])
    return getattr(np, name)
