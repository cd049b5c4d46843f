"""Writes values.txt: what JAX computes for the programs of programs.py.

    python values.py > values.txt      (JAX 0.12, on a CPU)

Element i of input k is given by `element`, here and in ops/values_test.cpp. A block of values.txt is
    ### name
    dtype (shape) value value ...      one line for each result
"""
import jax
import jax.numpy as jnp
import numpy as np

from programs import PROGRAMS


def element(dtype, k, i):
    dtype = jnp.dtype(dtype)
    if dtype == jnp.bool_:
        return (i + k) % 2 == 0
    if jnp.issubdtype(dtype, jnp.integer):
        return (i * 7 + k * 3) % 5 - (2 if jnp.issubdtype(dtype, jnp.signedinteger) else 0)
    return ((i * 37 + k * 11) % 23 - 11) / 4


def array(k, spec):
    if not hasattr(spec, "shape"):
        return spec
    if jnp.issubdtype(spec.dtype, jax.dtypes.prng_key):
        words = np.arange(2 * int(np.prod(spec.shape)), dtype=np.uint32).reshape(*spec.shape, 2)
        return jax.random.wrap_key_data(words * np.uint32(2654435761) + np.uint32(k))
    elements = [element(spec.dtype, k, i) for i in range(int(np.prod(spec.shape)))]
    return jnp.array(elements, spec.dtype).reshape(spec.shape)


def text(value):
    if jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        value = jax.random.key_data(value)
    if value.dtype == jnp.bool_ or jnp.issubdtype(value.dtype, jnp.integer):
        return [str(int(v)) for v in np.asarray(value).ravel()]
    if jnp.issubdtype(value.dtype, jnp.complexfloating):
        return [repr(float(part)) for v in np.asarray(value).ravel() for part in (v.real, v.imag)]
    return [repr(float(v)) for v in np.asarray(value.astype(jnp.float32)).ravel()]


# Loops that never end on these elements.
ENDLESS = {"while_forwards", "while_promotes"}


def main():
    for name, function, *args in PROGRAMS:
        if name in ENDLESS:
            continue
        results = jax.tree.leaves(jax.jit(function)(*[array(k, spec) for k, spec in enumerate(args)]))
        print("### " + name)
        for value in map(jnp.asarray, results):
            shape = "x".join(map(str, value.shape)) or "scalar"
            print(" ".join([str(value.dtype), shape] + text(value)))


if __name__ == "__main__":
    main()
