"""Writes derivatives.txt: what JAX prints for derivatives and batched forms of functions of the library.

    python derivatives.py > derivatives.txt      (JAX 0.12)

Each function is one line here and one of the same name in derivatives_test.cpp. A block is "### name" and the jaxpr.
"""
import re

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn

import checkpoint_programs

np.set_printoptions(legacy="1.25")  # 2, not np.int64(2)

v, m = jnp.ones(3), jnp.ones((2, 3))
grad = jax.grad
beside = lambda f: grad(lambda x: ((x * 3) * f(x) + x).sum())  # x is used before, in and after f


linear_recurrence = lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1])
recurrence = lambda a, b: lax.associative_scan(linear_recurrence, (a, b))[1].sum()
over_ones = lambda matvec, b: b / matvec(jnp.ones_like(b))
diagonal = lambda a, b: lax.custom_linear_solve(lambda x: 2.0 * x + a * x, b, over_ones, over_ones)
newton = lambda f, x: lax.fori_loop(0, 6, lambda _, v: v - f(v) / 3.0, x)
square_root = lambda a: lax.custom_root(lambda x: x * x - a, 1.5, newton, lambda g, y: y / g(1.0))
zero_of_f = lambda a: lax.custom_root(lambda x: x * 2.0 - jnp.cos(a), jnp.zeros_like(a), newton, lambda g, y: y / g(jnp.ones_like(y)))
F = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
B = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.bool_)

