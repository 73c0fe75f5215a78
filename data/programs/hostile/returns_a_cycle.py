"""A list, a dictionary or an object that contains itself is not carried to the judge."""
# kind: resource
# topic: results
# call: attack("list") -> unsupported
# call: attack("dict") -> unsupported
# call: attack("both") -> unsupported

def attack(what):
    ring, names = [], {}
    ring.append(ring if what == "list" else names)
    names["me"] = names if what == "dict" else ring
    return names if what == "dict" else ring
