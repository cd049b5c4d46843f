#!/usr/bin/env python3
"""Processes that share a persistent cache are killed at random moments: whoever comes next has the right numbers.

check_cache_kills.py CACHE_USER [--kills 60] [--seed 1]
"""
import argparse
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

AT_ONCE = 8

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--kills", type=int, default=60)
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()
random.seed(options.seed)


def run(directory):
    done = subprocess.run([options.program, directory], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}: {done.stderr}")
    return done.stdout


begin = time.monotonic()
expected = run("-")
longest = time.monotonic() - begin
killed = finished = entries = 0
while killed < options.kills:
    with tempfile.TemporaryDirectory() as directory:
        for _ in range(3):  # the directory fills up
            processes = [subprocess.Popen([options.program, directory], stdout=subprocess.PIPE, text=True) for _ in range(AT_ONCE)]
            for process in random.sample(processes, len(processes)):
                time.sleep(random.uniform(0, longest / 2))
                if process.poll() is None:
                    process.send_signal(signal.SIGKILL)
                    killed += 1
            for process in processes:
                out = process.communicate()[0]
                if process.returncode == 0:
                    finished += 1
                    if out != expected:
                        sys.exit("a process that was not killed has other numbers")
                elif process.returncode != -signal.SIGKILL:
                    sys.exit(f"a process ended by itself: {process.returncode}")
        for _ in range(2):
            if run(directory) != expected:
                sys.exit(f"wrong numbers after {killed} kills")
        entries += sum(1 for file in pathlib.Path(directory).iterdir() if file.name.endswith("-cache"))
print(f"{killed} processes killed, {finished} finished, {entries} entries read: all numbers right")
if killed < options.kills or entries == 0:
    sys.exit("too few")
