"""True and False are themselves, and equal to one and zero as in Python."""
# topic: numbers
# call: compared()
# call: counted([True, False, True])

def compared():
    return [1 == True, 0 == False, True + True, not [], bool("no")]


def counted(flags):
    return sum(flags)
