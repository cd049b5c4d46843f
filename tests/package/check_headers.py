#!/usr/bin/env python3
"""Each public header must compile alone, with warnings as errors."""

import argparse
import concurrent.futures
import pathlib
import subprocess
import sys

arguments = argparse.ArgumentParser()
arguments.add_argument("--compiler", required=True)
arguments.add_argument("--include", required=True, type=pathlib.Path)
options = arguments.parse_args()
EIGEN = pathlib.Path("/usr/include/eigen3")  # eigen.h alone needs it
headers = sorted(p.relative_to(options.include).as_posix() for p in options.include.rglob("*.h") if EIGEN.exists() or p.name != "eigen.h")


def compile_alone(header):
    command = [options.compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{options.include}", "-isystem", str(EIGEN), "-xc++", "-"]
    # Twice: the second must be empty.
    text = f"#include <{header}>\n#include <{header}>\nint main() {{}}\n"
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    return header, done.returncode, done.stderr


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    failed = [(header, text) for header, code, text in pool.map(compile_alone, headers) if code != 0]
for header, text in failed:
    print(f"{header} does not compile alone:\n{text[:3000]}")
print(f"{len(headers)} headers, {len(failed)} fail")
sys.exit(1 if failed or not headers else 0)
