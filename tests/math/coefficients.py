"""Are the tables of src/math those that its scripts compute? Each is made anew and looked for, number by number.

    python3 coefficients.py src/math     (needs mpmath, scipy; exits 77 without them)
"""

import contextlib
import io
import pathlib
import re
import sys

try:
    import mpmath  # noqa: F401
    import scipy  # noqa: F401
except ImportError:
    sys.exit(77)

# scripts/tune_sin.cpp goes on from the minimax polynomial; powers of two are left out of the tables.
TUNED = {"24 bits: sin, 4 terms"}
NUMBER = re.compile(r"(?<![\w.])-?(?:0x[0-9a-f]+(?:\.[0-9a-f]*)?(?:p[+-]?\d+)?|\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?!\w)", re.I)


def numbers(text):
    text = re.sub(r"//.*", "", text)
    return [float.fromhex(n) if "x" in n.lower() else float(n) for n in NUMBER.findall(text)]


def tables(script):
    """(name, numbers) of each table that a script prints: a line with its name, then the table."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        script.main()
    part = name = ""
    for line in printed.getvalue().splitlines():
        if line.startswith("// ----"):
            part = line.strip("/- ").split(",")[0] + ": "
        elif line.startswith("// "):
            name = line[3:].split(": ")[0]
        elif line.strip():
            yield part + name, numbers(line)


def main():
    folder = pathlib.Path(sys.argv[1])
    sys.argv = sys.argv[:1]
    sys.path.insert(0, str(folder))
    import coefficients
    import gamma_coefficients

    sources = [numbers(file.read_text()) for file in sorted(folder.iterdir()) if file.suffix in (".h", ".cpp")]
    found, missing = 0, []
    for script in (coefficients, gamma_coefficients):
        for name, table in tables(script):
            first = table[0]
            if any(source[i:i + len(table)] == table for source in sources
                   for i, number in enumerate(source) if number == first):
                found += 1
            elif name not in TUNED:
                missing.append(f"{name}: {[n.hex() for n in table]}")
    print(f"{found} tables of {folder} are what the scripts compute")
    for line in missing:
        print("not found:", line)
    sys.exit(1 if missing or found == 0 else 0)


if __name__ == "__main__":
    main()
