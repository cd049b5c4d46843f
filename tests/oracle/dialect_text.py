"""Judges the dialect's texts by the original parser and printer.

    dialect_text.py ../dialect/text            compares NAME.mlir with what the original makes of NAME.generic.mlir
    dialect_text.py --write ../dialect/text    writes NAME.mlir
    dialect_text.py --tenon-opt BINARY FILE... each FILE, as tenon-opt prints it, is the same module to the original
"""
import argparse
import pathlib
import subprocess
import sys

from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir


def print_by_original(text):
    with jax_mlir.make_ir_context():
        module = ir.Module.parse(text)
        module.operation.verify()
        return module.operation.get_asm()


def compare_folder(folder, write):
    failures = 0
    for generic in sorted(pathlib.Path(folder).glob("*.generic.mlir")):
        target = generic.with_name(generic.name.replace(".generic", ""))
        text = print_by_original(generic.read_text())
        if write:
            target.write_text(text)
        elif text != target.read_text() or print_by_original(text) != text:
            print(f"{target} is not what the original prints")
            failures += 1
    return failures


def compare_tool(binary, files):
    failures = 0
    for path in files:
        ours = subprocess.run([binary, path], capture_output=True, text=True)
        if ours.returncode != 0:
            print(f"{path}: {ours.stderr.strip()}")
            failures += 1
        elif print_by_original(ours.stdout) != print_by_original(pathlib.Path(path).read_text()):
            print(f"{path}: another module than the file's")
            failures += 1
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--tenon-opt")
    arguments = parser.parse_args()
    if arguments.tenon_opt:
        failures = compare_tool(arguments.tenon_opt, arguments.paths)
    else:
        failures = sum(compare_folder(folder, arguments.write) for folder in arguments.paths)
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
