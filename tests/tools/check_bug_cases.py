"""Bugs of others, each a program and the right answer: tenon-run gives it, compiled and evaluated, with passes and without; or, of a dtype that Tenon lacks, a clear error.

    check_bug_cases.py path/to/tenon-run tests/bugs [path/to/shared/bugs]      tenon-opt stands beside tenon-run
    check_bug_cases.py path/to/tenon-run tests/bugs --large                     those that need gigabytes

tests/bugs holds the cases of shared/bugs (ID.json and ID.mlir; its README.md describes them) in the categories and
layers below. Where that folder is given, a case of these in its index.tsv that stands neither here nor in a list below
fails the test. A case without a program is tested by library/bug_cases*_test.cpp, and so is each that is about our
transformations or front end: a program that JAX derived tests only how it is compiled.
"""
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time

CATEGORIES = ("dtype integer nan denormal transcendental complex arg sort empty reduce random scatter index "
              "weak_type grad control custom deep simplify fusion constant_fold aliasing memory compile_time vectorise large dot").split()
LAYERS = ("transform", "frontend")  # of all categories
WAYS = [("--backend", backend, "--passes", passes) for backend in ("cpu", "reference") for passes in ("on", "off")]

# Tests of library/bug_cases*_test.cpp, for the cases of these layers, those without a program and those whose program
# has JAX's fault in it.
THROUGH_THE_API = {
    "jax-10813-narrow-sum-type": "Jax10813NarrowSums",
    "jax-1082-grad-scan-unused-carry": "Jax1082GradOfScanUnusedCarry",
    "jax-16898-int64-negative-power": "NegativeIntegerPowers",
    "jax-17117-grad-masked-softmax": "Jax17117GradOfMaskedSoftmax",
    "jax-19490-grad-masked-sum-of-exp": "Jax19490GradOfMaskedSumOfExp",
    "jax-19689-frexp-subnormal": "Jax19689FrexpOfSubnormals",
    "jax-22045-scan-int-carry-gradient": "Jax22045ScanOfIntegerCarryGradient",
    "jax-22385-nested-jit-fibonacci": "Jax22385NestedJitFibonacci",
    "jax-23842-grad-masked-logsumexp": "Jax23842GradOfMaskedLogsumexp",
    "jax-25880-gradient-of-clipped-scalar": "Jax25880GradientOfClippedScalar",
    "jax-2899-argmax-of-nothing": "Jax2899OfNothing",
    "jax-39625-donation-and-output-order": "Jax39625DonationAndOutputOrder",
    "jax-3058-grad-of-sqrt-at-zero": "Jax3058GradOfSqrtAtZero",
    "jax-37820-grad-of-abs-at-zero": "Jax37820GradOfAbsAtZero",
    "jax-37821-grad-of-maximum-at-tie": "Jax37821GradOfMaximumAtTie",
    "jax-4682-weak-abs-under-jit": "Jax4682WeakAbsUnderJit",
    "jax-6811-grad-logsumexp-all-minus-inf": "Jax6811GradOfLogsumexpOfMinusInf",
    "jax-7440-grad-of-power-at-zero": "Jax7440GradOfPowerAtZero",
    "jax-757-jit-jacfwd-of-scan": "Jax757JitOfJacfwdOfScan",
    "jax-7595-gradient-of-clipped-gather": "Jax7595GradientOfClippedGather",
    "jax-919-array-of-many-scalars": "Jax919ArrayOfManyScalars",
    "jax-9635-donated-twice": "Jax9635DonatedTwice",
    "jax-9046-scan-weak-carry-chain": "Jax9046ScanOfWeakCarries",
    "mlx-4100-negative-integer-power": "NegativeIntegerPowers",
    "tinygrad-7870-float-edge-to-int": "Tinygrad7870FloatAtTheEdgeOfInt",
    "vmex-142-many-dependent-kernels": "Vmex142ManyDependentKernels",
    "xla-41430-while-uint32-counter": "Xla41430WhileOfUint32Counter",
}
# Cases whose program does what JAX does and not what is right, or has another answer that is allowed.
PROGRAM_IS_WRONG = ("jax-16898-int64-negative-power", "jax-19490-grad-masked-sum-of-exp", "jax-19689-frexp-subnormal",
                    "jax-6811-grad-logsumexp-all-minus-inf", "mlx-4100-negative-integer-power", "tinygrad-7870-float-edge-to-int")
