"""Writes zeta_values.txt: zeta and polygamma by mpmath, in 400 digits.

    python zeta_values.py > zeta_values.txt

A line is a function, two operands, the result rounded to double, and the size of its largest terms, which for a negative
second operand may be much larger than the result. Numbers are hexadecimal.
"""
import random

import mpmath

mpmath.mp.dps = 400
random.seed(1)


def value(name, a, b):
    if name == "zeta":
        return mpmath.zeta(a, b)
    return (-1) ** (int(a) + 1) * mpmath.factorial(a) * mpmath.zeta(a + 1, b)


def size(name, a, b):
    if b > 0:
        return abs(value(name, a, b))
    d = -b - mpmath.floor(-b)
    return max(abs(value(name, a, d)), abs(value(name, a, 1 - d)))


def operands():
    for _ in range(150):
        s = random.choice([1 + 10 ** random.uniform(-6, 0), random.uniform(1, 5), float(random.randint(2, 12)), random.uniform(5, 60), 10 ** random.uniform(0.5, 3)])
        yield "zeta", s, random.choice([random.uniform(0, 3), random.uniform(0, 40), 10 ** random.uniform(-5, 6), float(random.randint(1, 60))])
    for _ in range(150):
        m = float(random.choice([1, 2, 3, 4, 5, 6, 7, 10, 15, 30, 60, 170, 171, 200, 300, 1000]))
        yield "polygamma", m, random.choice([random.uniform(0, 3), random.uniform(0, 40), 10 ** random.uniform(-5, 6)])
    for _ in range(60):
        yield "zeta", float(random.randint(2, 9)), -random.uniform(0, 20)
        yield "polygamma", float(random.randint(1, 8)), -random.uniform(0, 20)


for name, a, b in operands():
    x, y = mpmath.mpf(a), mpmath.mpf(b)
    result = value(name, x, y)
    if 1e-290 < abs(result) < 1e300:
        print(name, a.hex(), b.hex(), float(result).hex(), float(size(name, x, y)).hex())
