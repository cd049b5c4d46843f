#!/usr/bin/env python3
"""Holds the #includes of src/ and include/, and the link dependencies of src/CMakeLists.txt, to docs/architecture.md.

Usage: check_layers.py ROOT              check the tree
       check_layers.py ROOT --self-test  check that bad includes are caught
"""

import pathlib
import re
import sys
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)
# Heavy to parse; a user's translation unit shall not pay for them.
HEAVY = {"memory", "functional", "filesystem", "iostream", "thread", "complex", "map"}
SOURCES = ("*.h", "*.cpp", "*.inc")


class Room:
    def __init__(self, name, folder, mlir, arrows, headers):
        self.name, self.folder, self.mlir, self.arrows, self.headers = name, folder, mlir, arrows, headers


def read_table(text):
    """Room by name, from the table between the two `layers` marks."""
    table = text.split("<!-- layers: begin -->")[1].split("<!-- layers: end -->")[0]
    rooms = {}
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 5 or not cells[0].startswith("`"):
            continue
        name = cells[0].strip("`")
        quoted = lambda cell: re.findall(r"`([^`]+)`", cell)
        rooms[name] = Room(name, cells[1], cells[2] == "yes", quoted(cells[3]), quoted(cells[4]))
    return rooms


def read_link_dependencies(text):
    text = re.sub(r"#.*", "", text)
    links = {}
    for call in re.findall(r"tenon_room\(([^)]*)\)", text):
        words = call.split()
        at = words.index("DEPENDS") if "DEPENDS" in words else len(words)
        links[words[0]] = (set(words[at + 1:]), "MLIR" in words[:at])
    return links


def check(root):
    """What is wrong with the tree below `root`, one sentence each."""
    rooms = read_table((root / "docs/architecture.md").read_text())
    owner = {header: room for room in rooms.values() for header in room.headers}
    by_folder = sorted(rooms.values(), key=lambda room: -len(room.folder))
    wrong = []

    def room_of(path):
        return next((r for r in by_folder if path == r.folder or path.startswith(r.folder + "/")), None)

    def may_use_header(room, header):
        return (header in room.arrows or owner[header] is room or owner[header].name in room.arrows
                or "include" in room.arrows)

    for name, (depends, mlir) in read_link_dependencies((root / "src/CMakeLists.txt").read_text()).items():
        if name not in rooms:
            wrong.append(f"src/CMakeLists.txt: room {name} has no row in docs/architecture.md")
            continue
        arrows = {owner[a].name if a in owner else a for a in rooms[name].arrows}
        if "include" in arrows:  # stands for any public header, so for any room that owns one
            arrows = depends if depends <= {room.name for room in owner.values()} else arrows
        if depends != arrows or mlir != rooms[name].mlir:
            wrong.append(f"src/CMakeLists.txt: tenon_room({name} ...) and docs/architecture.md differ: "
                         f"{sorted(depends)} {mlir} and {sorted(arrows)} {rooms[name].mlir}")

    files = sorted(p for top in ("src", "include") for kind in SOURCES for p in (root / top).rglob(kind))
    for path in files:
        where = path.relative_to(root).as_posix()
        public = where.startswith("include/")
        if public:
            header = where.removeprefix("include/tenon/")
            room = owner.get(header)
            if room is None:
                wrong.append(f"{where}: no room owns this public header; add it to docs/architecture.md")
                continue
        else:
            room = room_of(where.removeprefix("src/"))
            if room is None:
                wrong.append(f"{where}: this folder is no room of docs/architecture.md")
                continue
        text = path.read_text(errors="replace")
        if public and "#pragma GCC visibility push(default)" not in text and header != "tenon.h":
            wrong.append(f"{where}: declares nothing visible; wrap it in #pragma GCC visibility push(default) ... pop")
        for mark, included in INCLUDE.findall(text):
            first = included.split("/")[0]
            if first == "tenon":
                header = included.removeprefix("tenon/")
                if header not in owner:
                    wrong.append(f"{where}: includes {included}, which no room owns")
                elif not may_use_header(room, header):
                    wrong.append(f"{where}: {room.name} may not include {included} of {owner[header].name}")
            elif first.startswith(("mlir", "llvm", "clang")) and "/" in included:
                if public:
                    wrong.append(f"{where}: public header includes {included}; no LLVM or MLIR in include/")
                elif not room.mlir:
                    wrong.append(f"{where}: {room.name} is a room without MLIR, but includes {included}")
            elif mark == "<":
                if public and included in HEAVY:
                    wrong.append(f"{where}: public header includes <{included}>, which is slow to parse")
            else:
                target = room_of(included)
                if target is None:
                    if "/" in included:
                        wrong.append(f"{where}: includes {included}, which is in no room")
                    elif not (path.parent / included).exists():
                        wrong.append(f"{where}: includes {included}; name headers by their path from the root")
                elif public:
                    wrong.append(f"{where}: public header includes {included} of src/")
                elif target is not room and target.name not in room.arrows:
                    wrong.append(f"{where}: {room.name} may not include {included} of {target.name}")
    return wrong, len(files)


