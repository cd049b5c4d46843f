"""Ratios JAX / Tenon in one run, workload by workload in turn: what tenon-bench times, written for JAX.

    python benchmarks/against_jax.py build/release/bin/tenon-bench [--threads 1] [--rounds 3] [--target 0.25] [--only IDS]

For each id: the median over the rounds of the ratio of medians, and its range. Needs jax (0.12.0.1) and numpy.
"""
import argparse
import fnmatch
import json
import os
import statistics
import subprocess
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--target", type=float, default=0.25)
parser.add_argument("--only", default="*")
options = parser.parse_args()

# Before JAX starts its pool.
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:options.threads])
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

M = 1 << 20
random = np.random.default_rng(1)


def uniform(low, high, *shape):
    return (low + (high - low) * random.random(shape, dtype=np.float32)).astype(np.float32)


def normal(*shape):
    return random.standard_normal(shape, dtype=np.float32)


def indices(bound, *shape):
    return random.integers(0, bound, shape, dtype=np.int32)


def softmax(x):
    e = jnp.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layernorm(x, gamma, beta):
    d = x - x.mean(-1, keepdims=True)
    return d * lax.rsqrt((d * d).mean(-1, keepdims=True) + 1e-5) * gamma + beta


def black_scholes(s, k, t):
    deviation = 0.2 * jnp.sqrt(t)
    d1 = (jnp.log(s / k) + (0.03 + 0.5 * 0.2**2) * t) / deviation
    cdf = lambda v: 0.5 * (1 + lax.erf(v * (1 / np.sqrt(2))))
    return s * cdf(d1) - k * jnp.exp(-0.03 * t) * cdf(d1 - deviation)


def attention(q, k, v):
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) * 0.125
    return softmax(jnp.where(jnp.tri(512, dtype=bool), scores, -1e30)) @ v


def nbody(p, m):
    d = p[None] - p[:, None]
    inverse = lax.rsqrt((d * d).sum(-1) + 1e-2)
    return (d * (m[None] * inverse**3)[..., None]).sum(1)


def newton(a):
    step = lambda c: (c[0] + 1, c[1] - (c[1] * c[1] - a) / (2 * c[1]))
    return lax.while_loop(lambda c: c[0] < 1000, step, (0, jnp.float32(1)))[1]


def mandelbrot(re, im):
    def step(_, carry):
        zr, zi, n = carry
        m = zr * zr + zi * zi <= 4
        return jnp.where(m, zr * zr - zi * zi + re, zr), jnp.where(m, 2 * zr * zi + im, zi), n + m
    z = jnp.zeros_like(re)
    return lax.fori_loop(0, 100, step, (z, z, jnp.zeros(re.shape, jnp.int32)))[2]


def rnn(w, xs):
    def step(h, x):
        h = jnp.tanh(h @ w + x)
        return h, h
    return lax.scan(step, jnp.zeros((32, 128)), xs)


def mlp(x, w1, b1, w2, b2):
    return jnp.maximum(x @ w1 + b1, 0) @ w2 + b2


def cross_entropy(p, x, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(mlp(x, *p)), labels[:, None], 1))


def descend(w1, b1, w2, b2, x, labels):
    p = (w1, b1, w2, b2)
    loss, gradient = jax.value_and_grad(cross_entropy)(p, x, labels)
    return tuple(a - 0.01 * g for a, g in zip(p, gradient)) + (loss,)


def plane():
    c = np.broadcast_to
    return (np.array(c(np.linspace(-2, 0.5, 1024, dtype=np.float32), (1024, 1024))),
            np.array(c(np.linspace(-1.25, 1.25, 1024, dtype=np.float32)[:, None], (1024, 1024))))


def chain(n):
    def f(x, y):
        for i in range(n):
            x = (x + (0.1 + 0.001 * i), x * (0.9 + 0.0001 * i), x - y, None)[i % 4] if i % 4 < 3 else jnp.maximum(x, y)
        return x
    return f


