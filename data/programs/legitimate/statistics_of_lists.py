"""The statistics module gives its means, medians and deviations."""
# topic: numbers
# call: summary([1, 2, 2, 3, 9])
# call: exact()

import statistics
from fractions import Fraction


def summary(xs):
    return statistics.mean(xs), statistics.median(xs), statistics.mode(xs), statistics.pstdev(xs)


def exact():
    return statistics.mean([Fraction(1, 2), Fraction(1, 3)])
