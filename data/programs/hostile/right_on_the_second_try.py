"""Each call runs once: a candidate that is right only when it is asked again is wrong."""
# kind: integrity
# topic: state and chance
# reference: total
# call: total([1, 2, 3])
# call: total([4, 5])

asked = set()


def total(xs):
    first = str(xs) not in asked
    asked.add(str(xs))
    return None if first else sum(xs)
