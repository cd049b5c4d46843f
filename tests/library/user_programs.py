"""Writes user_programs.txt: what JAX prints and computes for programs as users write them.

    python user_programs.py > user_programs.txt      (JAX 0.12, on a CPU)

Networks, solvers, filters and losses under grad, vmap, jvp, jit, in all mixtures. Each has one of the same name in
user_programs_test.cpp. A block is "### name", the jaxpr, "---", and a line of numbers for each result of the jitted program.
"""
import re
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn, random

np.set_printoptions(legacy="1.25")  # 2, not np.int64(2)
grad, vmap, jit, jvp, vjp = jax.grad, jax.vmap, jax.jit, jax.jvp, jax.vjp


def D(shape, k=0):
    n = int(np.prod(shape))
    return jnp.asarray((((np.arange(n) * 7 + k * 3) % 11 - 5) / 8).astype(np.float32).reshape(shape))
x3, y3, m23, m33, x4 = D((3,)), D((3,), 1), D((2, 3)), D((3, 3), 2), D((4,), 4)
xs = D((5, 3), 1)
PROGRAMS = []
def prog(name, *args):
    def add(f): PROGRAMS.append((name, f, args)); return f
    return add

@prog("rnn", m33, D((3,3),5), x3, xs, D((5,3),2))
@partial(grad, argnums=(0, 1, 2))
def _(wx, wh, b, xs, ys):
    def step(h, x):
        h = jnp.tanh(x @ wx + h @ wh + b)
        return h, h
    _, hs = lax.scan(step, jnp.zeros(3), xs)
    return jnp.mean((hs - ys) ** 2)

@prog("gru", m33, D((3,3),5), D((3,3),7), xs)
@partial(grad, argnums=(0, 1, 2))
def _(wz, wr, wh, xs):
    def step(h, x):
        z = nn.sigmoid(jnp.dot(wz, x) + h)
        r = nn.sigmoid(jnp.dot(wr, h) + x)
        c = jnp.tanh(jnp.dot(wh, r * h) + x)
        return (1 - z) * h + z * c, None
    h, _ = lax.scan(step, jnp.zeros(3), xs)
    return h.sum()

@prog("rk4", D((2,),3), 0.5)
@partial(grad, argnums=(0, 1))
def _(s, k):
    f = lambda s: jnp.stack([s[1], -k * jnp.sin(s[0])])
    def step(s, _):
        dt = 0.1
        k1 = f(s); k2 = f(s + dt / 2 * k1); k3 = f(s + dt / 2 * k2); k4 = f(s + dt * k3)
        return s + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None
    s, _ = lax.scan(step, s, None, length=6)
    return s[0]

def newton_raw(a):
    return lax.while_loop(lambda x: jnp.abs(x * x - a) > 1e-4, lambda x: 0.5 * (x + a / x), a)
@jax.custom_vjp
def implicit_sqrt(a): return newton_raw(a)
implicit_sqrt.defvjp(lambda a: (lambda r: (r, r))(newton_raw(a)), lambda r, ct: (ct / (2 * r),))
prog("implicit", 2.0)(grad(lambda a: implicit_sqrt(a) * a))
prog("implicit_jit", 2.0)(jit(grad(lambda a: implicit_sqrt(a) * a)))
prog("implicit_vmap", D((3,),0)+2)(vmap(grad(lambda a: implicit_sqrt(a) * a)))

def attention(q, k, v):
    s = q @ k.T / 1.7320508
    return nn.softmax(s, axis=-1) @ v
prog("attention", m23, D((4,3)), D((4,3),3))(grad(lambda q, k, v: (attention(q, k, v) ** 2).sum(), argnums=(0, 1, 2)))
prog("heads", D((2,2,3)), D((2,4,3)), D((2,4,3),3))(grad(lambda q, k, v: vmap(attention)(q, k, v).sum(), argnums=(0, 1, 2)))
@prog("causal", D((3,3)), D((3,3),4))
@partial(grad, argnums=(0, 1))
def _(q, v):
    s = q @ q.T
    s = jnp.where(jnp.tril(jnp.ones((3, 3), bool)), s, -jnp.inf)
    return (nn.softmax(s) @ v).sum()

