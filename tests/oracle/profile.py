#!/usr/bin/env python3
"""jaxlib's reader and ours find the same in a trace of ours. Usage: profile.py PROGRAM"""

import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

from jax.profiler import ProfileData

with tempfile.TemporaryDirectory() as folder:
    printed = subprocess.run([sys.argv[1], folder], check=True, capture_output=True, text=True).stdout
    ours = [line.split("\t") for line in printed.splitlines()]
    path = next(fields[1] for fields in ours if fields[0] == "file")
    theirs, stats = [], {}
    for plane in ProfileData.from_file(path).planes:
        theirs.append(["plane", plane.name])
        for line in plane.lines:
            theirs.append(["line", line.name])
            for event in line.events:
                theirs.append(["event", event.name, event.start_ns, event.duration_ns])
                stats.setdefault(event.name, []).append(dict(event.stats))
    ours = [fields for fields in ours if fields[0] in ("plane", "line", "event")]
    assert len(ours) == len(theirs), f"{len(ours)} and {len(theirs)} items"
    for a, b in zip(ours, theirs):
        assert a[:2] == b[:2], f"{a} and {b}"
        if a[0] == "event":
            # Their starts are float64 since 1970: good to 256 ns.
            assert abs(int(a[2]) - b[2]) <= 512 and abs(float(a[3]) - b[3]) <= 1e-3, f"{a} and {b}"
    events = sum(a[0] == "event" for a in ours)
    assert events > 50
    assert [s["step_num"] for s in stats["train"]] == [0, 1, 2] and all(s["_r"] == 1 for s in stats["train"])
    assert stats["inner"][2]["rate"] == 0.5 and stats["inner"][2]["what"] == "text" and stats["inner"][2]["i"] == 2
    assert len(stats["PjitFunction(step)"]) == 3
    assert any("fusion" in name and stat[0].get("hlo_module") == "jit_step" for name, stat in stats.items())

    # The JSON has the same events.
    trace = json.loads(gzip.decompress(next(pathlib.Path(path).parent.glob("*perfetto_trace.json.gz")).read_bytes()))
    complete = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert len(complete) == events, f"{len(complete)} events in the JSON, {events} in the XSpace"
    print(f"{events} events agree")
