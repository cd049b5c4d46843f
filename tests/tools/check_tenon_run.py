"""tenon-run on good and on bad input: results, messages, exit codes.

    check_tenon_run.py path/to/tenon-run
"""
import pathlib
import struct
import subprocess
import sys
import tempfile

PROGRAM = """
module @jit_f {
  func.func public @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>) {
    %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.multiply %a, %0 : tensor<2x3xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    return %1, %2 : tensor<2x3xf32>, tensor<2xf32>
  }
}
"""


# Two functions that check themselves, one of them wrongly, and a third that both call.
CHECKS = """
module {
  func.func @good() -> tensor<2xf32> {
    %x = func.call @values() : () -> tensor<2xf32>
    %0 = stablehlo.add %x, %x : tensor<2xf32>
    check.expect_eq_const %0, dense<[2.0, 4.0]> : tensor<2xf32>
    stablehlo.custom_call @check.expect_close(%0, %0) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
    return %0 : tensor<2xf32>
  }
  func.func @bad() {
    %x = func.call @values() : () -> tensor<2xf32>
    %0 = stablehlo.multiply %x, %x : tensor<2xf32>
    stablehlo.custom_call @check.expect_eq(%0, %x) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
    return
  }
  func.func private @values() -> tensor<2xf32> {
    %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    return %x : tensor<2xf32>
  }
}
"""


def npy(path, shape, values):
    """A float32 .npy file, version 1.0."""
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % (tuple(shape),)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack("<%df" % len(values), *values))


def main():
    tool = str(pathlib.Path(sys.argv[1]).resolve())
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        (at / "p.mlir").write_text(PROGRAM)
        (at / "broken.mlir").write_text("func.func @main( {")
        npy(at / "a.npy", [2, 3], [1, 2, 3, 4, 5, 6])
        npy(at / "b.npy", [3], [1, 10, 100])
        npy(at / "products.npy", [2, 3], [1, 20, 300, 4, 50, 600])
        npy(at / "sums.npy", [2], [321, 654])
        npy(at / "near.npy", [2], [321.01, 654])
        (at / "short.npy").write_bytes((at / "a.npy").read_bytes()[:-4])

        def check(code, message, *words):
            done = subprocess.run([tool, *words], cwd=folder, capture_output=True, text=True, timeout=60)
            if done.returncode != code or message not in done.stderr or (code == 0 and done.stdout + done.stderr):
                failures.append("%s: exit code %d, wanted %d with %r; said %r" %
                                (" ".join(words), done.returncode, code, message, done.stdout + done.stderr))

        inputs = ["p.mlir", "--input", "a.npy", "--input", "b.npy"]
        expected = ["--expect", "products.npy", "--expect", "sums.npy"]
        for backend in (["--backend", "cpu"], ["--backend", "reference"], []):
            for passes in (["--passes", "on"], ["--passes", "off"], []):
                check(0, "", *inputs, *expected, *backend, *passes)
        check(0, "", *inputs, "--output-dir", "new/folder")
        for name, same in (("result_0", "products"), ("result_1", "sums")):
            path = at / "new/folder" / (name + ".npy")
            if not path.exists() or path.read_bytes()[-8:] != (at / (same + ".npy")).read_bytes()[-8:]:
                failures.append(name + ".npy is not there or wrong")
        near = ["--expect", "products.npy", "--expect", "near.npy"]
        check(1, "result 1 of type f32[2] differs in 1 elements", *inputs, *near)
        check(0, "", *inputs, *near, "--rtol", "1e-3")
        check(0, "", *inputs, *near, "--atol", "0.1")
        check(1, "another type than expected", *inputs, "--expect", "sums.npy", "--expect", "products.npy")
        check(1, "2 results; got 1", *inputs, "--expect", "products.npy")
        check(1, "takes 2 inputs; got 1", "p.mlir", "--input", "a.npy")
        check(1, "input 0 has another shape", "p.mlir", "--input", "b.npy", "--input", "a.npy")
        check(1, "short.npy", "p.mlir", "--input", "short.npy", "--input", "b.npy")
        check(1, "missing.npy", "p.mlir", "--input", "missing.npy", "--input", "b.npy")
        check(1, "broken.mlir:1:", "broken.mlir")
        check(1, "missing.mlir", "missing.mlir")
        (at / "checks.mlir").write_text(CHECKS)
        for backend in (["--backend", "cpu"], ["--backend", "reference"]):
            for passes in (["--passes", "on"], ["--passes", "off"]):
                check(0, "", "checks.mlir", "--function", "good", "--output-dir", "checked", *backend, *passes)
                check(1, "check: element 1 of f32[2] differs; got 4.0, expected 2.0", "checks.mlir", "--function", "bad", *backend, *passes)
                check(1, "no function @ugly with a body", "checks.mlir", "--function", "ugly", *backend, *passes)
        check(1, "it has @good, @bad, @values", "checks.mlir")
        described = subprocess.run([tool, "p.mlir", "--describe"], cwd=folder, capture_output=True, text=True, timeout=60)
        # 24 + 12 bytes in, 24 + 8 out and the pointers of their tuple; the kernels as HLO.
        for part in ("argument_size_in_bytes = 36\n", "output_size_in_bytes = 32\n", "temp_size_in_bytes = 0\n", "bytes accessed = ",
                     "\n\nHloModule jit_f, is_scheduled=true", "ENTRY "):
            if part not in described.stdout:
                failures.append("--describe does not say %r: %r" % (part, described.stdout + described.stderr))
        check(2, "--describe is of compiled programs", "p.mlir", "--describe", "--backend", "reference")
        check(2, "there is no option --frobnicate", "p.mlir", "--frobnicate")
        check(2, "--passes is on or off", "p.mlir", "--passes", "many")
        check(2, "needs a number", *inputs, "--rtol", "much")
        check(2, "which program", "--rtol", "1")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