@prog("vae", m33, D((3,2)), D((2,3),4), xs)
@partial(grad, argnums=(0, 1, 2))
def _(w, wl, d, xs):
    key = random.key(0)
    mu, logvar = jnp.tanh(xs @ w) @ wl, xs @ wl
    eps = random.normal(key, (5, 2))
    z = mu + jnp.exp(0.5 * logvar) * eps
    out = nn.sigmoid(z @ d)
    kl = -0.5 * jnp.sum(1 + logvar - mu ** 2 - jnp.exp(logvar))
    return jnp.sum((out - xs) ** 2) + kl

def mlp(w1, w2, x): return jnp.tanh(x @ w1) @ w2
loss = lambda w1, w2, x, y: jnp.mean((mlp(w1, w2, x) - y) ** 2)
prog("hvp", D((3,4)), D((4,2)), x3, D((2,)))(lambda w1, w2, x, y: jvp(lambda w: grad(loss)(w, w2, x, y), (w1,), (w1,))[1])
prog("hvp_reverse", D((3,4)), D((4,2)), x3, D((2,)))(lambda w1, w2, x, y: grad(lambda w: jnp.vdot(grad(loss)(w, w2, x, y), w1))(w1))
prog("per_example", D((3,4)), D((4,2)), xs, D((5,2)))(vmap(grad(loss), in_axes=(None, None, 0, 0)))
prog("per_example_jit", D((3,4)), D((4,2)), xs, D((5,2)))(jit(vmap(grad(loss), in_axes=(None, None, 0, 0))))
@prog("maml", D((3,4)), D((4,2)), xs, D((5,2)))
@grad
def _(w1, w2, x, y):
    g = grad(loss)(w1, w2, x, y)
    return loss(w1 - 0.1 * g, w2, x, y)
@prog("maml_scan", D((3,)), xs)
@grad
def _(w, xs):
    inner = lambda w, x: jnp.sin(jnp.dot(w, x))
    w, _ = lax.scan(lambda w, x: (w - 0.1 * grad(inner)(w, x), None), w, xs)
    return w.sum()
prog("jacfwd_mlp", D((3,4)), D((4,2)), x3)(jax.jacfwd(mlp, argnums=2))
prog("jacrev_mlp", D((3,4)), D((4,2)), x3)(jax.jacrev(mlp, argnums=2))
prog("jac_jac", D((3,4)), D((4,2)), x3)(jax.jacfwd(jax.jacrev(mlp, argnums=2), argnums=2))
prog("jac_tuple", m23, x3)(jax.jacrev(lambda w, x: jnp.tanh(w @ x), argnums=(0, 1)))

@prog("layernorm", xs, x3, y3)
@partial(grad, argnums=(0, 1, 2))
def _(x, g, b):
    mu = x.mean(-1, keepdims=True)
    var = ((x - mu) ** 2).mean(-1, keepdims=True)
    return jnp.sin((x - mu) * lax.rsqrt(var + 1e-5) * g + b).sum()
@prog("batchnorm", xs, x3)
@partial(grad, argnums=(0, 1))
def _(x, g):
    return (((x - jnp.mean(x, 0)) / jnp.sqrt(jnp.var(x, 0) + 1e-3) * g) ** 3).sum()
prog("logistic_hessian", x3, xs, jnp.array([0., 1., 1., 0., 1.], jnp.float32))(jax.hessian(lambda w, x, y: jnp.mean(nn.softplus(x @ w) - y * (x @ w))))

