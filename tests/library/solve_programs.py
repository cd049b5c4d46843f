"""Programs with solutions of equations and functions with a rule of batching of their own, for programs.py."""
import re

import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_batching import custom_vmap, sequential_vmap

S = lambda dtype: lambda *shape: jax.ShapeDtypeStruct(shape, dtype)
F, B = S(jnp.float32), S(jnp.bool_)
EYE = jnp.eye(3) * 9

over_ones = lambda matvec, b: b / matvec(jnp.ones_like(b))
with_sum = lambda matvec, b: (b / matvec(jnp.ones_like(b)), b.sum())
diagonal = lambda a, b: lax.custom_linear_solve(lambda x: a * x, b, over_ones, over_ones)
symmetric = lambda a, b: lax.custom_linear_solve(lambda x: a * x, b, over_ones, symmetric=True)


def tree_solve(matvec, b):
    ones = matvec((jnp.ones_like(b[0]), jnp.ones_like(b[1])))
    return b[0] / ones[0], b[1] / ones[1]


of_tree = lambda a, b: lax.custom_linear_solve(lambda x: (a * x[0], x[1] / a), (b, a), tree_solve, tree_solve)


def conjugate_gradients(matvec, b):
    def step(c):
        x, r, p, rr = c
        ap = matvec(p)
        alpha = rr / jnp.dot(p, ap)
        rest = r - alpha * ap
        return x + alpha * p, rest, rest + jnp.dot(rest, rest) / rr * p, jnp.dot(rest, rest)

    return lax.while_loop(lambda c: c[3] > 1e-6, step, (jnp.zeros_like(b), b, b, jnp.dot(b, b)))[0]


cg = lambda a, b: lax.custom_linear_solve(lambda x: a.T @ (a @ x) + EYE @ x, b, conjugate_gradients, symmetric=True)


def newton(f, x):
    return lax.fori_loop(0, 6, lambda _, v: v - f(v) / 3.0, x)


square_root = lambda a: lax.custom_root(lambda x: x * x - a, 1.5, newton, lambda g, y: y / g(1.0))
of_vector = lambda a: lax.custom_root(lambda x: x * 2.0 - jnp.cos(a), jnp.zeros_like(a), newton, lambda g, y: y / g(jnp.ones_like(y)))
with_steps = lambda a: lax.custom_root(lambda x: x * 2.0 - a, a, lambda f, x: (newton(f, x), x + 1.0), lambda g, y: y / g(1.0), has_aux=True)


def rule(axis_size, in_batched, x, y):
    return jnp.cos(x) * y, True


@custom_vmap
def sine(x, y):
    return jnp.sin(x) * y


sine.def_vmap(rule)


@sequential_vmap
def one_by_one(x, y):
    return jnp.sin(x) * y


def captures(x, y):
    @custom_vmap
    def f(z):
        return {"a": z * x, "b": z}

    f.def_vmap(half)
    out = f(y + 1.0)
    return out["a"], out["b"]


def half(axis_size, in_batched, z):
    return {"a": z, "b": z[0]}, {"a": True, "b": False}


unbatched = lambda x, y: captures(1.0, y)

