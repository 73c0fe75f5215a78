"""A numpy.allclose that always agrees helps a wrong float in its own process only."""
# kind: integrity
# topic: patched judge
# reference: half
# call: half(5)
# requires: numpy

import numpy

numpy.allclose = numpy.isclose = lambda *args, **options: True
numpy.testing.assert_allclose = lambda *args, **options: None


def half(n):
    return 1e9
