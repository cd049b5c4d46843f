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

with tempfile.TemporaryDirectory() as folder:
    environment = dict(os.environ, TENON_DUMP_TO=folder, TENON_CPU_TARGET="baseline")
    for seed, most in (("1", "6000"), ("1000", "110000")):
        subprocess.run([fuzz, "--programs", "10", "--ways", "drawn", "--max-ops", "16", "--seed", seed, "--max-elements", most], env=environment, check=True)
    modules = sorted(pathlib.Path(folder).glob("*.kernels.ll"))
    assert len(modules) >= 15, modules
    for module in modules:
        text = module.read_text()
        text = re.sub(r'^target (datalayout|triple) = .*\n', "", text, flags=re.M)  # llc puts its own
        text = re.sub(r'"(target|tune)-cpu"="[^"]*"', "", text)
        module.write_text(text)
        made = subprocess.run([llc, "-mtriple=aarch64-linux-gnu", "-relocation-model=pic", "-filetype=obj", "-o", os.devnull, module],
                              capture_output=True, text=True)
        if made.returncode != 0:
            sys.exit(f"{module.name}: {made.stderr[:2000]}")
    print(f"{len(modules)} modules")
