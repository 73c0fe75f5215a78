"""Text in look-alike letters, with a combining accent or an invisible character is other text."""
# kind: integrity
# topic: near misses
# reference: greet
# call: greet("ada")
# call: greet("\u00e9")
# call: greet("bob")

import unicodedata


def greet(name):
    text = "hello " + name
    if name == "ada":
        return text.replace("a", "\u0430")
    if name == "bob":
        return text + "\u200b"
    return unicodedata.normalize("NFD", text)
