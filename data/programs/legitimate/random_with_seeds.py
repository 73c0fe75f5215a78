"""random with a seed gives the numbers that it gives anywhere."""
# topic: library
# call: rolled(7)
# call: shuffled(list(range(10)), 3)
# call: own_generator()

import random


def rolled(seed):
    random.seed(seed)
    return [random.randint(1, 6) for _ in range(10)], random.random()


def shuffled(xs, seed):
    random.Random(seed).shuffle(xs)
    return xs


def own_generator():
    source = random.Random("text")
    return source.choice("abc"), source.sample(range(100), 3), source.gauss(0, 1)
