"""Computes the polynomial coefficients and split constants that stand in src/math/*.h.

    python3 coefficients.py [24|53]     (needs mpmath, scipy)

Method: the minimax polynomial in the given weight by linear programming, then the coefficients are
rounded to the target format one after the other, lowest order first, with the rest fitted again
after each (as in Brisebarre & Chevillard, "Efficient polynomial L-infinity
approximations", ARITH 2007, but greedy). Prints C++ hexadecimal literals and the error reached.
"""

import sys

import mpmath as mp
import numpy
import scipy.optimize

mp.mp.dps = 80


def rounded(value, bits):
    """`value` rounded to nearest with `bits` bits of significand."""
    value = mp.mpf(value)
    if value == 0:
        return value
    with mp.workprec(bits):
        return +value


def minimax(target, weight, powers, lo, hi):
    """Coefficients c with max |weight * (sum c_k x^p_k - target)| minimal on [lo, hi].

    Linear programming on a Chebyshev grid in double precision, for a correction of the coefficients
    scaled to the present error; repeated with residuals in high precision.
    """
    count = 40 * (len(powers) + 1)
    lo, hi = mp.mpf(lo), mp.mpf(hi)
    xs = [(lo + hi) / 2 - (hi - lo) / 2 * mp.cos(mp.pi * (i + mp.mpf("0.31")) / count) for i in range(count)]
    top = max(abs(lo), abs(hi))
    goals, weights = [target(x) for x in xs], [weight(x) for x in xs]
    weights = [w / max(weights) for w in weights]
    basis = numpy.array([[float(w * (x / top) ** p) for p in powers] for x, w in zip(xs, weights)])
    columns = numpy.hstack([numpy.vstack([basis, -basis]), -numpy.ones((2 * count, 1))])
    cost = numpy.array([0.0] * len(powers) + [1.0])
    coefficients = [mp.mpf(0)] * len(powers)
    worst = None
    for _ in range(12):
        residuals = [w * (g - sum(c * x**p for c, p in zip(coefficients, powers)))
                     for x, g, w in zip(xs, goals, weights)]
        scale = max(abs(r) for r in residuals)
        if worst is not None and scale > worst * mp.mpf("0.9999"):
            break
        worst, best = scale, list(coefficients)
        r = numpy.array([float(v / scale) for v in residuals])
        answer = scipy.optimize.linprog(cost, A_ub=columns, b_ub=numpy.concatenate([r, -r]),
                                        bounds=[(None, None)] * len(powers) + [(0, None)], method="highs")
        if answer.x is None:
            break
        coefficients = [c + mp.mpf(float(d)) * scale / top**p
                        for c, d, p in zip(coefficients, answer.x, powers)]
    return best


def fit(name, function, powers, fixed, weight, lo, hi, bits):
    """Minimax fit of `function` by sum of fixed and free powers, rounded to `bits` bits."""
    fixed = dict(fixed)
    free = list(powers)
    result = {}
    while free:
        def target(x):
            known = sum(c * x**p for p, c in {**fixed, **result}.items())
            return function(x) - known

        scale = free[0]  # divide by the lowest free power: a well conditioned fit

        coefficients = minimax(lambda x: target(x) / x**scale, lambda x: weight(x) * abs(x**scale),
                             [p - scale for p in free], lo, hi)
        result[free[0]] = rounded(coefficients[0], bits)
        free.pop(0)
    total = {**fixed, **result}
    grid = [mp.mpf(lo) + (mp.mpf(hi) - mp.mpf(lo)) * (i + mp.mpf("0.37")) / 2000 for i in range(2000)]
    worst = max(abs(weight(x) * (sum(c * x**p for p, c in total.items()) - function(x))) for x in grid)
    print(f"// {name}: error {mp.nstr(worst, 3)} = 2^{mp.nstr(mp.log(worst, 2), 4)}")
    print("{" + ", ".join(literal(result[p], bits) for p in powers) + "}")
    return result


def literal(value, bits):
    return float(value).hex() if bits <= 53 else str(value)


def split(name, value, parts, bits):
    """`value` as an unevaluated sum of `parts` numbers of `bits` bits."""
    out, rest = [], mp.mpf(value)
    for _ in range(parts):
        part = rounded(rest, bits)
        out.append(float(part).hex())
        rest -= part
    print(f"// {name}: rest 2^{mp.nstr(mp.log(abs(rest), 2), 4)}")
    print("{" + ", ".join(out) + "}")


