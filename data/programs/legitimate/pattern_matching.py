"""The match statement takes apart sequences, mappings and classes."""
# topic: control flow
# call: describe([1, 2, 3])
# call: describe({"kind": "circle", "r": 2})
# call: describe((0, 5))
# call: describe("go")

def describe(value):
    match value:
        case [first, *rest] if isinstance(value, list):
            return ["list", first, len(rest)]
        case {"kind": "circle", "r": radius}:
            return ["circle", radius]
        case (0, y):
            return ["on the axis", y]
        case str() as text:
            return ["text", text]
