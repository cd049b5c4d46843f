"""Judges the table of oracle_table (argv[1]: its output directory) by JAX, and prints it.

    python table.py DIRECTORY                   rows: primitives; columns: dtypes; cases passed / cases
    python table.py DIRECTORY --write FILE      besides, the results of the cases, for tests/ops/table_test.cpp

A case passes when the three ways agree and each element is JAX's, within the tolerance of its row. Where JAX is
wrong (table_faults.py lists where, and why) it must be the value of NumPy in a wider format. What we refuse by a
TypeError JAX must refuse too, and the other way round; such a cell is blank.
"""
import collections
import importlib.util
import pathlib
import re
import sys
import warnings

if importlib.util.find_spec("mpmath") is None:
    print("skipped: this Python has no mpmath")
    sys.exit(77)

import jax
import ml_dtypes
import numpy as np

from table_faults import FAULTS, OPEN, REFUSED
from table_functions import CONDITION, OWN_FORMAT, function, reference

jax.config.update("jax_enable_x64", True)
warnings.simplefilter("ignore")
np.seterr(all="ignore")

SHORT = {"bool": "pred", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "complex64": "c64",
         "complex128": "c128", "key<fry>": "key", **{f"{u}int{b}": f"{u[:1] or 's'}{b}" for u in ("", "u") for b in (8, 16, 32, 64)}}

Case = collections.namedtuple("Case", "name dtype which ulp sums problem inputs outputs")


def read(directory):
    data = np.fromfile(directory / "table.bin", np.uint8)
    at = 0

    def array(spec):
        nonlocal at
        name, *sizes = spec.split(" ")
        shape = tuple(map(int, sizes))
        dtype = np.dtype(np.uint32 if name == "key<fry>" else ml_dtypes.bfloat16 if name == "bfloat16" else name)
        if name == "key<fry>":
            shape += (2,)
        size = int(np.prod(shape)) * dtype.itemsize
        value = data[at:at + size].view(dtype).reshape(shape)
        at += size
        return name, value

    for line in (directory / "table.tsv").read_text().splitlines():
        name, dtype, which, ulp, sums, problem, inputs, outputs = line.split("\t")
        arrays = [[array(spec) for spec in specs.split(";")] if specs else [] for specs in (inputs, outputs)]
        yield Case(name, dtype, which, int(ulp), sums == "1", problem, *arrays)


def run_jax(name, cases):
    """JAX's results (name of the dtype, array) for each of the cases, None where it refuses."""
    def put(x):
        return jax.random.wrap_key_data(x[1]) if x[0] == "key<fry>" else x[1]

    def leaf(x):
        if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key):
            return "key<fry>", np.asarray(jax.random.key_data(x))
        return x.dtype.name, np.asarray(x)

    run = function(name)
    operands = [[put(x) for x in case.inputs] for case in cases]
    taken = []
    for k, x in enumerate(operands):
        try:
            jax.eval_shape(run, *x)
            taken.append(k)
        except Exception:
            pass
    results = [None] * len(cases)
    program = lambda xs: [jax.tree.leaves(run(*x)) for x in xs]
    try:
        for k, leaves in zip(taken, jax.jit(program, keep_unused=True)([operands[k] for k in taken])):
            results[k] = [leaf(x) for x in leaves]
    except Exception:  # what XLA cannot compile counts as refused
        for k in taken:
            try:
                results[k] = [leaf(x) for x in jax.tree.leaves(jax.jit(run)(*operands[k]))]
            except Exception:
                pass
    return results


def parts(array):
    """Complex numbers as pairs of real ones, along a last axis."""
    if array.dtype.kind != "c":
        return array
    return np.stack([array.real, array.imag], -1)


def is_float(dtype):
    return dtype.kind in "fc" or dtype == ml_dtypes.bfloat16


def equal(got, want):
    return (got == want) & ((got != 0) | (np.signbit(got) == np.signbit(want))) | np.isnan(got) & np.isnan(want)