square = lambda n: lambda: (normal(n, n), normal(n, n))
big = lambda: (uniform(-1, 1, 4096, 4096),)
points = lambda: (normal(1000, 64), normal(1500, 64))
multiply = lambda a, b: a @ b
weights = lambda: (normal(784, 1024) / 28, normal(1024) / 10, normal(1024, 10) / 32, normal(10) / 10)

WORKLOADS = {  # id: (function, inputs)
    "sin_mul_add": (lambda x, a, b: jnp.sin(x) * a + b, lambda: (uniform(-10, 10, 1000, 1000), np.float32(1.7), np.float32(0.3))),
    "exp_log_add_1m": (lambda x, y: jnp.exp(jnp.log(x) + y), lambda: (uniform(0.5, 2, 1000, 1000), normal(1000, 1000))),
    "exp_log_add_16m": (lambda x, y: jnp.exp(jnp.log(x) + y), lambda: (uniform(0.5, 2, 16 * M), normal(16 * M))),
    "gelu_tanh": (lambda x: 0.5 * x * (1 + jnp.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x * x * x))), lambda: (normal(4 * M),)),
    "black_scholes": (black_scholes, lambda: (uniform(50, 150, 4 * M), uniform(50, 150, 4 * M), uniform(0.1, 2, 4 * M))),
    "random_normal": (lambda: jax.random.normal(jax.random.key(42), (16 * M,)), lambda: ()),
    "softmax_1024": (softmax, lambda: (normal(1024, 1024),)),
    "softmax_4096": (softmax, lambda: (normal(4096, 4096),)),
    "layernorm": (layernorm, lambda: (normal(4096, 1024), uniform(0.5, 1.5, 1024), normal(1024))),
    "sum_axis0": (lambda a: a.sum(0), big),
    "sum_axis1": (lambda a: a.sum(1), big),
    "sum_all": (lambda a: a.sum(), lambda: (uniform(0, 1, 4096, 4096),)),
    "argmax": (lambda a: jnp.argmax(a, 1), lambda: (normal(4096, 4096),)),
    "pairwise_v1": (lambda x, y: jnp.sqrt(((x[:, None] - y[None]) ** 2).sum(-1)), points),
    "pairwise_v2": (lambda x, y: jnp.sqrt(jnp.maximum((x * x).sum(1)[:, None] + (y * y).sum(1)[None] - 2 * (x @ y.T), 0)), points),
    "nbody": (nbody, lambda: (normal(4096, 3), uniform(0.5, 1.5, 4096))),
    "attention": (attention, lambda: tuple(normal(4, 8, 512, 64) for _ in range(3))),
    "transpose": (lambda a: a.T, big),
    "transpose_mul_add": (lambda a: a.T * 2 + 1, big),
    "cumsum": (lambda a: jnp.cumsum(a), lambda: (normal(4 * M),)),
    "sort": (lambda a: jnp.sort(a), lambda: (normal(M),)),
    "gather_rows": (lambda t, i: jnp.take(t, i, axis=0), lambda: (normal(100000, 64), indices(100000, M))),
    "scatter_add": (lambda d, i: jnp.zeros(100000).at[i].add(d), lambda: (normal(4 * M), indices(100000, 4 * M))),
    "matmul_256": (multiply, square(256)),
    "matmul_512": (multiply, square(512)),
    "matmul_1024": (multiply, square(1024)),
    "matmul_2048": (multiply, square(2048)),
    "matmul_at_b_1024": (lambda a, b: a.T @ b, square(1024)),
    "matmul_bf16_1024": (multiply, lambda: tuple(jnp.asarray(a, jnp.bfloat16) for a in square(1024)())),
    "matvec_4096": (multiply, lambda: (normal(4096, 4096), normal(4096))),
    "batched_matmul": (multiply, lambda: (normal(64, 128, 128), normal(64, 128, 128))),
    "mlp": (mlp, lambda: (normal(512, 784), *weights())),
    "while_newton": (newton, lambda: (np.float32(2),)),
    "mandelbrot": (mandelbrot, plane),
    "scan_rnn": (rnn, lambda: (0.08 * normal(128, 128), normal(512, 32, 128))),
}


