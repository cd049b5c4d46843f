"""Where JAX 0.12 on a CPU is wrong: its value counts no longer there, that of table_functions.reference does."""
import dataclasses
import re

import ml_dtypes
import numpy as np


def some_operand(is_so):
    """Where a part of an operand is so."""
    def applies(case, by_jax, right, got):
        both = [is_so(x.real) | is_so(x.imag) if x.dtype.kind == "c" else is_so(x) for _, x in case.inputs]
        return np.any([np.broadcast_to(x, got.shape) for x in both], axis=0)

    return applies


def has_nan(case, by_jax, right, got):
    return np.isnan(by_jax)


def everywhere(case, by_jax, right, got):
    return np.ones(got.shape, bool)


def one_row(case, by_jax, right, got):
    return np.full(got.shape, case.inputs[0][1].shape[0] == 1)


def is_zero_or_infinite(part):
    return (part == 0) | np.isinf(part)


def some_nan(case, by_jax, right, got):
    """Where an operand has a NaN anywhere."""
    return np.full(got.shape, any(np.isnan(x.astype(np.complex128)).any() for _, x in case.inputs))


def overflows(part):
    """Squared, or as the argument of exp."""
    if part.dtype.kind != "f":
        return np.zeros(part.shape, bool)
    size = np.abs(part.astype(np.longdouble))
    info = ml_dtypes.finfo(part.dtype)
    return np.isfinite(part) & ((size > np.log(float(info.max)) - 1) | (size > 0) & (size < float(info.tiny) ** 0.5 * 4))


def inexact(units):
    """Where JAX's value is off by at most so many units of the last place of 1 + its size."""
    def close(jax, right, eps):
        error, size = np.abs(jax.astype(right.dtype) - right), np.abs(right)
        return (np.isfinite(error) & (error <= units * eps * (1 + size))) | (jax == right.astype(jax.dtype))

    def applies(case, by_jax, right, got):
        eps = float(ml_dtypes.finfo(got.dtype).eps)
        if by_jax.dtype.kind != "c":
            return close(by_jax, right, eps)
        size = np.maximum(*(np.where(np.isfinite(x.astype(got.real.dtype)), np.abs(x), 0) for x in (right.real, right.imag)))
        return close(by_jax.real, right.real, eps * (1 + size)) & close(by_jax.imag, right.imag, eps * (1 + size))

    return applies


def subnormal(array):
    if array.dtype.kind not in "fcV" and array.dtype != ml_dtypes.bfloat16:
        return np.zeros(array.shape, bool)
    if array.dtype.kind == "c":
        return subnormal(array.real) | subnormal(array.imag)
    size = np.abs(array.astype(np.longdouble))
    return (size > 0) & (size < float(ml_dtypes.finfo(array.dtype).tiny))


def flushed(case, by_jax, right, got):
    """Where an operand or our result is subnormal; everywhere when elements of the result depend on many operands."""
    if case.name.startswith(("sort", "cum")) or any(x.shape != got.shape for _, x in case.inputs):
        return any(subnormal(x).any() for _, x in case.inputs) or subnormal(got).any()
    return np.any([subnormal(x) for _, x in case.inputs] + [subnormal(got)], axis=0)


@dataclasses.dataclass(frozen=True)
class Rule:
    rows: str
    dtypes: str
    reason: str

    def covers(self, name, dtype):
        return bool(re.fullmatch(self.rows, name) and re.fullmatch(self.dtypes, dtype))


@dataclasses.dataclass(frozen=True)
class Fault(Rule):
    applies: object  # (case, JAX's, the right, our results) -> which elements


@dataclasses.dataclass(frozen=True)
class Open(Rule):
    accepts: object  # (case, our results, the right, near) -> which elements