def near(got, want, ulp, sums, condition=1):
    """Elementwise: equal, both NaN, or within the tolerance. `want` may be of a wider format."""
    if not is_float(got.dtype):
        return got == want
    complex_part = got.dtype.kind == "c"
    got, want = parts(got), parts(want)
    info = ml_dtypes.finfo(got.dtype)
    rounded = want.astype(got.dtype)
    same = equal(got, rounded)
    if not ulp and not sums:
        return same.all(-1) if complex_part else same
    got, wide = got.astype(np.longdouble), want.astype(np.longdouble)
    size = np.abs(wide)
    if complex_part:  # of the whole number
        size = np.broadcast_to(np.where(np.isfinite(size), size, 0).max(-1, keepdims=True), wide.shape)
    if sums:
        unit = (1 + size) * 2.0 ** -info.nmant * (condition[..., None] if np.ndim(condition) and complex_part else condition)
    else:
        exponent = np.maximum(np.floor(np.log2(np.where(size > 0, size, 1))), float(info.minexp))
        unit = np.exp2(exponent - info.nmant)
    good = same | (np.abs(got - wide) <= (ulp or 32) * unit)
    limit = float(info.max) * (1 - 2.0 ** (3 - info.nmant))  # one side has overflowed, the other all but
    for one, other in ((got, wide), (wide, got)):
        good |= np.isinf(one) & (np.abs(other) > limit) & (np.signbit(one) == np.signbit(other))
    return good.all(-1) if complex_part else good


def tolerance(case, got, x):
    """Units of the last place."""
    if got.dtype.kind != "c" and x.dtype.kind != "c":
        return case.ulp
    if case.ulp:
        return 32
    products = ("div", "mul", "square", "sign", "abs", "integer_pow")
    return 4 if case.name.split(" ")[0] in products else 0


def widened(array):
    if array.dtype == np.complex64:
        return array.astype(np.complex128)
    if array.dtype == np.complex128:
        return array.astype(np.clongdouble)
    if array.dtype == np.float64:
        return array.astype(np.longdouble)
    if is_float(array.dtype):
        return array.astype(np.float64)
    return array


def by_numpy(case):
    """The results of NumPy or mpmath, mostly in a wider format; none where it has no such function."""
    try:
        operands = [x for _, x in case.inputs]
        if case.name in OWN_FORMAT:
            results = OWN_FORMAT[case.name](*operands)
        else:
            results = reference(case.name)(*map(widened, operands))
    except (AttributeError, TypeError, ValueError, OverflowError):
        return []
    return [np.asarray(x) for x in (results if isinstance(results, (list, tuple)) else [results])]


def is_right(case, got, right):
    """Whether our results are those of the reference, or as good."""
    ulp = 8 if got.dtype.kind == "c" else 4 if case.ulp else 0
    good = near(got, right, ulp, case.sums, condition(case))
    for open_question in OPEN:
        if open_question.covers(case.name, case.dtype):
            good = good | open_question.accepts(case, got, right, near)
    return good


def condition(case):
    x = case.inputs[0][1] if case.inputs else None
    return CONDITION[case.name](widened(x)) if case.name in CONDITION and x.dtype.kind == "c" else 1


def judge(case, want, used):
    """Empty when the case passes; else what is wrong. Counts in `used` elements that a fault of JAX explains."""
    if case.problem.startswith("refused "):
        on_purpose = any(re.fullmatch(rows, case.name) and re.fullmatch(dtypes, case.dtype) and which(case) for rows, dtypes, _, which in REFUSED)
        return "" if want is None or on_purpose else case.problem
    if case.problem:
        return case.problem
    if want is None:
        return "JAX refuses it"
    if len(want) != len(case.outputs):
        return f"{len(case.outputs)} results against {len(want)}"
    exact = None
    for k, ((name, got), (jax_name, by_jax)) in enumerate(zip(case.outputs, want)):
        if name != jax_name or got.shape != by_jax.shape:
            return f"result {k}: {name}{list(got.shape)} against {jax_name}{list(by_jax.shape)}"
        ulp = tolerance(case, got, case.inputs[0][1])
        good = near(got, by_jax, ulp, case.sums, condition(case))
        reasons = [fault for fault in FAULTS if fault.covers(case.name, case.dtype)] if not good.all() else []
        if reasons:
            if exact is None:
                exact = by_numpy(case)
            right = exact[k] if exact else by_jax
            also = is_right(case, got, right)
            for fault in reasons:
                here = ~good & also & fault.applies(case, by_jax, right, got)
                used[fault] += int(here.sum())
                good = good | here
        if not good.all():
            bad = np.argwhere(~good)
            i = tuple(bad[0])
            shown = ", ".join(str(x[i]) for _, x in case.inputs if x.shape == got.shape)
            return f"result {k}: {len(bad)} of {good.size} elements differ; {i}, operands {shown}: got {got[i]}, JAX {by_jax[i]}" + (f", right {right[i]}" if reasons else "")
    return ""


