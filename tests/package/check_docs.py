#!/usr/bin/env python3
"""Compiles and runs the C++ blocks of pages: a block without main() becomes one, a struct stands before it."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

arguments = argparse.ArgumentParser()
arguments.add_argument("--compiler", required=True)
arguments.add_argument("--prefix", required=True, type=pathlib.Path)
arguments.add_argument("pages", nargs="+", type=pathlib.Path)
options = arguments.parse_args()


def program(block):
    if "int main" in block:
        return block
    structs = re.findall(r"^struct .*$", block, re.M)
    body = re.sub(r"^struct .*$", "", block, flags=re.M)
    return ("#include <tenon/tenon.h>\n#include <tenon/testkit.h>\n#include <iostream>\nusing namespace tenon;\n" +
            "\n".join(structs) + "\nint main() {\n" + body + "\n}\n")


failures = count = 0
with tempfile.TemporaryDirectory() as folder:
    source, binary = pathlib.Path(folder) / "block.cpp", pathlib.Path(folder) / "block"
    for page in options.pages:
        for block in re.findall(r"^```cpp\n(.*?)^```", page.read_text(), re.M | re.S):
            count += 1
            source.write_text(program(block))
            lib = options.prefix / "lib"
            build = [options.compiler, "-std=c++20", "-Wall", "-Wno-unused-variable", "-Wno-unused-but-set-variable",
                     f"-I{options.prefix}/include", str(source), "-o", str(binary), f"-L{lib}", "-ltenon", f"-Wl,-rpath,{lib}"]
            for command in (build, [str(binary)]):
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode != 0:
                    failures += 1
                    print(f"{page}, block {count}: {' '.join(command[:1])} gives {done.returncode}\n{done.stderr[:3000]}\n{block}")
                    break
print(f"{count} blocks, {failures} failures")
sys.exit(1 if failures or count == 0 else 0)
