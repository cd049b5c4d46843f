"""Kernels launched, bytes accessed and temporary memory of programs, compiled by Tenon and by XLA's CPU client.

    kernels.py TENON_RUN ../../../shared --table ../../docs/kernels_against_xla.md --reasons kernels_reasons.tsv
    kernels.py ... --write            writes the table
    kernels.py ... --only TEXT        programs whose names hold TEXT, as lines on standard output

Programs: `reference/mission_goldens/*/stablehlo.mlir` and `conformance/jax_programs/*/program.mlir`, those of operations
that Tenon has. Both compilers get the same text, and both answer in HLO, in which the kernels are counted by one function.
A figure above XLA's needs a reason in kernels_reasons.tsv (program, figure, reason), no other has one, and none may be above
the table's.
Exit code: 0 so it is, 1 it is not, 77 there are no programs.
"""
import argparse
import pathlib
import re
import subprocess
import sys

FIGURES = ("kernels", "bytes", "temp")
# What launches nothing, and what only calls computations, whose instructions count.
FREE = {"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "opt-barrier", "after-all", "while", "conditional", "call"}
CALLED = re.compile(r"\b(?:to_apply|body|condition|true_computation|false_computation)=%?([\w.\-]+)")
BRANCHES = re.compile(r"\bbranch_computations=\{([^}]*)\}")
COMPUTATION = re.compile(r"(ENTRY )?%?([\w.\-]+)[^=]*->.*\{$")
INSTRUCTION = re.compile(r"(?:ROOT )?%?[\w.\-]+ = (.*)$")
OPCODE = re.compile(r"(?:^|[\])}] )([a-z][a-z\-0-9]*)\(")


def count_kernels(hlo):
    """Instructions of the entry computation that launch something; those of the bodies of loops and branches once each."""
    computations, entry, lines = {}, None, None
    for line in hlo.splitlines():
        line = re.sub(r"/\*.*?\*/", "", line).strip()
        begin = COMPUTATION.match(line)
        if begin and " = " not in line.split("->")[0]:
            lines = computations.setdefault(begin.group(2), [])
            entry = begin.group(2) if begin.group(1) else entry
        elif lines is not None and (instruction := INSTRUCTION.match(line)):
            lines.append(instruction.group(1))

    def count(name):
        kernels = 0
        for text in computations[name]:
            opcode = OPCODE.search(text).group(1)
            kernels += opcode not in FREE
            if opcode in ("while", "conditional", "call"):
                called = CALLED.findall(text)
                for branches in BRANCHES.findall(text):
                    called += [branch.strip().lstrip("%") for branch in branches.split(",")]
                kernels += sum(count(each) for each in called)
        return kernels

    return count(entry)


class Xla:
    def __init__(self):
        from jax._src import compiler, xla_bridge
        from jax._src.interpreters import mlir
        from jax._src.lib import xla_client
        from jaxlib.mlir import ir
        client = xla_bridge.get_backend("cpu")
        devices = xla_client.DeviceList(tuple(client.local_devices()[:1]))
        options = compiler.get_compile_options(num_replicas=1, num_partitions=1)

        def compile_text(text):
            with mlir.make_ir_context():
                return compiler.backend_compile_and_load(client, ir.Module.parse(text), devices, options, [])

        self.compile = compile_text

    def figures(self, path):
        executable = self.compile(path.read_text())
        cost = executable.cost_analysis()
        cost = cost[0] if isinstance(cost, list) else cost
        return {"kernels": count_kernels("\n".join(module.to_string() for module in executable.hlo_modules())),
                "bytes": int(cost.get("bytes accessed", 0)),
                "temp": executable.get_compiled_memory_stats().temp_size_in_bytes}


def tenon_figures(binary, path):
    """None, and why, where an operation is one that Tenon lacks."""
    ours = subprocess.run([binary, path, "--describe"], capture_output=True, text=True)
    if ours.returncode != 0:
        return None, ours.stderr.strip().splitlines()[0]
    numbers, _, hlo = ours.stdout.partition("\n\n")
    numbers = dict(line.split(" = ") for line in numbers.splitlines())
    return {"kernels": count_kernels(hlo), "bytes": int(numbers.get("bytes accessed", 0)), "temp": int(numbers["temp_size_in_bytes"])}, None


def find_programs(shared):
    programs = {}
    for pattern in ("reference/mission_goldens/*/stablehlo.mlir", "conformance/jax_programs/*/program.mlir"):
        for path in sorted(shared.glob(pattern)):
            programs[path.parent.name] = path
    return programs


def read_reasons(path):
    reasons = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            program, figure, reason = line.split("\t")
            reasons[program, figure] = reason
    return reasons


def read_table(path):
    """(program, figure) -> Tenon's, as the checked-in table has it."""
    table = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 8 and cells[1].isdigit():
            for k, figure in enumerate(FIGURES):
                table[cells[0], figure] = int(cells[1 + 2 * k].replace(",", ""))
    return table


def row(program, ours, xla, reason):
    cells = [f"{each[figure]:,}" for figure in FIGURES for each in (ours, xla)]
    return f"| {program} | " + " | ".join(cells) + f" | {reason} |"


HEAD = """# Kernels, bytes and memory against XLA's

Made by `tests/oracle/kernels.py --write`: the same StableHLO text, compiled by Tenon and by the CPU client of jaxlib {version}.
Kernels: instructions of the optimized program that launch something, those of loops and branches once each. Bytes: `bytes accessed`
of the cost analysis. Temp: `temp_size_in_bytes` of the memory analysis. The test `oracle.kernels` fails where a figure is above XLA's
without a reason in `tests/oracle/kernels_reasons.tsv`, or above the one that stands here.

{summary}

| program | kernels | XLA | bytes | XLA | temp | XLA | why it is more |
|---|---|---|---|---|---|---|---|
"""


def summarize(results):
    parts = []
    for figure in FIGURES:
        signs = [(ours[figure] > xla[figure]) - (ours[figure] < xla[figure]) for ours, xla in results.values()]
        parts.append(f"{figure}: fewer in {signs.count(-1)}, as many in {signs.count(0)}, more in {signs.count(1)}")
    return f"Of {len(results)} programs: " + "; ".join(parts) + "."


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tenon_run")
    parser.add_argument("shared", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--reasons", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    programs = {name: path for name, path in find_programs(arguments.shared).items() if arguments.only in name}
    if not programs:
        print("skipped: there are no programs in", arguments.shared)
        return 77
    reasons = read_reasons(arguments.reasons) if arguments.reasons else {}
    table = read_table(arguments.table) if arguments.table and not arguments.write else {}
    xla, results, lacking, rows, complaints = Xla(), {}, [], [], []
    for name, path in programs.items():
        ours, lack = tenon_figures(arguments.tenon_run, path)
        if lack:
            lacking.append(f"{name} ({lack})")
            if (name, "kernels") in table:
                complaints.append(f"{name}: {lack}")
            continue
        theirs = xla.figures(path)
        results[name] = ours, theirs
        why = []
        for figure in FIGURES:
            reason = reasons.get((name, figure))
            before = table.get((name, figure), ours[figure])
            if ours[figure] > theirs[figure]:
                if not reason:
                    complaints.append(f"{name}: {figure} {ours[figure]:,} is more than XLA's {theirs[figure]:,}, and no reason is given")
                why.append(f"{figure}: {reason or '?'}")
            elif reason:
                complaints.append(f"{name}: {figure} is not more than XLA's, and needs no reason")
            if ours[figure] > before:
                complaints.append(f"{name}: {figure} {ours[figure]:,} is more than it was, {before:,}")
        rows.append(row(name, ours, theirs, "; ".join(why)))
        if arguments.only:
            print(rows[-1])
    if arguments.write:
        import jaxlib
        text = HEAD.format(version=jaxlib.__version__, summary=summarize(results)) + "\n".join(rows) + "\n"
        if lacking:
            text += "\nNot compiled yet: " + ", ".join(name.split(" ")[0] for name in lacking) + ".\n"
        arguments.table.write_text(text)
    print(summarize(results))
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


sys.exit(main())
