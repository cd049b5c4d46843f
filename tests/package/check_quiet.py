#!/usr/bin/env python3
"""Runs PROGRAM with stdout and stderr on pipes; it must succeed and write nothing. The program speaks when given an argument."""

import subprocess
import sys


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=240)
    return done.returncode, done.stdout, done.stderr


program = sys.argv[1]
code, out, err = run(program)
wrong = []
if code != 0:
    wrong.append(f"exit status {code}")
if out or err:
    wrong.append(f"written to stdout: {out!r}, to stderr: {err!r}")
_, out, err = run(program, "speak")
if b"spoken" not in out or b"spoken" not in err:
    wrong.append("self test: output of the program was not seen")
print("\n".join(wrong) or "quiet")
sys.exit(1 if wrong else 0)
