"""Programs with checkpoint and policies, for derivatives.py: what a derivative keeps, and what it computes again."""
import jax
import jax.numpy as jnp
from jax import lax, nn
from jax.ad_checkpoint import checkpoint_name

v, w, batch = jnp.ones(3), jnp.ones((3, 3)), jnp.ones((2, 3, 3))
grad = jax.grad
saves = jax.checkpoint_policies
EVERYTHING, DOTS, UNBATCHED = saves.everything_saveable, saves.dots_saveable, saves.dots_with_no_batch_dims_saveable
again = lambda f, policy=None: jax.checkpoint(f, policy=policy)
twice = lambda x: jnp.sin(jnp.sin(x))
unnamed = lambda f: jax.jit(lambda *x: f(*x))


def layers(w, x):
    for _ in range(2):
        x = jnp.tanh(jnp.dot(w, x))
    return x.sum()


def named(x):
    z = checkpoint_name(jnp.sin(checkpoint_name(jnp.sin(x), "y")), "z")
    return jnp.sin(z)


batched = lambda a, b: jnp.sin(jnp.einsum("bij,bjk->bik", a, jnp.sin(b))).sum()
dense_step = lambda w: lambda c, _: (jnp.tanh(jnp.dot(w, c)), None)
loop = lambda x: jnp.sin(lax.scan(lambda c, _: (jnp.sin(c), None), x, None, length=3)[0])
dense_loop = lambda w, x: jnp.sin(lax.scan(dense_step(w), x, None, length=3)[0]).sum()
named_dot = lambda w, x: named(jnp.dot(w, x)).sum()
product = lambda x, y: jnp.sin(x) * jnp.sin(y)


def block(w, x):
    h = nn.silu(x @ w)
    h = h - h.mean(-1, keepdims=True)
    return x + nn.gelu(h @ w) * 0.5


def blocks(policy):
    def f(w, x):
        for _ in range(2):
            x = again(block, policy)(w, x)
        return nn.logsumexp(x)
    return f


def attention(q, k, v):
    s = jnp.einsum("bij,bkj->bik", q, k)
    return jnp.einsum("bik,bkj->bij", nn.softmax(s, -1), v).sum()


model = lambda w, x: (block(w, block(w, x)) ** 2).sum()
masked = lambda x: (x * jnp.arange(3) * jnp.where(x > 0, x, 2.0)).sum()

