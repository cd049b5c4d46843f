"""Programs with branches and loops, for programs.py."""
import re

import jax
import jax.numpy as jnp
from jax import lax

S = lambda dtype: lambda *shape: jax.ShapeDtypeStruct(shape, dtype)
F, I, B, U, H = S(jnp.float32), S(jnp.int32), S(jnp.bool_), S(jnp.uint8), S(jnp.float16)
EYE = jnp.arange(4.0).reshape(2, 2)


def seen_twice(x):
    body = lambda c, t: (c * t, c)
    return lax.scan(body, 1.0, x)[0] + lax.scan(body, 1.0, x)[0]


def while_promoted(x):
    return lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] * jnp.float16(2), c[1] + 1), (x, 0))


def flat(function):
    return lambda *args: tuple(jax.tree.leaves(function(*args)))


PROGRAMS = [
    ("cond", lambda k, x: lax.cond(k, lambda v: v + 1.0, lambda v: v * 2.0, x), B(), F(3)),
    ("cond_number", lambda k, x: lax.cond(k, lambda v: v + 1.0, lambda v: v * 2.0, x), F(), F(3)),
    ("cond_known", lambda x: lax.cond(True, lambda v: v + 1.0, lambda v: v * 2.0, x), F(3)),
    ("cond_captures", lambda k, x, y: lax.cond(k, lambda v: EYE @ v + y, lambda v: jnp.where(v > 0, y, EYE @ v), x), B(), F(2), F(2)),
    ("cond_pair", lambda k, x: lax.cond(k, lambda: (x, 1), lambda: (x * 2, 2)), B(), F(3)),
    ("cond_forwards", lambda k, x, y: lax.cond(k, lambda a, b: (a, b, a + b), lambda a, b: (a, a, a - b), x, y), B(), F(3), F(3)),
    ("cond_unused", lambda k, x, y: lax.cond(k, lambda a, b: (jnp.sin(a), b + 1), lambda a, b: (jnp.cos(a), b - 1), x, y)[0], B(), F(3), F(3)),
    ("cond_in_cond", lambda k, x: lax.cond(k, lambda v: lax.cond(v.sum() > 0, lambda u: u + 1, lambda u: u - 1, v), lambda v: v, x), B(), F(3)),
    ("cond_scalar_operand", lambda k: lax.cond(k, lambda v: v + 1, lambda v: v - 1, 2.0), B()),
    ("switch", lambda i, x: lax.switch(i, (lambda v: v + 1, lambda v: v * 2, lambda v: v), x), I(), F(3)),
    ("switch_u8", lambda i: lax.switch(i, (lambda: 1.0, lambda: 2.0)), U()),
    ("switch_one", lambda i, x: lax.switch(i, (lambda v: v + 1,), x), I(), F(3)),
    ("while_loop", lambda x: lax.while_loop(lambda c: c[0] < 10, lambda c: (c[0] + 1, c[1] * 1.5), (0, x)), F(2)),
    ("while_captures", lambda l, w, x: lax.while_loop(lambda c: c.sum() < l, lambda c: w @ c + EYE @ c, x), F(), F(2, 2), F(2)),
    ("while_promotes", while_promoted, 1),
    ("while_forwards", lambda x: lax.while_loop(lambda c: c[1] < 3, lambda c: (c[0], c[1] + c[0].sum(), c[2] * 2), (x, 0.0, x))[1], F(2)),
    ("while_condition_reads", lambda x: lax.while_loop(lambda c: c[1] < c[0].sum(), lambda c: (c[0], c[1] + 1), (x, 0.0)), F(2)),
    ("while_dead", lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2, jnp.sin(c[2])), (0, x, x))[1], F(2)),
    ("fori_static", lambda x: lax.fori_loop(0, 3, lambda i, v: v * 2 + i, x), F(2)),
    ("fori_empty", lambda x: lax.fori_loop(3, 0, lambda i, v: v * 2, x), F(2)),
    ("fori_dynamic", lambda x, n: lax.fori_loop(0, n, lambda i, v: v * 2 + i, x), F(2), I()),
    ("fori_unrolled", lambda x: lax.fori_loop(0, 3, lambda i, v: v * 2, x, unroll=True), F(2)),
    ("scan", lambda x: lax.scan(lambda c, t: (c + t, c * t), 0.0, x), F(4)),
    ("scan_reverse", lambda x: lax.scan(lambda c, t: (c + t, c * t), jnp.float32(0), x, reverse=True), F(4)),
    ("scan_unroll", lambda x, y: lax.scan(lambda c, t: (jnp.sin(c) + t, c), x, y, unroll=2), F(2), F(5, 2)),
    ("scan_unroll_reverse", lambda x, y: lax.scan(lambda c, t: (jnp.sin(c) + t, c), x, y, unroll=2, reverse=True), F(2), F(5, 2)),
    ("scan_unroll_even", lambda x, y: lax.scan(lambda c, t: (jnp.sin(c) + t, c), x, y, unroll=3), F(2), F(6, 2)),
    ("scan_unroll_all", lambda x, y: lax.scan(lambda c, t: (jnp.sin(c) + t, c), x, y, unroll=True), F(2), F(3, 2)),
    ("scan_captures", lambda x, y, z: lax.scan(lambda c, t: (EYE @ c + t + y, c * t), x, z), F(2), F(2), F(5, 2)),
    ("scan_forwards", flat(lambda x, z: lax.scan(lambda c, t: ((c[0], c[1] + c[0]), (t, c[1])), (x, x), z)), F(2), F(5, 2)),
    ("scan_length_0", lambda x, z: lax.scan(lambda c, t: (c + t, c), x, z), F(2), F(0, 2)),
    ("scan_length_1", lambda x, z: lax.scan(lambda c, t: (c + t, c), x, z), F(2), F(1, 2)),
    ("scan_no_arrays", lambda x: lax.scan(lambda c, _: (jnp.sin(c), None), x, None, length=7)[0], F(2)),
    ("scan_tree", flat(lambda x, y: lax.scan(lambda c, t: ((c[0] + 1, c[1] + t[0]), (c[0], t[1] * c[1])), (0, 0.0), (x, y))), F(3), F(3)),
    ("scan_dead", lambda x, y: lax.scan(lambda c, t: ((c[0] + t[0], c[1] * t[1]), c[1]), (0.0, 1.0), (x, y))[0][0], F(3), F(3)),
    ("scan_types", flat(lambda x, y: lax.scan(lambda c, t: (c ^ (t[0] > 2), (t[1] + 1, c)), False, (x, y))), U(3), H(3)),
    ("scan_seen_twice", seen_twice, F(3)),
    ("scan_in_while_in_cond", lambda k, x: lax.cond(k, lambda v: lax.while_loop(lambda s: s.sum() > 1, lambda s: lax.scan(lambda c, t: (c * t, c), s, v)[0], v[0]), lambda v: v[1], x), B(), F(4, 2)),
    ("map", lambda x: lax.map(lambda v: jnp.exp(v) + 1, x), F(3, 2)),
    ("associative_scan", lambda x: lax.associative_scan(lambda a, b: a * b, x), F(5)),
    ("associative_scan_even", lambda x: lax.associative_scan(lambda a, b: a + b, x, axis=1), F(2, 8)),
    ("associative_scan_reverse", lambda x, y: lax.associative_scan(lambda a, b: (a[0] * b[0], a[1] | b[1]), (x, y), reverse=True), F(3), B(3)),
]


def counted(text):
    """JAX shows trees of a scan's operands; we show how many there are."""
    pattern = re.compile(r"\n( *)ft_in=(.*)\n *ft_out=.*\n((?:.*\n)*?)\1(length=\d+)\n")
    while True:
        found = pattern.search(text)
        if not found:
            return text
        consts, carry, _ = eval(found[2])
        indent = "\n" + found[1]
        text = (text[:found.start()] + indent.join(["", found[3].rstrip("\n")[len(found[1]):], found[4], "num_carry=%d" % len(carry), "num_consts=%d" % len(consts)])
                + "\n" + text[found.end():])
