"""Modules that are imported inside a function, some of them rare, can be imported."""
# topic: library
# call: rare()
# call: later("a.b-c")

def rare():
    import colorsys
    import difflib
    import graphlib
    import html
    import ipaddress
    import shlex
    import urllib.parse
    import uuid
    import xml.etree.ElementTree as tree

    return [
        colorsys.rgb_to_hsv(1, 0, 0),
        difflib.get_close_matches("appel", ["ape", "apple"]),
        list(graphlib.TopologicalSorter({"b": {"a"}}).static_order()),
        html.escape("<a>"),
        ipaddress.ip_address("10.0.0.1").is_private,
        shlex.split("a 'b c'"),
        urllib.parse.quote("a b"),
        str(uuid.uuid5(uuid.NAMESPACE_DNS, "x.org")),
        tree.fromstring("<a><b>1</b></a>").find("b").text,
    ]


def later(text):
    from re import split

    return split(r"\W", text)