def main():
    half_ln2 = mp.log(2) / 2 * mp.mpf("1.0001")  # ends differ, so that no grid point is 0
    above = half_ln2 * mp.mpf("1.00017")
    smallest = mp.mpf("1e-30")
    quarter = (mp.pi / 4 * mp.mpf("1.02")) ** 2
    for bits, exp_degree, expm1_degree, sin_terms, log_terms, quarter_terms, pow_terms, atan_terms in (
            (24, 6, 6, 4, 3, 3, 3, 5), (53, 11, 12, 8, 7, 7, 8, 12)):
        if len(sys.argv) > 1 and int(sys.argv[1]) != bits:
            continue
        print(f"\n// ---- {bits} bits")
        split("ln2", mp.log(2), 2, bits)
        split("log2e", 1 / mp.log(2), 1, bits)
        split("pi", mp.pi, 3, bits)
        split("1/pi", 1 / mp.pi, 1, bits)
        fit(f"exp, degree {exp_degree}", mp.exp, range(2, exp_degree + 1), {0: 1, 1: 1},
            lambda x: mp.exp(-x), -half_ln2, above, bits)
        fit(f"expm1, degree {expm1_degree}", mp.expm1, range(2, expm1_degree + 1), {1: 1},
            lambda x: 1 / mp.expm1(x) if x else mp.mpf(1), -half_ln2, above, bits)
        # sin(r) = r + r^3 S(r^2), as a polynomial of u = r^2
        root = lambda u: mp.sqrt(u)
        fit(f"sin, {sin_terms} terms", lambda u: mp.sin(root(u)) / root(u), range(1, sin_terms + 1), {0: 1},
            lambda u: root(u) / mp.sin(root(u)), mp.mpf("1e-30"), (mp.pi / 2 * mp.mpf("1.005")) ** 2, bits)
        # log(1+f) = 2 atanh(s), s = f/(2+f): 2 atanh(s) = 2s + s R(s^2)
        top = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * mp.mpf("1.001")
        fit(f"log, {log_terms} terms", lambda u: 2 * mp.atanh(root(u)) / root(u), range(1, log_terms + 1), {0: 2},
            lambda u: root(u) / mp.atanh(root(u)) / 2, mp.mpf("1e-30"), top**2, bits)
        fit("sin, a quarter", lambda u: mp.sin(root(u)) / root(u), range(1, quarter_terms + 1), {0: 1},
            lambda u: root(u) / mp.sin(root(u)), smallest, quarter, bits)
        fit("cos, a quarter", lambda u: mp.cos(root(u)), range(2, quarter_terms + 2), {0: 1, 1: mp.mpf(-0.5)},
            lambda u: 1 / mp.cos(root(u)), smallest, quarter, bits)
        fit("log for pow", lambda u: 2 * mp.atanh(root(u)) / root(u), range(2, pow_terms + 2), {0: 2, 1: mp.mpf(2) / 3},
            lambda u: root(u) / mp.atanh(root(u)) / 2, smallest, top**2, bits)
        split("2/3", mp.mpf(2) / 3, 2, bits)
        fit("atan", lambda u: mp.atan(root(u)) / root(u), range(1, atan_terms + 1), {0: 1},
            lambda u: root(u) / mp.atan(root(u)), smallest, (mp.tan(mp.pi / 8) * mp.mpf("1.001")) ** 2, bits)
        fit("sinh", lambda u: mp.sinh(root(u)) / root(u), range(1, sin_terms + 1), {0: 1},
            lambda u: root(u) / mp.sinh(root(u)), smallest, mp.mpf("1.01"), bits)
        if bits == 24:
            fit("-log erfc(1 + t)", lambda t: -mp.log(mp.erfc(1 + t)), range(7), {}, lambda t: mp.erfc(1 + t), smallest, mp.mpf("2.95"), bits)
        center, highest, erf_terms, erfc_degree = (2, mp.mpf("10.1"), 6, 10) if bits == 24 else (4, mp.mpf("27.3"), 12, 22)
        fit("erf(x) / x - 1", lambda u: mp.erf(root(u)) / root(u) - 1, range(erf_terms + 1), {}, lambda u: root(u) / mp.erf(root(u)),
            mp.mpf("1e-20"), 1, bits)

        def g(q):
            a = center * (1 + q) / (1 - q)
            return (1 + 2 * a) * mp.exp(a * a) * mp.erfc(a)

        fit("erfc", g, range(erfc_degree + 1), {}, lambda q: 1 / g(q), -1, (highest - center) / (highest + center), bits)
    # erf_inv(y) / y in w = -log(1 - y^2), w <= 5, and in sqrt(w) to the last number below 1; f64 starts from these.
    def inverse(w):
        y = mp.sqrt(-mp.expm1(-w))
        return mp.erfinv(y) / y if y else mp.sqrt(mp.pi) / 2

    fit("erf_inv, center", lambda u: inverse(u + 2.5), range(10), {}, lambda u: 1 / inverse(u + 2.5), -2.5, 2.5, 24)
    fit("-log(1 + f) / f", lambda f: -mp.log1p(f) / f, range(9), {}, abs, mp.sqrt(mp.mpf(1) / 2) - 1, mp.sqrt(2) - 1, 24)
    for bits, center, terms in ((24, 3, 9), (53, 4, 11)):
        last = mp.sqrt(-mp.log(mp.mpf(2) ** (1 - bits)))
        fit(f"erf_inv, tail of {bits} bits", lambda u: inverse((u + center) ** 2), range(terms), {},
            lambda u: 1 / inverse((u + center) ** 2), mp.sqrt(5) - center, last - center, 24)
    fit("cbrt, start", mp.cbrt, range(5), {}, lambda x: 1 / mp.cbrt(x), mp.mpf(2) ** mp.mpf(-1.51),
        mp.mpf(2) ** mp.mpf(1.51), 24)
    print("\n// ---- 1/pi, 64 bits a word, first word 2^-1 .. 2^-64")
    with mp.workprec(1500):
        rest = 1 / mp.pi
        words = []
        for _ in range(20):
            rest *= 2**64
            word = int(mp.floor(rest))
            rest -= word
            words.append(f"0x{word:016x}")
    for i in range(0, 20, 4):
        print(", ".join(words[i:i + 4]) + ",")


if __name__ == "__main__":
    main()