# Of some millions of elements: the evaluator takes too long, and compiled code without passes.
COMPILED_ONLY = ("xla-35719-unrolled-histograms-memory", "xla-45912-donated-chain-memory", "xla-13054-dot-with-zero-matrix")
# Of gigabytes: 8 GB of memory must be free. Compiled only, too.
LARGE = ("mlx-1338-more-than-2-31-elements",)
# Cases of what there is not, optional ones: each way fails, and its error has the word.
REFUSED = {
    "jax-17672-int4-to-int8": "int4",
}

FORMATS = {
    "bool": ("|b1", "?"), "int8": ("|i1", "b"), "uint8": ("|u1", "B"), "int16": ("<i2", "h"), "uint16": ("<u2", "H"),
    "int32": ("<i4", "i"), "uint32": ("<u4", "I"), "int64": ("<i8", "q"), "uint64": ("<u8", "Q"),
    "float16": ("<f2", "e"), "bfloat16": ("<V2", "H"), "float32": ("<f4", "f"), "float64": ("<f8", "d"),
    "complex64": ("<c8", "f"), "complex128": ("<c16", "d"),
}


def bfloat16_bits(value):
    """The bfloat16 nearest to a number."""
    if math.isnan(value):
        return 0x7FC0 | (0x8000 if math.copysign(1, value) < 0 else 0)
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def number(text):
    return float(text) if isinstance(text, str) else text


def parts(values):
    """Numbers as JSON has them; a complex one is two."""
    return [number(part) for value in values for part in (value if isinstance(value, list) else [value])]