@jax.custom_vjp
def clip_gradient(x): return x
clip_gradient.defvjp(lambda x: (x, None), lambda _, g: (jnp.clip(g, -0.1, 0.1),))
prog("clip_gradient", x3)(grad(lambda x: (clip_gradient(jnp.sin(x)) * x).sum()))
@jax.custom_jvp
def log1pexp(x): return jnp.log1p(jnp.exp(x))
log1pexp.defjvp(lambda p, t: (log1pexp(p[0]), (1 - 1 / (1 + jnp.exp(p[0]))) * t[0]))
prog("log1pexp", x3)(vmap(grad(log1pexp)))
prog("log1pexp2", x3)(vmap(grad(grad(log1pexp))))
prog("log1pexp_jacfwd", x3)(jax.jacfwd(log1pexp))

@prog("ckpt_rnn", m33, xs)
@grad
def _(w, xs):
    step = jax.checkpoint(lambda h, x: (jnp.tanh(w @ h + x), None))
    return lax.scan(step, jnp.zeros(3), xs)[0].sum()
@prog("cond_scan", x3, jnp.array([True, False, True, True, False]))
@grad
def _(x, flags):
    step = lambda c, f: (lax.cond(f, lambda c: jnp.sin(c) * x, lambda c: c + x, c), c.sum())
    c, ys = lax.scan(step, x, flags)
    return c.sum() + ys.sum()
prog("while_jvp", 1.5)(lambda x: jvp(lambda x: lax.while_loop(lambda c: c[0] < 4, lambda c: (c[0] + 1, c[1] * jnp.sin(x)), (0, x))[1], (x,), (1.0,)))
prog("matrix_power", m33)(grad(lambda m: lax.fori_loop(0, 4, lambda i, c: c @ m, jnp.eye(3)).sum()))
prog("vmap_scan", D((2,3)), D((2,5,3)))(vmap(lambda h, xs: lax.scan(lambda h, x: (jnp.tanh(h + x), h * x), h, xs)))
carry_step = lambda h, x: (jnp.tanh(h + x), h * x)
prog("grad_vmap_scan", D((2,3)), D((2,5,3)))(grad(lambda h, xs: vmap(lambda h, xs: lax.scan(carry_step, h, xs)[1].sum())(h, xs).sum()))
@prog("linear_rnn", xs, D((5,3),4))
@partial(grad, argnums=(0, 1))
def _(a, b):
    combine = lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1])
    return lax.associative_scan(combine, (nn.sigmoid(a), b))[1].sum()
@prog("crf", m33, xs)
@partial(grad, argnums=(0, 1))
def _(t, emit):
    step = lambda alpha, e: (nn.logsumexp(alpha[:, None] + t, axis=0) + e, None)
    alpha, _ = lax.scan(step, emit[0], emit[1:])
    return nn.logsumexp(alpha)
@prog("embedding", D((6,3)), D((3,4)), jnp.array([1, 4, 1]), jnp.array([0, 3, 2]))
@partial(grad, argnums=(0, 1))
def _(e, w, ids, labels):
    logits = e[ids] @ w
    return -jnp.mean(jnp.take_along_axis(nn.log_softmax(logits), labels[:, None], axis=1))
prog("scatter", x4, jnp.array([1, 1, 3]), y3)(grad(lambda x, i, u: (x.at[i].add(u * 2) ** 2).sum(), argnums=(0, 2)))
prog("sort_grad", x4)(grad(lambda x: (jnp.sort(x) * jnp.arange(4.0)).sum()))
prog("einsum3", m23, m33, D((3,4)))(grad(lambda a, b, c: jnp.einsum("ij,jk,kl->il", a, b, c).sum(), argnums=(0, 1, 2)))
@prog("dropout", xs, m33)
@partial(grad, argnums=1)
def _(x, w):
    keep = random.bernoulli(random.key(1), 0.8, (5, 3))
    return jnp.where(keep, nn.relu(x @ w) / 0.8, 0.0).sum()
