"""Ratios JAX / Tenon in one run, alternating: argv[1] is the program against_jax. One thread each."""
import json
import os
import statistics
import subprocess
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})

import jax
import jax.numpy as jnp
import numpy as np


def median_time(call, seconds=0.25):
    call()
    times, start = [], time.perf_counter()
    while time.perf_counter() - start < seconds or len(times) < 5:
        t = time.perf_counter()
        call()
        times.append(time.perf_counter() - t)
    return statistics.median(times)


def jax_figures():
    x = jnp.asarray((np.arange(1000 * 1000) % 20000 * 1e-3 - 10).astype(np.float32).reshape(1000, 1000))
    a, b = jnp.float32(1.7), jnp.float32(0.3)
    f = jax.jit(lambda x, a, b: jnp.sin(x) * a + b)
    figures = {"sin_mul_add_run": median_time(lambda: f(x, a, b).block_until_ready())}

    totals = []
    for i in range(20):
        start = time.perf_counter()
        jax.jit(lambda x, a, b: jnp.sin(x) * a + b * float(i)).lower(x, a, b).compile()
        totals.append(time.perf_counter() - start)
    figures["sin_mul_add_compile"] = statistics.median(totals)

    small = jnp.ones(8)
    g = jax.jit(lambda x: x + 1.0)
    g(small)

    def thousand():
        for _ in range(1000):
            g(small)
    figures["jitted_call_f32_8"] = median_time(thousand) / 1000
    return figures


def our_figures(program):
    lines = subprocess.run([program, "--threads", "1"], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line["id"]: line["seconds"] for line in map(json.loads, lines)}


def main():
    rounds = [(our_figures(sys.argv[1]), jax_figures()) for _ in range(9)]
    for key in rounds[0][0]:
        ratios = [theirs[key] / ours[key] for ours, theirs in rounds]
        ours = statistics.median(r[0][key] for r in rounds)
        theirs = statistics.median(r[1][key] for r in rounds)
        print(f"{key:22} tenon {ours:.3e} s   jax {theirs:.3e} s   ratio {min(ratios):.2f} .. {statistics.median(ratios):.2f} .. {max(ratios):.2f}")


if __name__ == "__main__":
    main()