def write_npy(path, spec):
    dtype, shape = spec["dtype"], spec["shape"]
    descr, code = FORMATS[dtype]
    is_constant = "gen" in spec and not spec["gen"]["a"] and not spec.get("but")  # one element, as often as it takes
    values = elements(dict(spec, shape=[1]) if is_constant else spec)
    if dtype == "bfloat16":
        values = [bfloat16_bits(v) for v in values]
    elif code in "efd":
        values = [float(v) for v in values]
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, tuple(shape))
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = struct.pack("<%d%s" % (len(values), code), *values)
    with path.open("wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        left, part = math.prod(shape) if is_constant else 1, 1 << 20
        while left > 0:
            file.write(data * min(left, part))
            left -= part


def read_npy(path):
    """(dtype, shape, numbers); a complex number is two."""
    data = path.read_bytes()
    end = 10 + struct.unpack("<H", data[8:10])[0]
    header = data[10:end].decode()
    descr = re.search(r"'descr': '([^']*)'", header)[1]
    shape = [int(n) for n in re.findall(r"\d+", re.search(r"'shape': \(([^)]*)\)", header)[1])]
    dtype, code = next((name, code) for name, (d, code) in FORMATS.items() if d == descr)
    values = list(struct.unpack("<%d%s" % ((len(data) - end) // struct.calcsize(code), code), data[end:]))
    if dtype == "bfloat16":
        values = [struct.unpack("<f", struct.pack("<I", bits << 16))[0] for bits in values]
    return dtype, shape, values


def elements(spec):
    if "data" in spec:
        return parts(spec["data"])
    gen = spec["gen"]
    values = [gen["a"] * i + gen["b"] for i in range(math.prod(spec["shape"]))]
    if gen["m"]:
        values = [value % gen["m"] for value in values]
    values = [value * gen["scale"] + gen["off"] for value in values]
    for i, value in spec.get("but", []):
        values[i] = number(value)
    return values


def ordinal(value, code):
    """Neighbours among the floats differ by 1."""
    bits = struct.unpack({"e": "<h", "f": "<i", "d": "<q"}[code], struct.pack("<" + code, value))[0]
    return bits if bits >= 0 else -(2 ** (8 * struct.calcsize(code) - 1)) - bits


def agree(got, want, dtype, tolerance):
    code = FORMATS[dtype][1]
    if code not in "efd" and dtype != "bfloat16":
        return got == want
    if math.isnan(got) or math.isnan(want):
        return math.isnan(got) and math.isnan(want)
    if tolerance.get("signed_zero") and want == 0 and math.copysign(1, got) != math.copysign(1, want):
        return False
    if got == want:
        return True
    if math.isinf(got) or math.isinf(want):
        return False
    if "ulp" in tolerance:
        return abs(ordinal(got, code) - ordinal(want, code)) <= tolerance["ulp"]
    return abs(got - want) <= tolerance.get("atol", 0) + tolerance.get("rtol", 0) * abs(want)


def difference(got, want, tolerance):
    """Why a result is not the expected one; None when it is."""
    dtype, shape, values = got
    if (dtype, shape) != (want["dtype"], want["shape"]):
        return "%s%s instead of %s%s" % (dtype, shape, want["dtype"], want["shape"])
    per_element = 2 if dtype.startswith("complex") else 1
    if "data" in want:
        expected = list(enumerate(parts(want["data"])))
    else:
        expected = [(per_element * i + k, part) for i, value in want["samples"] for k, part in enumerate(parts([value]))]
    for at, wanted in expected:
        if not agree(values[at], wanted, dtype, tolerance):
            return "element %d is %r instead of %r" % (at // per_element, values[at], wanted)
    return None


def ways_of(name):
    return WAYS[:1] if name in COMPILED_ONLY + LARGE else WAYS


def beyond_bounds(tool, program, bounds, seconds):
    """Bounds of the case that are not met; `seconds` compiled and ran it. The machine may be busy: twice the time is allowed."""
    if seconds > 2 * bounds.get("compile_s", math.inf):
        yield "takes %.1f s to compile and run; %s s are allowed" % (seconds, bounds["compile_s"])
    if not {"temp_bytes", "ir_text_bytes"} & bounds.keys():
        return
    tenon_opt = str(pathlib.Path(tool).with_name("tenon-opt"))
    imported, optimized = (subprocess.run([tenon_opt, str(program)] + passes, capture_output=True, text=True, timeout=120).stdout
                           for passes in ([], ["--passes", "all"]))
    if len(imported) > bounds.get("ir_text_bytes", math.inf):
        yield "the program has %d bytes of text; %d are allowed" % (len(imported), bounds["ir_text_bytes"])
    temporaries = int(re.search(r"tenon.temp_size_bytes = (\d+)", optimized)[1])
    if temporaries > bounds.get("temp_bytes", math.inf):
        yield "temporaries take %d bytes; %d are allowed" % (temporaries, bounds["temp_bytes"])


def check(tool, case, program):
    """The ways in which the program fails, and how."""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        words = [tool, str(program), "--output-dir", "out"]
        for k, spec in enumerate(case["inputs"]):
            write_npy(at / ("in_%d.npy" % k), spec)
            words += ["--input", "in_%d.npy" % k]
        for way in ways_of(program.stem):
            start = time.monotonic()
            done = subprocess.run(words + list(way), cwd=folder, capture_output=True, text=True, timeout=240)
            seconds = time.monotonic() - start
            if way == WAYS[0]:
                failures += [(way, why) for why in beyond_bounds(tool, program, case.get("bounds") or {}, seconds)]
            said = done.stdout + done.stderr
            if done.returncode or said:
                failures.append((way, "exit code %d, %s" % (done.returncode, said)))
                continue
            for k, want in enumerate(case["expected"]):
                why = difference(read_npy(at / "out" / ("result_%d.npy" % k)), want, case["tolerance"] or {})
                if why:
                    failures.append((way, "result %d: %s" % (k, why)))
    return failures


def cases_of(index):
    """The cases of the categories and layers: id -> (whether there is a program, whether the API must be tested)."""
    lines = [line.split("\t") for line in index.read_text().splitlines()]
    cases = [dict(zip(lines[0], line)) for line in lines[1:]]
    return {case["id"]: (case["mlir"] != "-", case["layer"] in LAYERS) for case in cases
            if case["category"] in CATEGORIES or case["layer"] in LAYERS}


def main():
    tool, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    failures = []
    here = {path.stem: path for path in sorted(folder.glob("*.json"))}
    api_tests = "".join(path.read_text() for path in (folder.parent / "library").glob("bug_cases*_test.cpp"))
    for name, test in THROUGH_THE_API.items():
        if "TEST(BugCases, %s)" % test not in api_tests:
            failures.append("%s: there is no test BugCases.%s" % (name, test))
    is_large = sys.argv[3:] == ["--large"]
    index = pathlib.Path(sys.argv[3]) / "index.tsv" if len(sys.argv) > 3 and not is_large else None
    if index and index.exists():
        for name, (has_program, needs_api) in cases_of(index).items():
            is_run = has_program and name not in PROGRAM_IS_WRONG
            if (name in here) != is_run or (needs_api or not is_run) > (name in THROUGH_THE_API):
                failures.append("%s: stands in shared/bugs/index.tsv; it needs a test or a line in a list here" % name)
    for name, path in here.items():
        if (name in LARGE) != is_large:
            continue
        case = json.loads(path.read_text())
        wrong = check(tool, case, path.with_suffix(".mlir"))
        for way in ways_of(name):
            reasons = [why for w, why in wrong if w == way]
            if name in REFUSED:
                is_refused = any("exit code 1, " in why and REFUSED[name] in why for why in reasons)
                reasons = [] if is_refused else reasons or ["runs: take it off REFUSED"]
            failures += ["%s (%s, passes %s): %s" % (name, way[1], way[3], why) for why in reasons]
    for failure in failures:
        print(failure)
    return 1 if failures or len(here) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
