"""Computes the tables that stand in src/math/gamma.cpp.

    python3 gamma_coefficients.py     (needs mpmath)

Series of log, sin and cos, Stirling's series and its derivative, Taylor series of log gamma about 1
and 2, and the zeros of log |gamma| and of digamma. A number in braces of two is a double word.
"""

import mpmath as mp

mp.mp.dps = 70


def literal(value):
    text = float(value).hex()
    return text.replace("0x1.0000000000000p", "0x1p")


def word(value):
    high = float(value)
    return "{" + literal(high) + ", " + literal(value - mp.mpf(high)) + "}"


def table(name, values, spell):
    print(f"// {name}")
    print("{" + ", ".join(spell(v) for v in values) + "}")


def series(name, coefficient, first, words, last):
    """The first coefficients as double words, the rest as doubles."""
    table(name, [coefficient(k) for k in range(first, words)], word)
    table(name + "Rest", [coefficient(k) for k in range(words, last)], literal)


def zero_of(function, low, high):
    return mp.findroot(function, (mp.mpf(low), mp.mpf(high)), solver="anderson", tol=1e-120, maxsteps=500)


def log_gamma(x):
    return mp.log(abs(mp.gamma(x)))


def lgamma_zeros():
    # Between -n - 1 and -n there are two from n = 2 on; these are the ones with small slopes.
    brackets = [("-2.5", "-2.4"), ("-2.8", "-2.7"), ("-3.2", "-3.1"), ("-3.99", "-3.9"), ("-4.1", "-4.01"),
                ("-4.999", "-4.98"), ("-5.02", "-5.001"), ("-5.9999", "-5.99")]
    for low, high in brackets:
        zero = zero_of(log_gamma, low, high)
        to_pole = abs(zero - mp.nint(zero))
        reach = -30 + int(mp.floor(mp.log(to_pole, 2)))
        yield f"{{{word(zero)}, {literal(mp.psi(0, zero))}, {literal(mp.psi(1, zero) / 2)}, 0x1p{reach}}}"


def digamma_zeros():
    zeros = [mp.findroot(lambda x: mp.psi(0, x), mp.mpf("1.4616321449683623"))]
    zeros += [zero_of(lambda x: mp.psi(0, x), -n - mp.mpf("0.999"), -n - mp.mpf("0.2")) for n in range(16)]
    for zero in zeros:
        yield f"{{{word(zero)}, {literal(mp.psi(1, zero))}, {literal(mp.psi(2, zero) / 2)}, 0x1p-30}}"


def main():
    series("kLog", lambda k: mp.mpf(2) / (2 * k + 1), 0, 11, 22)
    series("kSin", lambda k: (-1) ** k / mp.factorial(2 * k + 1), 0, 11, 19)
    series("kCos", lambda k: (-1) ** k / mp.factorial(2 * k), 0, 11, 19)
    series("kStirling", lambda k: mp.bernoulli(2 * k) / (2 * k * (2 * k - 1)), 1, 9, 20)
    series("kPsi", lambda k: mp.bernoulli(2 * k) / (2 * k), 1, 9, 20)
    for name, value in (("kLn2", mp.log(2)), ("kPi", mp.pi), ("kHalfLogTwoPi", mp.log(2 * mp.pi) / 2),
                        ("kLogPi", mp.log(mp.pi)), ("kFirstOfOne", -mp.euler), ("kFirstOfTwo", 1 - mp.euler)):
        print(f"// {name}\n{word(value)}")
    table("kAboutOne", [mp.zeta(k) * (-1) ** k / k for k in range(2, 20)], literal)
    table("kAboutTwo", [(mp.zeta(k) - 1) * (-1) ** k / k for k in range(2, 20)], literal)
    table("kLgammaZeros", lgamma_zeros(), str)
    table("kDigammaZeros", digamma_zeros(), str)


if __name__ == "__main__":
    main()
