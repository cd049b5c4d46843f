"""Writes checked.txt: what jax.experimental.checkify says of the programs of programs.py on the inputs of values.py.

    python checked.py > checked.txt      (JAX 0.12, on a CPU)

A line for each program: name, and the first check that failed of all_checks; None: each held; refused: JAX cannot check it.
"""
import jax
from jax.experimental import checkify

from programs import PROGRAMS
from values import ENDLESS, array


def main():
    for name, function, *args in PROGRAMS:
        if name in ENDLESS:
            continue
        try:
            error, _ = jax.jit(checkify.checkify(function, checkify.all_checks))(*[array(k, spec) for k, spec in enumerate(args)])
            said = str(error.get()).strip().replace("\n", " ")
        except Exception as error:  # of a batched while loop, ...
            said = "refused"
        print(name, said)


if __name__ == "__main__":
    main()