def self_test(root):
    """Plants one bad include after the other in a small tree; each must be named, and nothing else."""
    visible = "#pragma GCC visibility push(default)\n"
    good = {
        "src/core/a.h": '#include "base/a.h"\n#include "tenon/array.h"\n#include "tenon/shape.h"\n',
        "src/passes/a.cpp": '#include "dialect/a.h"\n#include "mlir/IR/Builders.h"\n#include <vector>\n',
        "src/library/a.cpp": '#include "tenon/jit.h"\n#include "library/a.h"\n',
        "src/transforms/a.cpp": '#include "tenon/lax.h"\n',
        "include/tenon/array.h": visible + '#include "tenon/shape.h"\n',
        "include/tenon/shape.h": visible,
    }
    bad = {
        "src/core/x.cpp": ['#include "passes/a.h"', '#include "mlir/IR/Builders.h"', '#  include <llvm/ADT/APInt.h>',
                           '#include "tenon/lax.h"', '#include "nowhere/a.h"', '#include "tenon/nowhere.h"'],
        "src/transforms/x.cpp": ['#include "ops/rules.h"'],
        "src/backends/cpu/x.cpp": ['#include "backends/reference/a.h"', '#include "evaluator/a.h"'],
        "src/library/x.cpp": ['#include "passes/a.h"'],
        "src/attic/x.cpp": ["int x;"],
        "include/tenon/array.h": [visible + '#include "core/a.h"', visible + "#include <functional>",
                                  visible + '#include "tenon/lax.h"', visible + '#include "mlir/IR/Builders.h"',
                                  "int not_exported();"],
        "include/tenon/attic.h": [visible],
    }
    missed = []
    for where, texts in [("", [""])] + list(bad.items()):
        for text in texts:
            with tempfile.TemporaryDirectory() as folder:
                tree = pathlib.Path(folder)
                for name, content in {**good, **({where: text + "\n"} if where else {})}.items():
                    (tree / name).parent.mkdir(parents=True, exist_ok=True)
                    (tree / name).write_text(content)
                (tree / "docs").mkdir()
                for name in ("docs/architecture.md", "src/CMakeLists.txt"):
                    (tree / name).write_text((root / name).read_text())
                wrong, _ = check(tree)
                if len(wrong) != (1 if where else 0) or any(not w.startswith(where) for w in wrong):
                    missed.append(f"planted {where}: {text!r}; found {wrong}")
    return missed


def main():
    root = pathlib.Path(sys.argv[1])
    if "--self-test" in sys.argv:
        wrong, count = self_test(root), None
    else:
        wrong, count = check(root)
    for sentence in wrong:
        print(sentence)
    print(f"layers: {len(wrong)} wrong" + (f" in {count} files" if count is not None else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