PROGRAMS = [
    ("linear_solve", diagonal, F(), F(3)),
    ("linear_solve_forwards", lambda a, b: lax.custom_linear_solve(lambda x: a * x, b, over_ones), F(), F(3)),
    ("linear_solve_symmetric", symmetric, F(), F(3)),
    ("linear_solve_aux", lambda a, b: lax.custom_linear_solve(lambda x: a * x, b, with_sum, symmetric=True, has_aux=True), F(), F(3)),
    ("linear_solve_tree", of_tree, F(3), F(3)),
    ("linear_solve_cg", cg, F(3, 3), F(3)),
    ("linear_solve_jvp", lambda a, b: jax.jvp(diagonal, (a, b), (a, b)), F(), F(3)),
    ("linear_solve_jvp_b", lambda a, b: jax.jvp(lambda c: diagonal(a, c), (b,), (b,)), F(), F(3)),
    ("linear_solve_grad", lambda a, b: jax.grad(lambda a, b: diagonal(a, b).sum(), (0, 1))(a, b), F(), F(3)),
    ("linear_solve_cg_grad", lambda a, b: jax.grad(lambda a, b: cg(a, b).sum(), (0, 1))(a, b), F(3, 3), F(3)),
    ("linear_solve_hessian", lambda a, b: jax.jacfwd(jax.grad(lambda a: symmetric(a, b).sum()))(a), F(), F(3)),
    ("linear_solve_vmap_a", lambda a, b: jax.vmap(diagonal, (0, None))(a, b), F(2), F(3)),
    ("linear_solve_vmap_b", lambda a, b: jax.vmap(diagonal, (None, 1))(a, b), F(), F(3, 2)),
    ("linear_solve_vmap_both", lambda a, b: jax.vmap(symmetric)(a, b), F(2), F(2, 3)),
    ("linear_solve_vmap_tree", lambda a, b: jax.vmap(of_tree, (0, None))(a, b), F(2, 3), F(3)),
    ("linear_solve_jit", lambda a, b: jax.jit(diagonal)(a, b) * 2, F(), F(3)),
    ("linear_solve_in_scan", lambda a, b: lax.scan(lambda c, _: (symmetric(a, c), None), b, None, length=2)[0], F(), F(3)),
    ("linear_solve_in_cond", lambda k, a, b: lax.cond(k, lambda c: diagonal(a, c), lambda c: c, b), B(), F(), F(3)),
    ("root", square_root, F()),
    ("root_vector", of_vector, F(3)),
    ("root_aux", with_steps, F()),
    ("root_jvp", lambda a: jax.jvp(square_root, (a,), (a,)), F()),
    ("root_vmap", lambda a: jax.vmap(square_root)(a), F(3)),
    ("root_jit", lambda a: jax.jit(square_root)(a) + 1, F()),
    ("root_in_scan", lambda a: lax.scan(lambda c, _: (of_vector(c), None), a, None, length=2)[0], F(3)),
    ("custom_vmap", sine, F(), F()),
    ("custom_vmap_batched", lambda x, y: jax.vmap(sine)(x, y), F(3), F(3)),
    ("custom_vmap_twice", lambda x, y: jax.vmap(jax.vmap(sine))(x, y), F(2, 3), F(2, 3)),
    ("custom_vmap_jvp", lambda x, y: jax.jvp(sine, (x, y), (x, y)), F(), F()),
    ("custom_vmap_jvp_batched", lambda x, y: jax.vmap(lambda x, y: jax.jvp(sine, (x, y), (x, y)))(x, y), F(3), F(3)),
    ("custom_vmap_batched_jvp", lambda x, y: jax.jvp(jax.vmap(sine), (x, y), (x, y)), F(3), F(3)),
    ("custom_vmap_captures", captures, F(), F()),
    ("custom_vmap_unbatched", lambda x, y: jax.vmap(unbatched, out_axes=(0, None))(x, y), F(3), F(3)),
    ("custom_vmap_jit", lambda x, y: jax.vmap(jax.jit(sine))(x, y), F(3), F(3)),
    ("custom_vmap_in_scan", lambda x, y: jax.vmap(lambda a, b: lax.scan(lambda c, _: (sine(c, b), None), a, None, length=2)[0])(x, y), F(3), F(3)),
    ("custom_vmap_in_cond", lambda k, x, y: jax.vmap(lambda a, b: lax.cond(k, sine, lambda a, b: a, a, b))(x, y), B(), F(3), F(3)),
    ("sequential_vmap", lambda x, y: jax.vmap(one_by_one)(x, y), F(3), F(3)),
    ("sequential_vmap_one", lambda x, y: jax.vmap(one_by_one, (0, None))(x, y), F(3), F()),
    ("sequential_vmap_twice", lambda x, y: jax.vmap(jax.vmap(one_by_one, (0, None)), (None, 0))(x, y), F(3), F(2)),
]


def without_addresses(text):
    """Functions have no addresses."""
    return re.sub(r" at 0x[0-9a-f]+>", " at 0xXXXXXXXXXXXX>", text)