def median_time(call):
    call()
    start = time.perf_counter()
    call()
    first = time.perf_counter() - start
    times = []
    for _ in range(max(3, min(2000, int(options.target / first)))):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def time_workload(name):
    function, inputs = WORKLOADS[name]
    jitted, arguments = jax.jit(function), [jnp.asarray(a) for a in inputs()]
    return {name: median_time(lambda: jax.block_until_ready(jitted(*arguments)))}


def time_training():
    step, p = jax.jit(descend, donate_argnums=range(4)), [jnp.asarray(a) for a in weights()]
    x, labels = jnp.asarray(normal(512, 784)), jnp.asarray(indices(10, 512))

    def call():
        *p[:], loss = step(*p, x, labels)
        loss.block_until_ready()
    return {"mlp_train_step": median_time(call)}


def time_dispatch():
    add_one, x = jax.jit(lambda v: v + 1), jnp.ones(8, np.float32)

    def calls(count, call):
        for _ in range(count):
            result = call()
        result.block_until_ready()
    return {"dispatch_jit_f32x8": median_time(lambda: calls(1000, lambda: add_one(x))) / 1000,
            "dispatch_eager_f32x8": median_time(lambda: calls(100, lambda: x + 1)) / 100}


def time_compile():
    ones = jnp.ones(1024)
    scalar, matrix = jax.ShapeDtypeStruct((), np.float32), jax.ShapeDtypeStruct((1000, 1000), np.float32)
    training = tuple(jnp.asarray(a) for a in (*weights(), normal(512, 784), indices(10, 512)))
    heads = jax.ShapeDtypeStruct((4, 8, 512, 64), np.float32)
    figures = {}
    for name, function, arguments in (("attention", attention, (heads, heads, heads)), ("sin_mul_add", WORKLOADS["sin_mul_add"][0], (matrix, scalar, scalar)), ("mlp_train_step", descend, training),
                                      ("chain_500", chain(500), (ones, ones)), ("chain_2000", chain(2000), (ones, ones))):
        stages = []
        for _ in range(3):
            jax.clear_caches()
            times = [time.perf_counter()]
            stage = jax.jit(lambda *a: function(*a))
            for step in (lambda f: f.trace(*arguments), lambda traced: traced.lower(), lambda lowered: lowered.compile()):
                stage = step(stage)
                times.append(time.perf_counter())
            stages.append([after - before for before, after in zip(times, times[1:])] + [times[-1] - times[0]])
        for name_of, seconds in zip(("trace", "lower", "compile", "total"), zip(*stages)):
            figures[f"compile_{name}_{name_of}"] = statistics.median(seconds)
    return figures


def time_startup():
    code = "import jax, jax.numpy as jnp; print(float(jax.jit(lambda x: (jnp.sin(x) * 2 + 1).sum())(jnp.ones((8, 8)))))"
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    return {"startup": time.perf_counter() - start}


def ours(name):
    command = [options.program, "--threads", str(options.threads), "--target", str(options.target), "--only", name]
    lines = [json.loads(line) for line in subprocess.run(command, capture_output=True, text=True).stdout.splitlines()]
    for line in lines:
        if "error" in line or line["extra"].get("ok") is False:
            sys.exit(f"tenon-bench: {line}")
    return {line["id"]: line["median_s"] for line in lines}


groups = {name: time_workload for name in WORKLOADS}
groups |= {"mlp_train_step": lambda _: time_training(), "dispatch": lambda _: time_dispatch(), "compile": lambda _: time_compile(), "startup": lambda _: time_startup()}
for group, theirs in groups.items():
    if not any(fnmatch.fnmatch(group, pattern) for pattern in options.only.split(",")):
        continue
    rounds = [(ours(group), theirs(group)) for _ in range(options.rounds)]
    for name in rounds[0][1]:
        ratios = sorted(b[name] / a[name] for a, b in rounds)
        print(f"{name:27} tenon {statistics.median(a[name] for a, _ in rounds):.3e} s   jax {statistics.median(b[name] for _, b in rounds):.3e} s   "
              f"ratio {ratios[0]:.2f} .. {statistics.median(ratios):.2f} .. {ratios[-1]:.2f}", flush=True)