PROGRAMS = [
    ("checkpoint_everything", grad(again(twice, EVERYTHING)), 1.0),
    ("checkpoint_nothing", grad(again(twice, saves.nothing_saveable)), 1.0),
    ("checkpoint_layers", grad(again(layers), (0, 1)), w, v),
    ("checkpoint_layers_dots", grad(again(layers, DOTS), (0, 1)), w, v),
    ("checkpoint_layers_first", grad(again(layers, DOTS)), w, v),
    ("checkpoint_layers_unbatched", grad(again(layers, UNBATCHED), (0, 1)), w, v),
    ("checkpoint_layers_everything", grad(again(layers, EVERYTHING), (0, 1)), w, v),
    ("checkpoint_batched_dots", grad(again(batched, DOTS), (0, 1)), batch, batch),
    ("checkpoint_batched_unbatched", grad(again(batched, UNBATCHED), (0, 1)), batch, batch),
    ("checkpoint_names", grad(again(named, saves.save_only_these_names("y"))), 1.0),
    ("checkpoint_names_without_policy", grad(again(named)), 1.0),
    ("checkpoint_names_elsewhere", grad(named), 1.0),
    ("checkpoint_names_forward", again(named, saves.save_only_these_names("y", "z")), 1.0),
    ("checkpoint_names_batched", jax.vmap(grad(again(named, saves.save_only_these_names("z")))), v),
    ("checkpoint_other_names", grad(again(named, saves.save_any_names_but_these("y"))), 1.0),
    ("checkpoint_all_but_names", grad(again(named, saves.save_anything_except_these_names("y"))), 1.0),
    ("checkpoint_both_policies", grad(again(named_dot, saves.save_from_both_policies(DOTS, saves.save_only_these_names("z")))), w, v),
    ("checkpoint_nested", grad(again(lambda x: again(twice)(jnp.cos(x)))), 1.0),
    ("checkpoint_in_scan", grad(lambda w, x: lax.scan(again(dense_step(w)), x, None, length=4)[0].sum()), w, v),
    ("checkpoint_in_scan_dots", grad(lambda w, x: lax.scan(again(dense_step(w), DOTS), x, None, length=4)[0].sum()), w, v),
    ("checkpoint_in_jit", grad(unnamed(again(layers, DOTS))), w, v),
    ("checkpoint_of_jit", grad(again(lambda x: jnp.sin(unnamed(twice)(x)))), 1.0),
    ("checkpoint_of_scan", grad(again(loop)), 1.0),
    ("checkpoint_of_scan_everything", grad(again(loop, EVERYTHING)), 1.0),
    ("checkpoint_of_while", lambda y: grad(again(lambda x: x * jnp.sin(lax.while_loop(lambda c: c < 10, lambda c: c * 2, y)), EVERYTHING))(1.0), 1.0),
    ("checkpoint_vmap_of_grad", jax.vmap(grad(again(twice, EVERYTHING))), v),
    ("checkpoint_grad_of_vmap", grad(lambda x: jax.vmap(again(twice, EVERYTHING))(x).sum()), v),
    ("checkpoint_second", grad(grad(again(twice))), 1.0),
    ("checkpoint_hessian", jax.hessian(again(lambda x: jnp.sin(x).sum())), v),
    ("checkpoint_jvp", lambda x: jax.jvp(again(twice, EVERYTHING), (x,), (x,)), 1.0),
    ("checkpoint_relu", grad(again(lambda x: nn.relu(jnp.sin(x)) * 2, EVERYTHING)), 1.0),
    ("checkpoint_softmax", grad(again(lambda x: nn.softmax(x)[0], EVERYTHING)), v),
    ("checkpoint_two_results", lambda x: jax.vjp(again(lambda x: (jnp.sin(x), jnp.cos(x) * 2), EVERYTHING), x)[1]((x, x)), 1.0),
    ("checkpoint_closure", lambda y: grad(again(lambda x: jnp.sin(x * y) * y, EVERYTHING))(1.0), 1.0),
    ("checkpoint_captures_constant", grad(again(lambda x: (jnp.sin(x) * v).sum())), v),
    ("checkpoint_one_argument", grad(again(product, EVERYTHING)), 1.0, 2.0),
    ("checkpoint_one_argument_again", grad(again(product)), 1.0, 2.0),
    ("checkpoint_half", grad(again(lambda x: jnp.sin(jnp.sin(x) * jnp.sin(x)).sum(), EVERYTHING)), v.astype(jnp.bfloat16)),
    ("checkpoint_silu", grad(again(lambda x: nn.silu(jnp.sin(x)) * 2)), 1.0),
    ("checkpoint_of_jit_everything", grad(again(lambda x: jnp.sin(unnamed(twice)(x)), EVERYTHING)), 1.0),
    ("checkpoint_masked", grad(again(masked, EVERYTHING)), v),
    ("checkpoint_model", grad(again(model)), w, w),
    ("checkpoint_model_dots", grad(again(model, DOTS), (0, 1)), w, w),
    ("checkpoint_model_everything", grad(again(model, EVERYTHING)), w, w),
    ("checkpoint_blocks", grad(blocks(None)), w, w),
    ("checkpoint_blocks_unbatched", grad(blocks(UNBATCHED)), w, w),
    ("checkpoint_blocks_in_scan", grad(lambda w, x: lax.scan(lambda c, _: (again(block, DOTS)(w, c), None), x, None, length=3)[0].sum()), w, w),
    ("checkpoint_blocks_batched", jax.vmap(grad(lambda w, x: again(block, DOTS)(w, x).sum()), (None, 0)), w, batch),
    ("checkpoint_attention", grad(again(attention), (0, 1, 2)), batch, batch, batch),
    ("checkpoint_attention_dots", grad(again(attention, DOTS), (0, 1, 2)), batch, batch, batch),
    ("checkpoint_clip", grad(again(lambda x: (jnp.clip(x, 0, 2) * x).sum(), EVERYTHING)), v),
    ("checkpoint_variance", grad(again(lambda x: jnp.var(x) + jnp.std(x))), v),
    ("checkpoint_silu_second", grad(lambda x: grad(again(lambda x: (nn.silu(x) * x).sum()))(x).sum()), v),
    ("checkpoint_without_barrier", grad(jax.checkpoint(twice, prevent_cse=False)), 1.0),
]
