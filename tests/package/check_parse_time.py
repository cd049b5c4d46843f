#!/usr/bin/env python3
"""What `#include <tenon/tenon.h>` costs over a file with the same standard headers: CPU seconds, best of several runs."""

import argparse
import pathlib
import re
import resource
import subprocess
import sys

arguments = argparse.ArgumentParser()
arguments.add_argument("--compiler", required=True)
arguments.add_argument("--include", required=True, type=pathlib.Path)
arguments.add_argument("--max-ratio", required=True, type=float)
arguments.add_argument("--runs", type=int, default=7)
options = arguments.parse_args()


def standard_headers(header, seen):
    """Names in <> which `header` and the public headers below it include."""
    if header in seen:
        return set()
    seen.add(header)
    text = (options.include / header).read_text()
    own = set(re.findall(r"^\s*#\s*include\s+[<\"](tenon/[^>\"]+)[>\"]", text, re.M))
    found = set(re.findall(r"^\s*#\s*include\s+<([^>/]+)>", text, re.M))
    for name in own:
        found |= standard_headers(name, seen)
    return found


def cpu_seconds(text):
    command = [options.compiler, "-std=c++20", "-fsyntax-only", f"-I{options.include}", "-xc++", "-"]
    times = []
    for _ in range(options.runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, input=text, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return min(times)


standard = sorted(standard_headers("tenon/tenon.h", set()))
with_tenon = cpu_seconds("#include <tenon/tenon.h>\n")
without = cpu_seconds("".join(f"#include <{name}>\n" for name in standard))
ratio = with_tenon / without
print(f"tenon.h {with_tenon:.3f} s, its standard headers ({' '.join(standard)}) {without:.3f} s: "
      f"{with_tenon - without:.3f} s more, {ratio:.2f} times; at most {options.max_ratio}")
sys.exit(0 if ratio <= options.max_ratio else 1)
