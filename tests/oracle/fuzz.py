"""Judges random programs by XLA: argv[1] is oracle_fuzz, which makes them.

XLA computes some things otherwise (its own transcendentals, contraction, flushed subnormals, sums in another order).
How much that may show in an element of a result noisy runs of the program tell (noisy_run.h): where they agree on its kind
(NaN, infinite, which integer) XLA must too, and a finite number of XLA must lie where theirs do, or not far. Where they do
not agree, the element is undecided; where they leave room for a part of the number, it is judged loosely. Both are counted.
An element that looks bad after a few noisy runs is judged again by many, then by some that do what XLA is known to do.
"""
import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

import jax
import ml_dtypes
import numpy as np

from judge import run_by_xla

jax.config.update("jax_enable_x64", True)
np.seterr(all="ignore")

FEW, MANY = 8, 200  # noisy runs
SPREADS = 3  # how far outside a number may be, in widths of where the noisy runs lie
ULPS = 4
LOOSE = 0.02  # of the number
ENOUGH = 0.8  # part of the elements that must be judged, and not loosely
REFUSED = ("UNIMPLEMENTED: binary complex op",)  # what XLA has no code for on a CPU: the larger of two complex numbers

Judged = collections.namedtuple("Judged", "bad decided loose")


def load(path):
    array = np.load(path)
    return array.view(ml_dtypes.bfloat16) if array.dtype == np.dtype("V2") else array


def numbered(directory, stem):
    found = []
    while (path := directory / f"{stem}.{len(found)}.npy").exists():
        found.append(load(path))
    return found


def kind(x):
    return np.where(np.isnan(x), 2, np.where(np.isinf(x), np.sign(x), 0))


def judge_floats(runs, theirs, size):
    """`size`: of the numbers, for the last place; of complex numbers both parts count."""
    info = ml_dtypes.finfo(theirs.dtype)
    runs, theirs = runs.astype(np.longdouble), theirs.astype(np.longdouble)
    decided = (kind(runs) == kind(runs[0])).all(0)
    finite = decided & np.isfinite(runs[0])
    low, high = np.where(finite, runs.min(0), 0), np.where(finite, runs.max(0), 0)
    size = np.where(finite, np.where(np.isfinite(size), size.astype(np.longdouble), np.abs(runs[0])), 0)
    room = SPREADS * (high - low) + ULPS * np.maximum(size * float(info.eps), float(info.smallest_subnormal))
    inside = (low - room <= theirs) & (theirs <= high + room)
    overflow = np.isinf(theirs) & (np.maximum(np.abs(low), np.abs(high)) + room > float(info.max))
    bad = np.where(finite, ~inside & ~overflow, decided & (kind(theirs) != kind(runs[0])))
    return Judged(bad, decided, finite & (room > LOOSE * size + float(info.tiny)))


def judge(runs, theirs):
    """`runs`: ours, then the noisy ones, along axis 0."""
    if runs.dtype.kind == "c":
        parts = [judge_floats(part(runs), part(theirs), np.abs(runs[0])) for part in (np.real, np.imag)]
        return Judged(parts[0].bad | parts[1].bad, parts[0].decided & parts[1].decided, parts[0].loose | parts[1].loose)
    if runs.dtype.kind == "f" or runs.dtype == ml_dtypes.bfloat16:
        return judge_floats(runs, theirs, np.abs(runs[0]))
    decided = (runs == runs[0]).all(0)
    return Judged(decided & (runs[0] != theirs), decided, np.zeros(decided.shape, bool))


class Judge:
    def __init__(self, options, directory):
        self.options, self.directory = options, directory
        self.ways = subprocess.run([options.binary], capture_output=True, text=True, check=True).stdout.splitlines()
        self.counts, self.explained, self.failed = collections.Counter(), collections.Counter(), 0

    def make(self, seed, programs, runs, way=-1):
        subprocess.run([self.options.binary, *map(str, (self.directory, seed, programs, self.options.max_elements,
                                                        self.options.wrapped, runs, way))], check=True)

    def complain(self, seed, text):
        print(f"seed {seed}{text}\n{(self.directory / f'{seed}.txt').read_text()}", flush=True)
        self.failed += 1

    def judge_all(self, seed, theirs):
        return [judge(runs, x) for runs, x in zip(self.results(seed), theirs)]

    def results(self, seed):
        found = []
        while runs := numbered(self.directory, f"{seed}.out{len(found)}"):
            found.append(np.stack(runs))
        return found

    def judge_again(self, seed, theirs, judged):
        """With more noise, then in each of XLA's ways: an element is as bad as the mildest of the judges says."""
        for way in range(-1, len(self.ways)):
            if not any(x.bad.any() for x in judged):
                return judged
            self.make(seed, 1, MANY, way)
            again = self.judge_all(seed, theirs)
            if way >= 0:
                self.explained[way] += sum((x.bad & ~y.bad).sum() for x, y in zip(judged, again))
            judged = [Judged(x.bad & y.bad, np.where(x.bad, y.decided, x.decided), np.where(x.bad, y.loose, x.loose))
                      for x, y in zip(judged, again)]
        return judged

    def program(self, seed):
        try:
            theirs = run_by_xla((self.directory / f"{seed}.mlir").read_text(), numbered(self.directory, f"{seed}.in"))
        except Exception as error:
            if any(known in str(error) for known in REFUSED):
                self.counts["refused"] += 1
                return None
            return self.complain(seed, f": XLA refuses it: {str(error)[:300]}")
        ours = self.results(seed)
        if [(x.shape[1:], x.dtype) for x in ours] != [(x.shape, x.dtype) for x in theirs]:
            return self.complain(seed, f": results {[x[0].dtype for x in ours]} against {[x.dtype for x in theirs]}")
        judged = self.judge_again(seed, theirs, self.judge_all(seed, theirs))
        self.counts["programs"] += 1
        for k, x in enumerate(judged):
            for name, elements in (("all", np.ones_like(x.bad)), ("undecided", ~x.decided), ("loose", x.loose), ("bad", x.bad)):
                self.counts[name] += elements.sum()
            if x.bad.any():
                at = tuple(np.argwhere(x.bad)[0])
                noisy = " ".join(sorted({str(run[at]) for run in self.results(seed)[k][1:]})[:8])
                self.complain(seed, f", result {k} {theirs[k].dtype}: {x.bad.sum()} of {x.bad.size} elements, the first {[int(i) for i in at]}: "
                                    f"XLA {theirs[k][at]}, ours {ours[k][0][at]}, noisy {noisy}")

    def run(self):
        first, end = self.options.seed, self.options.seed + self.options.programs
        self.make(first, self.options.programs, FEW)
        for seed in range(first, end):
            self.program(seed)
            for path in self.directory.glob(f"{seed}.*"):
                path.unlink()
        counts = self.counts
        judged = counts["all"] - counts["undecided"] - counts["loose"]
        print(f"{counts['programs']} programs, {counts['all']} elements of results: {judged} judged, {counts['loose']} judged loosely, "
              f"{counts['undecided']} undecided, {counts['bad']} bad; {counts['refused']} programs XLA has no code for")
        for way, reason in enumerate(self.ways):
            print(f"  {self.explained[way]:>8}  XLA {reason}")
        if judged < ENOUGH * counts["all"]:
            print(f"less than {ENOUGH:.0%} of the elements could be judged")
            self.failed += 1
        return 1 if self.failed or not counts["programs"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--programs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-elements", type=int, default=600)
    parser.add_argument("--wrapped", type=float, default=0.4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        sys.exit(Judge(options, pathlib.Path(directory)).run())


if __name__ == "__main__":
    main()
