"""Where JAX 0.12 on a CPU is wrong: its value counts no longer there, NumPy's in a wider format does."""
import dataclasses
import re

import ml_dtypes
import numpy as np


def anywhere(case, by_jax, right, got):
    return True


def subnormal(array):
    if array.dtype.kind not in "fcV" and array.dtype != ml_dtypes.bfloat16:
        return np.zeros(array.shape, bool)
    if array.dtype.kind == "c":
        return subnormal(array.real) | subnormal(array.imag)
    size = np.abs(array.astype(np.longdouble))
    return (size > 0) & (size < float(ml_dtypes.finfo(array.dtype).tiny))


def flushed(case, by_jax, right, got):
    """Where an operand or our result is subnormal; everywhere when elements of the result depend on many operands."""
    if any(x.shape != got.shape for _, x in case.inputs):
        return any(subnormal(x).any() for _, x in case.inputs) or subnormal(got).any()
    return np.any([subnormal(x) for _, x in case.inputs] + [subnormal(got)], axis=0)


@dataclasses.dataclass(frozen=True)
class Fault:
    rows: str
    dtypes: str
    reason: str
    applies: object = anywhere  # (case, JAX's, the right, our results) -> which elements

    def covers(self, name, dtype):
        return bool(re.fullmatch(self.rows, name) and re.fullmatch(self.dtypes, dtype))


FAULTS = [
    Fault(".*", "(float|bfloat|complex).*", "XLA flushes subnormal operands and results to zero", flushed),
]
