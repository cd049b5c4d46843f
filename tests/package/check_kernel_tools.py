#!/usr/bin/env python3
"""gdb stops in a kernel and shows the user's line; perf's map and jitdump name it. Usage: check_kernel_tools.py PROGRAM SOURCE"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

program, source = sys.argv[1], pathlib.Path(sys.argv[2])
lines = [number for number, text in enumerate(source.read_text().splitlines(), 1) if "jnp::sin(x)" in text or "y * 2 + 1" in text]
environment = os.environ | {"TENON_NUM_THREADS": "1"}


def run(tools, **more):
    process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True, env=environment | {"TENON_KERNEL_TOOLS": tools} | more)
    out = process.communicate(timeout=120)[0]
    assert process.returncode == 0 and out.startswith("2.68"), (process.returncode, out)
    return process.pid


map_file = pathlib.Path(f"/tmp/perf-{run('perf')}.map")
entries = [line.split() for line in map_file.read_text().splitlines()]
map_file.unlink()
kernel = next(name for _, _, name in entries if "fusion" in name)
assert all(int(address, 16) > 0 and int(size, 16) > 0 for address, size, _ in entries), entries

with tempfile.TemporaryDirectory() as folder:
    run("jitdump", JITDUMPDIR=folder)
    dumps = [path.read_bytes() for path in pathlib.Path(folder).rglob("*.dump")]
    assert len(dumps) == 1 and dumps[0][:4] == b"DTiJ" and kernel.encode() in dumps[0] and source.name.encode() in dumps[0]

done = subprocess.run([program], capture_output=True, text=True, env=environment | {"TENON_KERNEL_TOOLS": "gdb,strace"})
assert done.returncode != 0 and "there is no tool 'strace'; there are: gdb, perf, jitdump" in done.stderr, done.stderr

if not shutil.which("gdb"):
    print("no gdb here: the rest was skipped")
    sys.exit(0)
done = subprocess.run(
    ["gdb", "-batch", "-nx", "-ex", "set debuginfod enabled off", "-ex", "set breakpoint pending on", "-ex", f"break {kernel}", "-ex", "run",
     "-ex", "bt", "-ex", "info line", program],
    capture_output=True, text=True, env=environment | {"TENON_KERNEL_TOOLS": "gdb"}, timeout=300)
frame = re.search(rf"#0 .*{re.escape(kernel)}.* at (\S+):(\d+)", done.stdout)
assert frame, done.stdout + done.stderr
assert frame[1].endswith(source.name) and int(frame[2]) in lines, (frame[0], lines)
assert "main" in done.stdout.split("#0", 1)[1], done.stdout
print(frame[0])