FAULTS = [
    Fault(".*", "(float|bfloat|complex).*", "XLA flushes subnormal operands and results to zero", flushed),
    Fault("a(sin|cos|tan)h?|sqrt", "complex.*", "XLA takes the sign of a zero for +: the other side of a branch cut", some_operand(is_zero_or_infinite)),
    Fault("a?(sin|cos|tan)h?|exp2?|log(1p|2|istic)?|pow.*", "complex.*", "XLA has NaN or a number beside a NaN where C99 has the other", some_operand(np.isnan)),
    Fault("sinh|cosh|tanh?|exp2?|log1p|logistic|pow.*|div", "complex.*", "XLA has NaN of an infinite operand where C99, or the limit, has 0 or infinity", some_operand(np.isinf)),
    Fault("clamp", "complex.*", "XLA compares with NaN and takes the other, and with bounds by their real parts", everywhere),
    Fault("a(cos|tan)h?|atan2|div|sign|pow.*|exp2|expm1|log1p|sin|cos", "complex.*", "XLA's formula overflows or underflows on the way", some_operand(overflows)),
    Fault("atan2", "complex.*", "XLA has NaN where the angle is infinite, and the other side of a cut", everywhere),
    Fault("mul|integer_pow [35]|one_minus_square", "complex.*", "XLA contracts, and flushes products", everywhere),
    Fault("sinh|cosh", "float(32|64)|complex.*", "XLA's exp(x + log(1/2)) errs by |x| units", inexact(1024)),
    Fault("atan2|pow.*", "complex.*", "XLA's logarithms and angles lose digits", inexact(2**17)),
    Fault("pow.*", "complex.*", "XLA has NaN of zero to a negative power", some_operand(lambda part: part == 0)),
    Fault("(cum|reduce_)prod.*", "float16|complex.*", "products overflow on the way in XLA's order", everywhere),
    Fault("(reduce_|cum)(max|min).*", "complex.*", "XLA's comparisons lose a NaN", some_nan),
    Fault("reduce_(max|min).*", "float32", "XLA loses a NaN in a long reduction", some_nan),
    Fault("reduce( two)?", "u?int.*|complex.*", "XLA compares the one element of a reduction as if it were signed, or real", one_row),
    Fault("reduce", "complex.*", "where a comparison with NaN is in the body, the order of a reduction shows", some_nan),
    Fault("polygamma.*|zeta", "(float|bfloat).*", "XLA has NaN where there is a limit, or infinity times 0 on the way", has_nan),
    Fault("polygamma.*|zeta", "(float|bfloat).*", "XLA loses terms at negative and large points, and whether large orders are odd", everywhere),
    Fault("polygamma.*|zeta", "float(32|64)", "XLA's product and sum err by more than 8 units", inexact(64)),
    Fault("digamma|lgamma", "float(32|64)", "XLA's Lanczos sum errs by more than 8 units", inexact(64)),
    Fault("erfc|erf_inv", "float32", "XLA's polynomials err by more than 8 units", inexact(64)),
]

def any_direction(case, got, right, near):
    """Infinite both; and where the angle is beyond what its digits resolve, of the same size."""
    base, power = (np.asarray(x, np.complex128) for _, x in case.inputs)
    turn = np.abs(power) * np.maximum(np.abs(np.log(np.abs(base))), 1)
    return np.isinf(got) & np.isinf(right.astype(got.dtype)) | (turn > 2.0**50) & near(np.abs(got), np.abs(right), 4096, False)


def either_side(case, got, right, near):
    turns = np.round((got.real - right.real) / np.longdouble(np.pi))
    return near((got - turns * np.longdouble(np.pi)).astype(got.dtype), right, 8, True) | np.isinf(got.imag) & np.isnan(right)


def at_pole(case, got, right, near):
    order, point = (x.astype(np.longdouble) for _, x in case.inputs)
    return (order > 2**24) & (point <= 0) & (point == np.floor(point)) & ~np.isfinite(got)


# Where the reference is not the only right value.
OPEN = [
    Open("(reduce_|cum)(max|min).*", "complex.*", "whichever NaN", lambda case, got, right, near: np.isnan(got) & np.isnan(right)),
    Open("(cum|reduce_)prod.*", "complex.*", "whichever part overflows first",
         lambda case, got, right, near: ~np.isfinite(got) & ~np.isfinite(right.astype(got.dtype))),
    Open("reduce", "complex.*", "with a NaN in whichever order", lambda case, got, right, near: np.isnan(case.inputs[0][1]).any(0)),
    Open("pow.*", "complex.*", "infinite in whichever direction", any_direction),
    Open("atan2", "complex.*", "either side of a cut; infinite where it is singular", either_side),
    Open("polygamma.*|zeta", "(float|bfloat).*", "left of 0 terms of both signs cancel",
         lambda case, got, right, near: (case.inputs[1][1] < 0) & near(got, right, 64, True)),
    Open("polygamma.*", "(float|bfloat).*", "at a pole: is m + 1 odd where it is no number of the format?", at_pole),
]

# What JAX takes and Tenon refuses on purpose: (rows, dtypes, reason, which cases).
REFUSED = [
    ("argm(ax|in) first", ".*", "the indices have no place in index_dtype", lambda case: case.inputs[0][1].shape[0] > 256),
    ("add_any", "bool", "the tangent of a bool is of float0", lambda case: True),
    ("cumlogsumexp.*", "u?int.*", "JAX takes integers only when there is none", lambda case: case.inputs[0][1].size == 0),
]
