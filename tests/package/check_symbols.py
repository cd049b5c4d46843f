#!/usr/bin/env python3
"""Checks that a shared library exports names of tenon only.

Usage: check_symbols.py LIBRARY
       check_symbols.py --self-test COMPILER   build a library that exports a name of LLVM; it must be caught
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# Functions and variables of namespace tenon; their type information, tables and guards; the C interface.
OURS = re.compile(r"^(_ZN[KRO]*5tenon|_ZZN[KRO]*5tenon|_ZG[VR]Z?N5tenon|_ZT[ISVTWH]N5tenon|_ZT[hv]n?[0-9_n]+N[KRO]*5tenon|tenon_)")


def check(library):
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    names = [line.split()[-1].split("@")[0] for line in listing.splitlines() if line.strip()]
    foreign = [n for n in names if not OURS.match(n) or "4llvm" in n or "4mlir" in n]
    return names, foreign


def self_test(compiler):
    source = """
    namespace llvm { struct Value { virtual ~Value(); }; Value::~Value() {} void fail() {} }
    namespace tenon { void eval(llvm::Value*) {} void good() {} int tenon_x; }
    extern "C" void LLVMShutdown() {}
    extern "C" void tenon_good() {}
    """
    with tempfile.TemporaryDirectory() as folder:
        cpp, library = pathlib.Path(folder) / "a.cpp", pathlib.Path(folder) / "liba.so"
        cpp.write_text(source)
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, cpp], check=True)
        names, foreign = check(library)
    for name in ("_ZN4llvm4failEv", "_ZTVN4llvm5ValueE", "LLVMShutdown", "_ZN5tenon4evalEPN4llvm5ValueE"):
        assert name in foreign, f"{name} was not caught in {foreign}"
    for name in ("_ZN5tenon4goodEv", "tenon_good"):
        assert name in names and name not in foreign, f"{name} was blamed"
    print("symbols: foreign names are caught")


if sys.argv[1] == "--self-test":
    self_test(sys.argv[2])
else:
    names, foreign = check(sys.argv[1])
    print(f"{len(names)} names exported, {len(foreign)} of them not ours")
    print("\n".join(foreign[:20]))
    sys.exit(1 if foreign or not names else 0)
