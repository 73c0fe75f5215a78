"""A function that returns nothing returns None, alone and inside containers."""
# topic: structures
# call: nothing()
# call: found({"a": None}, "a")
# call: several()

def nothing():
    pass


def found(table, key):
    return table.get(key), key in table


def several():
    return [None, (None,), {None: None}, {None}]