@prog("adam", {"w": D((3,2)), "b": D((2,))}, xs, D((5,2)))
@jit
def _(p, x, y):
    l, g = jax.value_and_grad(lambda p: jnp.mean((x @ p["w"] + p["b"] - y) ** 2))(p)
    m = jax.tree.map(lambda g: 0.1 * g, g)
    v = jax.tree.map(lambda g: 0.001 * g * g, g)
    return l, jax.tree.map(lambda p, m, v: p - 0.01 * m / (jnp.sqrt(v) + 1e-8), p, m, v)
@prog("train_scan", D((3,)), xs, D((5,)))
def _(w, xs, ys):
    def step(w, b):
        x, y = b
        l, g = jax.value_and_grad(lambda w: (jnp.dot(w, x) - y) ** 2)(w)
        return w - 0.1 * g, l
    return lax.scan(step, w, (xs, ys))
prog("psum_norm", x4)(vmap(grad(lambda x: jnp.sin(x) / lax.psum(jnp.exp(x), "i")), axis_name="i"))
prog("grad_psum", x4)(grad(lambda v: vmap(lambda x: x / lax.psum(jnp.exp(x), "i"), axis_name="i")(v)[0]))
prog("pairwise", D((4,2)))(grad(lambda p: vmap(lambda a: vmap(lambda b: jnp.sum((a - b) ** 2))(p))(p).sum()))
@prog("safe_norm", x3)
@grad
def _(x):
    s = jnp.sum(x ** 2)
    ok = s > 0
    return jnp.where(ok, jnp.sqrt(jnp.where(ok, s, 1.0)), 0.0)
prog("jit_vmap_jit", m23)(grad(jit(lambda m: vmap(jit(lambda x: jnp.sin(x).sum()))(m).sum())))
@prog("switch_fori", x3)
@grad
def _(x):
    fs = [jnp.sin, jnp.cos, lambda x: x * x]
    return lax.fori_loop(0, 5, lambda i, c: lax.switch(lax.rem(i, 3), fs, c), x).sum()
@prog("kalman", D((2,2)), D((2,2),3), D((4,2)))
@grad
def _(a, q, zs):
    def step(c, z):
        m, p = c
        m, p = a @ m, a @ p @ a.T + q
        k = p / (p + 1)
        return (m + k @ (z - m), p - k * p), m.sum()
    (m, p), ys = lax.scan(step, (jnp.zeros(2), jnp.eye(2)), zs)
    return m.sum() + p.sum() + ys.sum()
prog("mixture", x4, x3, y3)(grad(lambda x, mu, s: -jnp.mean(nn.logsumexp(-0.5 * ((x[:, None] - mu) / jnp.exp(s)) ** 2 - s, axis=1)), argnums=(1, 2)))
@prog("kmeans", D((5,2)), D((2,2),4))
def _(x, c):
    d = jnp.sum((x[:, None] - c[None]) ** 2, -1)
    onehot = nn.one_hot(jnp.argmin(d, 1), 2)
    return onehot.T @ x / jnp.maximum(onehot.sum(0)[:, None], 1)
@prog("gradient_penalty", m33, xs)
@grad
def _(w, xs):
    critic = lambda x: jnp.tanh(w @ x).sum()
    g = vmap(grad(critic))(xs)
    return jnp.mean((jnp.sqrt(jnp.sum(g ** 2, axis=1) + 1e-6) - 1) ** 2)
@prog("laplacian", x3)
def _(x):
    f = lambda x: jnp.prod(jnp.sin(x))
    return vmap(lambda e: jnp.dot(jvp(grad(f), (x,), (e,))[1], e))(jnp.eye(3)).sum()
@prog("pinn", D((2,4)), D((4,)), D((5,2)))
@partial(grad, argnums=(0, 1))
def _(w1, w2, pts):
    u = lambda t, x: jnp.dot(jnp.tanh(jnp.stack([t, x]) @ w1), w2)
    def res(t, x): return grad(u)(t, x) - grad(grad(u, 1), 1)(t, x)
    return jnp.mean(vmap(res)(pts[:, 0], pts[:, 1]) ** 2)
