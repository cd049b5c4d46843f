"""The LLVM modules of random programs also become AArch64 objects: nothing in a kernel is of x86 alone.

usage: check_aarch64.py TENON_FUZZ LLC   (exit code 77: this llc cannot)
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

fuzz, llc = sys.argv[1:]
if not pathlib.Path(llc).exists() or "aarch64" not in subprocess.run([llc, "--version"], capture_output=True, text=True).stdout:
    sys.exit(77)

DRAWS = (("--seed", "1"), ("--seed", "1000", "--max-elements", "110000"), ("--seed", "2000", "--wrapped", "1"))


def why_not(module):
    """What llc says against the module; None when it becomes an object."""
    text = re.sub(r'^target (datalayout|triple) = .*\n', "", module.read_text(), flags=re.M)  # llc puts its own
    text = re.sub(r'"(target|tune)-cpu"="[^"]*"', "", text)
    made = subprocess.run([llc, "-mtriple=aarch64-linux-gnu", "-relocation-model=pic", "-filetype=obj", "-o", os.devnull, "-"],
                          input=text, capture_output=True, text=True)
    return None if made.returncode == 0 else made.stderr[:2000] or "exit code %d" % made.returncode


failures = []
for draw in DRAWS:
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, TENON_DUMP_TO=folder, TENON_CPU_TARGET="baseline")
        subprocess.run([fuzz, "--seconds", "300", "--programs", "10", "--ways", "drawn", "--max-ops", "16", *draw], env=environment, check=True)
        modules = sorted(pathlib.Path(folder).glob("*.kernels.ll"))
        bad = [(module.name, why) for module in modules if (why := why_not(module)) is not None]
        print(f"{' '.join(draw)}: {len(modules)} modules, {len(bad)} do not become objects")
        if not modules:
            failures.append(f"{' '.join(draw)}: no module was written to TENON_DUMP_TO as *.kernels.ll")
        failures += [f"{' '.join(draw)}: {name}: {why}" for name, why in bad]
if failures:
    sys.exit("\n".join(failures))
