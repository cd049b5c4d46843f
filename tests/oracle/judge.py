"""Judges the programs of oracle_corpus by JAX: argv[1] is its output directory.

Each StableHLO text must parse and verify in the real parser and, run by XLA, give our values; each
HLO text must parse in XLA's parser. Prints one line for each failure and a count.
"""
import pathlib
import sys

import numpy as np
import jax
from jax._src import xla_bridge
from jax._src.interpreters import mlir as jax_mlir
from jax._src.lib import xla_client
from jaxlib import _hlo, _jax
from jaxlib.mlir import ir


def run_by_xla(text, inputs):
    client = xla_bridge.get_backend("cpu")
    with jax_mlir.make_ir_context():
        module = ir.Module.parse(text)
        module.operation.verify()
        devices = _jax.DeviceList(tuple(client.local_devices()[:1]))
        executable = client.compile_and_load(
            jax_mlir.module_to_bytecode(module), devices, xla_client.CompileOptions())
    outputs = executable.execute_sharded([jax.device_put(x) for x in inputs])
    return [np.asarray(shards[0]) for shards in outputs.disassemble_into_single_device_arrays()]


def numbered(directory, stem):
    found = []
    while (path := directory / f"{stem}_{len(found)}.npy").exists():
        found.append(np.load(path))
    return found


def compare(got, want):
    """Ours against XLA's: integers and bools exactly, floats to a few units of the largest value."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype}{got.shape} against {want.dtype}{want.shape}"
    if got.dtype.kind != "f":
        return "" if np.array_equal(got, want) else "integers differ"
    if got.size == 0:
        return ""
    if not np.array_equal(np.isnan(got), np.isnan(want)):
        return "NaN in other places"
    finite = np.isfinite(want)
    if not np.array_equal(got[~finite & ~np.isnan(want)], want[~finite & ~np.isnan(want)]):
        return "infinities differ"
    if not finite.any():
        return ""
    scale = max(1.0, float(np.abs(want[finite]).max()))
    error = float(np.abs(got[finite].astype(np.float64) - want[finite]).max()) / scale
    return "" if error <= 2e-6 else f"error {error:.2e} of the largest value"


def judge(directory):
    complaints = []
    for name in ("program.mlir", "program_debug.mlir"):
        try:
            with jax_mlir.make_ir_context():
                ir.Module.parse((directory / name).read_text()).operation.verify()
        except Exception as error:  # the parser's own exception types are not public
            complaints.append(f"{name}: {str(error)[:300]}")
    for name in ("before.hlo", "after.hlo"):
        try:
            _hlo.hlo_module_from_text((directory / name).read_text())
        except Exception as error:
            complaints.append(f"{name}: {str(error)[:300]}")
    if not complaints:
        try:
            ours = numbered(directory, "out")
            theirs = run_by_xla((directory / "program.mlir").read_text(), numbered(directory, "in"))
            if len(ours) != len(theirs):
                complaints.append(f"{len(ours)} results against {len(theirs)}")
            for k, (a, b) in enumerate(zip(ours, theirs)):
                if difference := compare(a, b):
                    complaints.append(f"result {k}: {difference}")
        except Exception as error:
            complaints.append(f"run: {str(error)[:300]}")
    return complaints


def main():
    directories = sorted(d for d in pathlib.Path(sys.argv[1]).iterdir() if d.is_dir())
    failed = 0
    for directory in directories:
        complaints = judge(directory)
        failed += bool(complaints)
        for complaint in complaints:
            print(f"{directory.name}: {complaint}")
    print(f"{len(directories) - failed} programs agree with JAX, {failed} do not")
    return 1 if failed or not directories else 0


if __name__ == "__main__":
    sys.exit(main())