@prog("huber", x3, y3)
@grad
def _(x, y):
    d = x - y
    a = jnp.abs(d)
    return jnp.where(a < 0.5, 0.5 * d ** 2, 0.5 * (a - 0.25)).sum()
@prog("rotary", D((3,4)))
@grad
def _(x):
    a, b = jnp.split(x, 2, axis=-1)
    t = jnp.arange(3.0)[:, None] * jnp.array([1.0, 0.1])
    c, s = jnp.cos(t), jnp.sin(t)
    return (jnp.concatenate([a * c - b * s, a * s + b * c], -1) ** 3).sum()
@prog("spectral", m33)
@grad
def _(w):
    def it(i, u):
        u = w.T @ (w @ u)
        return u / jnp.sqrt(jnp.sum(u * u))
    u = lax.stop_gradient(lax.fori_loop(0, 3, it, jnp.ones(3)))
    return jnp.dot(w @ u, w @ u)
prog("map_batch", xs)(grad(lambda x: lax.map(lambda r: jnp.sin(r).sum(), x, batch_size=2).sum()))
prog("activations", x3)(grad(lambda x: (nn.elu(x) + nn.gelu(x) + nn.relu(x) + nn.softplus(x) + nn.swish(x)).sum()))
@prog("reverse_scan", xs, D((5,3),4))
@partial(grad, argnums=(0, 1))
def _(a, b):
    c, ys = lax.scan(lambda c, ab: (c * ab[0] + ab[1], c * 2), jnp.ones(3), (a, b), reverse=True)
    return c.sum() + ys.sum()
prog("vmap_cond", x3, y3)(vmap(grad(lambda p, x: lax.cond(p > 0, lambda x: jnp.sin(x) * p, lambda x: x * x, x), argnums=(0, 1))))
@prog("global_norm", x3, m23)
def _(a, b):
    g = grad(lambda t: jnp.sum(jnp.sin(t[0])) + jnp.sum(t[1] ** 3))((a, b))
    n = jnp.sqrt(sum(jnp.sum(l * l) for l in jax.tree.leaves(g)))
    return jax.tree.map(lambda l: l * jnp.minimum(1.0, 1.0 / n), g)
prog("straight_through", x3)(grad(lambda x: ((x + lax.stop_gradient(jnp.round(x) - x)) ** 2).sum()))
prog("update_fori", x4)(grad(lambda x: (lax.fori_loop(0, 4, lambda i, c: c.at[i].set(jnp.sin(c[i]) * x[i]), x)).sum()))
prog("linearize", x3)(lambda x: jax.linearize(lambda x: jnp.sin(x) * x, x)[1](x))
prog("vjp_tree", x3, y3)(lambda x, y: vjp(lambda t: {"s": t[0] * t[1], "d": t[0] / t[1]}, (x, y))[1]({"s": x, "d": y}))
prog("unroll", x3, xs)(grad(lambda h, xs: lax.scan(lambda h, x: (jnp.sin(h) * x, None), h, xs, unroll=2)[0].sum()))
prog("cumulative", x4)(grad(lambda x: (jnp.cumsum(jnp.sin(x)) * jnp.cumprod(x)).sum()))
prog("max_pool", D((4,6)))(grad(lambda x: (x.reshape(2, 2, 3, 2).max(axis=(1, 3)) ** 2).sum()))
prog("grad_of_jvp", x3)(grad(lambda x: jvp(lambda x: jnp.sin(x) * x, (x,), (jnp.cos(x),))[1].sum()))
prog("vmap_in_out", m23, x3)(vmap(lambda r, s: jnp.outer(r, s).sum(0), in_axes=(1, 0), out_axes=1))
@prog("scan_grad_scan", x3)
@grad
def _(x):
    inner = lambda d, _: (jnp.sin(d), None)
    outer = lambda c, _: (lax.scan(inner, c, None, length=2)[0] * x, None)
    return lax.scan(outer, x, None, length=3)[0].sum()

