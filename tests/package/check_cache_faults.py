#!/usr/bin/env python3
"""Every call by which the persistent cache touches files fails in turn: the numbers stay right, a warning tells where a file was not read or
written, and the next process has right numbers too.

check_cache_faults.py CACHE_USER FAULTS_LIBRARY
"""
import errno
import os
import pathlib
import subprocess
import sys
import tempfile

program, library = sys.argv[1:3]
PROGRAMS = "2"
CALLS = ["mkdir", "open", "read", "write", "fsync", "fstat", "rename", "link", "unlink", "utimensat", "mmap"]
# What keeps an entry from being written or read: these must be said.
TELLING = {"open", "read", "write", "fsync", "fstat", "rename", "mmap"}
FAULTS = [errno.ENOSPC, errno.EIO, errno.EACCES, "short"]


def run(directory, **fault):
    environment = dict(os.environ, **{key: str(value) for key, value in fault.items()})
    if fault:
        environment["LD_PRELOAD"] = library
    done = subprocess.run([program, str(directory), PROGRAMS], capture_output=True, text=True, timeout=120, env=environment)
    if done.returncode != 0:
        sys.exit(f"{fault}: exit code {done.returncode}: {done.stderr}")
    counts = dict(word.split("=") for word in done.stderr.split())
    return done.stdout, {key: int(value) for key, value in counts.items()}


expected, _ = run("-")
tried = {}
for call in CALLS:
    for fault in FAULTS:
        if fault == "short" and call not in ("read", "write"):
            continue
        for filled in (False, True):  # while it writes, while it reads
            for nth in range(1, 100):
                with tempfile.TemporaryDirectory() as parent:
                    directory = pathlib.Path(parent) / "cache"
                    if filled and run(directory)[0] != expected:
                        sys.exit("wrong numbers without any fault")
                    report = pathlib.Path(parent) / "report"
                    what = dict(FAULT_DIR=directory, FAULT_CALL=call, FAULT_NTH=nth, FAULT_ERRNO=fault, FAULT_REPORT=report)
                    out, counts = run(directory, **what)
                    if out != expected:
                        sys.exit(f"{what}: other numbers")
                    if not report.exists():
                        break  # there is no such call
                    tried[call] = tried.get(call, 0) + 1
                    if fault == "short" and counts["warnings"] > 0:
                        sys.exit(f"{what}: the rest was not {call}")
                    if fault != "short" and call in TELLING and counts["warnings"] == 0 and counts["hits"] + counts["written"] < int(PROGRAMS):
                        sys.exit(f"{what}: nothing was said; {counts}")
                    out, counts = run(directory)
                    if out != expected:
                        sys.exit(f"{what}: the next process has other numbers")
                    if [file for file in directory.iterdir() if file.name.startswith(".tenon-")]:
                        sys.exit(f"{what}: a temporary file stays")
            else:
                sys.exit(f"{call} never ends")
print("faults of calls:", ", ".join(f"{call} {count}" for call, count in tried.items()))
for call in ("open", "read", "write", "rename"):
    if tried.get(call, 0) < 4:
        sys.exit(f"{call} was hardly called: {tried}")