PROGRAMS = [
    # One variable as several operands of a library function.
    ("square", grad(lambda x: x * x), 1.0),
    ("lax_square", grad(lambda x: lax.mul(x, x)), 1.0),
    ("cube", grad(lambda x: x * x * x), 1.0),
    ("product_and_sum", grad(lambda x: x * jnp.sin(x) + x), 1.0),
    ("where", grad(lambda x: jnp.where(x > 0, x, x * 2.0).sum()), v),
    ("maximum", grad(lambda x: jnp.maximum(x, x * 2.0).sum()), v),
    ("logaddexp", grad(lambda x: jnp.logaddexp(x, x).sum()), v),
    ("clip", grad(lambda x: jnp.clip(x, x * 0.5, x * 2).sum()), v),
    ("concatenate", grad(lambda x: jnp.concatenate([x, x]).sum()), v),
    ("stack", grad(lambda x: jnp.stack([x, x]).sum()), v),
    ("softmax", grad(lambda x: nn.softmax(x)[0]), v),
    ("gelu", grad(lambda x: nn.gelu(x).sum()), v),
    ("hypot", grad(lambda x: jnp.hypot(x, x).sum()), v),
    ("dot", grad(lambda x: jnp.dot(x, x)), v),
    ("matmul", grad(lambda x: x @ x), v),
    ("einsum", grad(lambda x: jnp.einsum("i,i", x, x)), v),
    ("quotient", grad(lambda x: (x / (1 + x * x)).sum()), v),
    ("powers", grad(lambda x: (x**2 + x**3).sum()), v),
    ("power_of_itself", grad(lambda x: jnp.power(x, x).sum()), v),
    ("beside_softmax", beside(nn.softmax), v),
    ("beside_log_softmax", beside(nn.log_softmax), v),
    ("beside_logsumexp", beside(nn.logsumexp), v),
    ("beside_average", beside(jnp.average), v),
    ("beside_silu", beside(nn.silu), v),
    ("beside_softplus", beside(nn.softplus), v),
    ("beside_max", beside(jnp.max), v),
    ("beside_tanh", beside(jnp.tanh), v),
    ("beside_tensordot", beside(lambda x: jnp.tensordot(x, x, 1)), v),
    ("beside_cumsum", beside(jnp.cumsum), v),
    ("beside_sort", beside(jnp.sort), v),
    ("beside_update", beside(lambda x: x.at[1].set(x[0])), v),
    ("beside_std", beside(jnp.std), v),
    ("beside_vstack", beside(lambda x: jnp.vstack([x, x])), v),
    ("beside_hstack", grad(lambda x: (jnp.hstack([x, x]).sum() + x).sum()), v),
    ("variance", grad(jnp.var), v),
    ("jitted_select", grad(jax.jit(lambda x: lax.select(True, x, 3.0))), 2.0),
    # Control flow, checkpoints, Jacobians, maps.
    ("scan_weak_carry", grad(lambda x: lax.scan(lambda c, y: (c * y, None), 1.0, x)[0]), v),
    ("cond_residuals", grad(lambda x: lax.cond(x > 0, lambda y: jnp.sin(y), lambda y: y * y, x)), 2.0),
    ("cond_constant", grad(lambda x: lax.cond(x > 0, lambda y: y * 2, lambda y: 3.0, x)), 2.0),
    ("cond_vectors", grad(lambda x: lax.cond(x[0] > 0, lambda y: (y * y).sum(), lambda y: (y * y * y).sum(), x)), v),
    ("cond_batched_predicate", jax.vmap(lambda p, x: lax.cond(p, lambda y: jnp.sin(y), lambda y: y * y, x)), v > 0, v),
    ("switch", grad(lambda x, i: lax.switch(i, [jnp.sin, jnp.cos, lambda x: x], x)), 1.0, 1),
    ("fori_loop", grad(lambda x: lax.fori_loop(0, 3, lambda i, c: c * x, x)), 1.0),
    ("while_loop", jax.vmap(lambda x: lax.while_loop(lambda c: c < 10, lambda c: c * 2, x)), v),
    ("map", grad(lambda x: lax.map(lambda y: y * y, x).sum()), v),
    ("checkpoint", grad(jax.checkpoint(lambda x: jnp.sin(jnp.cos(x)))), 1.0),
    ("hessian", jax.hessian(lambda x: jnp.sum(x**3)), v),
    ("jacfwd", jax.jacfwd(lambda x: jnp.sin(x) * x), v),
    ("jacrev", jax.jacrev(lambda x: jnp.sin(x) * x), v),
    ("vmap_of_grad", jax.vmap(grad(lambda x: jnp.sin(x) * x)), v),
    ("relu", grad(lambda x: nn.relu(x).sum()), v),
    ("cross_entropy", grad(lambda x: -jnp.mean(jnp.take_along_axis(nn.log_softmax(x), jnp.array([[0], [1]]), 1))), m),
    ("psum_of_one", jax.vmap(lambda x: lax.psum(1, "i") * x, axis_name="i"), v),
    ("psum_of_number", jax.vmap(lambda x: lax.psum(2.0, "i") * x, axis_name="i"), v),
    ("associative_scan", grad(lambda x: lax.associative_scan(lambda a, b: a * b, x).sum()), F(7)),
    ("associative_scan_reverse", grad(lambda x: lax.associative_scan(jnp.maximum, x, reverse=True).sum()), F(7)),
    ("associative_scan_pairs", grad(recurrence, (0, 1)), F(7), F(7)),
    ("associative_scan_pairs_even", grad(recurrence, (0, 1)), F(4), F(4)),
    ("linear_solve", diagonal, v, v),
    ("linear_solve_gradient", grad(lambda a, b: diagonal(a, b).sum(), (0, 1)), v, v),
    ("linear_solve_batched", jax.vmap(diagonal), F(2, 5), F(2, 5)),
    ("root", square_root, 2.0),
    ("root_jvp", lambda x: jax.jvp(square_root, (x,), (x,)), 2.0),
    ("root_gradient", grad(square_root), 2.0),
    ("root_gradient_vector", grad(lambda a: zero_of_f(a).sum()), v),
    ("root_gradient_jit", jax.jit(grad(square_root)), 2.0),
    ("masked_nansum", grad(lambda x, m: jnp.nansum(x, where=m)), F(2, 3), B(2, 3)),
    ("masked_nanprod", grad(lambda x, m: jnp.nanprod(x, where=m)), F(2, 3), B(2, 3)),
    ("masked_nanmax", grad(lambda x, m: jnp.nanmax(x, initial=0.0, where=m)), F(2, 3), B(2, 3)),
    ("masked_nanmean", grad(lambda x, m: jnp.nanmean(x, where=m)), F(2, 3), B(2, 3)),
    ("masked_mean", grad(lambda x, m: x.mean(where=m)), F(2, 3), B(2, 3)),
    ("pmean", jax.vmap(lambda x: x - lax.pmean(x, "i"), axis_name="i"), v),
]
for name, function, *arguments in PROGRAMS + checkpoint_programs.PROGRAMS:
    text = str(jax.make_jaxpr(function)(*arguments))
    print(f"### {name}")
    print(re.sub(r" *ft_(in|out)=.*\n", "", text))