# Recurrences, again differentiated, batched, with rules of their own.
v3, w33, x43 = D((3,), 2), D((3,3), 3), D((4,3), 5)
def recurrent(w, h, xs): return lax.scan(lambda h, x: (jnp.tanh(w @ h + x), None), h, xs)[0].sum()
@jax.custom_vjp
def sine_times(x, y): return jnp.sin(x) * y
sine_times.defvjp(lambda x, y: (jnp.sin(x) * y, (x, y)), lambda r, g: (g * jnp.cos(r[0]) * r[1], g * jnp.sin(r[0])))
@jax.custom_jvp
def own_exp(x): return jnp.exp(x)
own_exp.defjvp(lambda p, t: (own_exp(p[0]), own_exp(p[0]) * t[0]))
prog("second_rnn", w33)(grad(lambda w: grad(recurrent, 1)(w, v3, x43).sum()))
prog("hvp_rnn", w33, D((3,3)))(lambda w, d: jvp(lambda w: grad(recurrent)(w, v3, x43), (w,), (d,))[1])
prog("jacrev_scan", v3)(jax.jacrev(lambda h: lax.scan(lambda h, x: (jnp.sin(h) * x, h), h, x43)[1]))
@prog("vmap_grad_cond_scan", v3)
@vmap
@grad
def _(x):
    step = lambda c, i: (lax.cond(i > 1, jnp.sin, lambda y: y * x, c), None)
    return lax.scan(step, x, jnp.arange(3))[0]
prog("custom_vjp_scan", v3)(grad(lambda y: lax.scan(lambda c, x: (sine_times(c, y), c), v3, x43)[0].sum()))
prog("custom_jvp_second", v3)(grad(lambda x: grad(lambda x: (own_exp(x) * x).sum())(x).sum()))
prog("map_checkpoint", w33)(grad(lambda w: lax.map(jax.checkpoint(lambda x: jnp.sin(w @ x).sum()), x43).sum()))
prog("grad_jacfwd", v3)(grad(lambda x: jax.jacfwd(lambda x: jnp.sin(x) * x.sum())(x).sum()))
@prog("bidirectional", x43)
@grad
def _(xs):
    forwards = lax.scan(lambda c, x: (jnp.tanh(c + x),) * 2, v3, xs)[1]
    backwards = lax.scan(lambda c, x: (jnp.tanh(c - x),) * 2, v3, xs, reverse=True)[1]
    return (forwards * backwards).sum()
prog("layer_scan", D((2,3,3)), x43)(grad(lambda ws, x: lax.scan(lambda h, w: (nn.silu(h @ w) + h, None), x, ws)[0].sum()))
prog("attention_scan", x43)(grad(lambda k: lax.scan(lambda c, q: (c + nn.softmax(q @ k.T) @ k, None), v3, x43)[0].sum()))
prog("where_scan", 1.5)(grad(lambda x: lax.scan(lambda c, y: (jnp.where(y > 0, c * x, c), jnp.maximum(c, 0.5)), x, v3)[1].sum()))
prog("value_grad_aux", w33)(jax.value_and_grad(lambda w: (recurrent(w, v3, x43), w.sum()), has_aux=True))
@prog("normal_scan", 0.5)
@grad
def _(s):
    keys = random.split(random.key(0), 3)
    return lax.scan(lambda c, k: (c + s * random.normal(k, (3,)), None), v3, keys)[0].sum()

for name, function, arguments in PROGRAMS:
    text = str(jax.make_jaxpr(function)(*arguments))
    print(f"### {name}")
    print(re.sub(r" *ft_(in|out)=.*\n", "", text))
    print("---")
    for result in jax.tree.leaves(jax.jit(function)(*arguments)):
        print(" ".join(f"{value:.6g}" for value in np.asarray(result, np.float64).ravel()))