def hexadecimal(array):
    flat = array.ravel()
    flat = np.ascontiguousarray(flat[:: max(1, -(-flat.size // 40))])
    item = 4 if array.dtype == np.complex64 else 8 if array.dtype == np.complex128 else array.dtype.itemsize
    return flat.view(f"u{item}").astype(f">u{item}").tobytes().hex()


def write(lines, case):
    """A committed line holds our results: they have just been judged."""
    if case.problem:
        lines.append(f"{case.name}\t{case.dtype}\t{case.which}\trefused")
    elif any(x.size for _, x in case.outputs):
        results = ["{} {}".format(" ".join([name, *map(str, x.shape)]), hexadecimal(x)) for name, x in case.outputs]
        lines.append("\t".join([case.name, case.dtype, case.which, *results]))


def print_table(cells, dtypes):
    width = max(len(name) for name, _ in cells) + 1
    print(" " * width + "".join(f"{SHORT[d]:>8}" for d in dtypes))
    for name in dict.fromkeys(name for name, _ in cells):
        row = [cells[name, d] for d in dtypes]
        print(f"{name:<{width}}" + "".join(f"{f'{good}/{total}' if total else '':>7}{'*' if explained else ' '}" for good, total, explained in row).rstrip())


def main():
    directory = pathlib.Path(sys.argv[1])
    groups = collections.defaultdict(list)
    for case in read(directory):
        groups[case.name, case.dtype].append(case)
    cells, used, wrong, lines = {}, collections.Counter(), [], []
    passed = total = refused = 0
    for (name, dtype), cases in groups.items():
        explained = used.total()
        problems = [judge(case, want, used) for case, want in zip(cases, run_jax(name, cases))]
        wrong += [f"{name} {dtype} {case.which}: {problem}" for case, problem in zip(cases, problems) if problem]
        for case, problem in zip(cases, problems):
            if problem:  # at once: the whole table takes long
                print(f"{name} {dtype} {case.which}: {problem}", file=sys.stderr, flush=True)
            else:
                write(lines, case)
        good = problems.count("")
        if good == len(cases) and all(case.problem for case in cases):
            cells[name, dtype] = (0, 0, False)
            refused += 1
            continue
        cells[name, dtype] = (good, len(cases), used.total() > explained)
        passed, total = passed + good, total + len(cases)
    print_table(cells, list(dict.fromkeys(dtype for _, dtype in cells)))
    print(f"\n{passed} of {total} cases pass; {refused} of {len(cells)} pairs of primitive and dtype are refused, as JAX does.")
    print("\nElements where JAX is wrong and the value is the right one (cells with a star):")
    for fault in FAULTS:
        print(f"  {used[fault]:>8}  {fault.rows} {fault.dtypes}: {fault.reason}")
    print("Refused on purpose:")
    for rows, dtypes, reason, _ in REFUSED:
        print(f"            {rows} {dtypes}: {reason}")
    print("".join(f"\n{line}" for line in wrong), end="")
    if len(sys.argv) > 3 and sys.argv[2] == "--write":
        pathlib.Path(sys.argv[3]).write_text("\n".join(lines) + "\n")
    sys.exit(1 if wrong or not passed else 0)


if __name__ == "__main__":
    main()
