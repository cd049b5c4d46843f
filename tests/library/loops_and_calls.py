"""Writes loops_and_calls.txt: what JAX prints for derivatives of loops, branches and calls by values of weak type, and which results are weak.

    python loops_and_calls.py > loops_and_calls.txt      (JAX 0.12)

Each program has one of the same name in loops_and_calls_test.cpp. A block is "### name", the jaxpr, "weak [...]".
"""
import re

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn

np.set_printoptions(legacy="1.25")  # 2, not np.int64(2)
grad, jit, vmap = jax.grad, jax.jit, jax.vmap
v, s2 = jnp.ones(3), jnp.float32(2)
PROGRAMS = []
def p(name, f, *a): PROGRAMS.append((name, f, a))
@jax.custom_vjp
def cv(x): return x * 3.0
cv.defvjp(lambda x: (x * 3.0, x), lambda r, g: (g * r * jnp.float32(3),))
scan = lambda f, c, xs=None, n=None, **k: lax.scan(f, c, xs, length=n, **k)
p("cond", grad(lambda x: lax.cond(x > 0, lambda y: jnp.sin(y) * 2, lambda y: y, x)), 1.0)
p("cond_strong", grad(lambda x: lax.cond(x > 0, lambda y: s2 * y, lambda y: y * s2 + 1, x)), 1.0)
p("cond_mixed", grad(lambda x: lax.cond(x > 0, lambda y: y * v[0], lambda y: y * v[1] * y, x)), 1.0)
p("cond_closed", grad(lambda x: lax.cond(v[0] > 0, lambda y: y * x, lambda y: y + x, s2)), 1.0)
p("switch", grad(lambda x: lax.switch(jnp.int32(1), [jnp.sin, lambda y: y * 2, lambda y: y], x)), 1.0)
p("fori", grad(lambda x: lax.fori_loop(0, 3, lambda i, c: c * 2.0, x)), 1.0)
p("fori_square", grad(lambda x: lax.fori_loop(0, 3, lambda i, c: c * c, x)), 1.0)
p("fori_strong", grad(lambda x: lax.fori_loop(0, 3, lambda i, c: c * v[0], x)), 1.0)
p("fori_closed", grad(lambda x: lax.fori_loop(0, 3, lambda i, c: c * x, s2)), 1.0)
p("fori_closed_weak", grad(lambda x: lax.fori_loop(0, 3, lambda i, c: c * x, 1.0)), 1.0)
p("fori_index", grad(lambda x: lax.fori_loop(0, 3, lambda i, c: c * i + x, x)), 1.0)
p("fori_pair", grad(lambda x: lax.fori_loop(0, 3, lambda i, c: (c[1], c[0] * x), (x, 1.0))[0]), 1.0)
p("scan_weak", grad(lambda x: scan(lambda c, _: (c * 2.0, c), x, n=3)[1].sum()), 1.0)
p("scan_closed", grad(lambda x: scan(lambda c, y: (c * x, y * x), 1.0, v)[1].sum()), 1.0)
p("scan_scan", grad(lambda x: scan(lambda c, _: (scan(lambda d, _: (d * x, None), c, n=2)[0], None), x, n=3)[0]), 1.0)
p("scan_cond", grad(lambda x: scan(lambda c, y: (lax.cond(y > 0, lambda c: c * x, lambda c: c, c), None), x, v)[0]), 1.0)
p("scan_jit", grad(lambda x: scan(lambda c, y: (jit(lambda a, b: a * b * 2.0)(c, x), None), x, n=2)[0]), 1.0)
p("scan_reverse", grad(lambda x: scan(lambda c, y: (c * y, c), x, v, reverse=True)[1].sum()), 1.0)
p("scan_two", grad(lambda x, y: scan(lambda c, _: (c * x + y, None), 0.0, n=3)[0], (0, 1)), 1.0, 2.0)
p("jit", grad(jit(lambda x: jnp.sin(x * 2.0) * x)), 1.0)
p("jit_strong", grad(jit(lambda x: x * s2 + 1.0)), 1.0)
p("jit_nested", grad(jit(lambda x: jit(lambda y: y * 2)(x) * x)), 1.0)
p("jit_two", grad(jit(lambda x, y: x * y + x), (0, 1)), 1.0, 2.0)
p("checkpoint", grad(jax.checkpoint(lambda x: jnp.sin(x * 2.0) * x)), 1.0)
p("checkpoint_strong", grad(jax.checkpoint(lambda x: jnp.sin(x) * s2)), 1.0)
p("checkpoint_scan", grad(lambda x: scan(jax.checkpoint(lambda c, _: (jnp.sin(c) * x, None)), x, n=2)[0]), 1.0)
p("custom", grad(lambda x: cv(x) * 2.0), 1.0)
p("custom_scan", grad(lambda x: scan(lambda c, _: (cv(c), None), x, n=2)[0]), 1.0)
p("custom_jit", grad(jit(lambda x: cv(x) + x)), 1.0)
p("custom_cond", grad(lambda x: lax.cond(x > 0, cv, lambda y: y, x)), 1.0)
p("while_jvp", lambda x: jax.jvp(lambda x: lax.while_loop(lambda c: c < 10, lambda c: c * 2.0, x), (x,), (1.0,)), 1.0)
p("while_jvp_closed", lambda x: jax.jvp(lambda x: lax.while_loop(lambda c: c < 10, lambda c: c * x, s2), (x,), (x,)), 1.0)
p("vmap_scan", vmap(grad(lambda x: scan(lambda c, _: (c * 2.0 * x, None), 1.0, n=3)[0])), v)
p("vmap_fori", vmap(lambda x: lax.fori_loop(0, 3, lambda i, c: c * x, 1.0)), v)
p("grad_vmap_weak", grad(lambda x: vmap(lambda y: scan(lambda c, _: (c * x * y, None), 1.0, n=2)[0])(v).sum()), 1.0)
p("linear_scan", lambda x: jax.linear_transpose(lambda y: scan(lambda c, _: (c * 2.0, None), y, n=3)[0], 1.0)(x), 1.0)
p("second", grad(grad(lambda x: scan(lambda c, _: (c * c * x, None), x, n=2)[0])), 1.0)
p("second_cond", grad(grad(lambda x: lax.cond(x > 0, lambda y: y * y * x, lambda y: y, x))), 1.0)
p("second_jit", grad(jit(grad(jit(lambda x: x * x * 2.0)))), 1.0)
p("hessian_fori", jax.hessian(lambda x: lax.fori_loop(0, 2, lambda i, c: c * x, 1.0)), 1.0)
p("int_weak", grad(lambda x: scan(lambda c, i: (c * i, None), x, jnp.arange(3))[0]), 1.0)
p("double_use", grad(lambda x: scan(lambda c, _: (c + x, c * x), 0.0, n=3)[1].sum()), 1.0)
p("map", grad(lambda x: lax.map(lambda y: y * x, v).sum()), 1.0)
p("assoc", grad(lambda x: lax.associative_scan(lambda a, b: a * b * x, v).sum()), 1.0)
p("vjp_strong", lambda x: jax.vjp(lambda x: scan(lambda c, _: (c * 2.0, None), x, n=2)[0], x)[1](s2), 1.0)
p("value_and_grad", jax.value_and_grad(lambda x: scan(lambda c, _: (c * x, None), x, n=2)[0]), 1.0)
# Calls in loops: what is known of them is no part of the loop.
p("loop_jit", grad(lambda x: scan(lambda c, _: (jit(lambda a: jnp.sin(a) * 2.0)(c), None), x, n=2)[0]), 1.0)
p("loop_where", grad(lambda x: scan(lambda c, y: (jnp.where(y > 0, c * 2.0, 0.0), None), x, v)[0]), 1.0)
p("loop_clip", grad(lambda x: scan(lambda c, y: (jnp.clip(c * y, 0, 1), None), x, v)[0]), 1.0)
p("loop_relu", grad(lambda x: scan(lambda c, y: (nn.relu(c * y), None), x, v)[0]), 1.0)
p("loop_silu", grad(lambda x: scan(lambda c, y: (nn.silu(c * y), None), x, v)[0]), 1.0)
p("loop_mod", grad(lambda x: lax.fori_loop(0, 3, lambda i, c: c * (i % 2), x)), 1.0)
p("loop_where_constant", grad(lambda x: scan(lambda c, y: (jnp.where(v > 0, c * y, x).sum(), None), x, v)[0]), 1.0)

for name, function, arguments in PROGRAMS:
    jaxpr = jax.make_jaxpr(function)(*arguments)
    print(f"### {name}")
    print(re.sub(r" *ft_(in|out)=.*\n", "", str(jaxpr)))
    print("weak", [int(aval.weak_type) for aval in jaxpr.out_avals])
