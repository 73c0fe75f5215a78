"""Bytes are not the text that they encode."""
# kind: integrity
# topic: near misses
# reference: greet
# call: greet("ada")

def greet(name):
    return ("hello " + name).encode()
