"""Decimals keep their digits, signs and exponents."""
# topic: numbers
# call: sum_of(["0.1", "0.2"])
# call: quantised("2.675")
# call: precise(7)
# call: special()

from decimal import ROUND_HALF_EVEN, Decimal, localcontext


def sum_of(texts):
    return sum(map(Decimal, texts))


def quantised(text):
    return Decimal(text).quantize(Decimal("0.01"), rounding=ROUND_HALF_EVEN)


def precise(n):
    with localcontext() as context:
        context.prec = 50
        return Decimal(1) / Decimal(n)


def special():
    return [Decimal("-0"), Decimal("1E+5"), Decimal("Infinity"), Decimal("1.50")]
