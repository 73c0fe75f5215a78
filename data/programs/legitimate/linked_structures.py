"""Linked lists, trees and graphs built from classes are walked to plain values."""
# topic: structures
# call: reversed_list([1, 2, 3])
# call: in_order([5, 2, 8, 1])
# call: components(5, [(0, 1), (3, 4)])

class Node:
    def __init__(self, value, following=None):
        self.value, self.following = value, following


class Tree:
    def __init__(self, value):
        self.value, self.left, self.right = value, None, None

    def insert(self, value):
        side = "left" if value < self.value else "right"
        child = getattr(self, side)
        child.insert(value) if child else setattr(self, side, Tree(value))

    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.value
        if self.right:
            yield from self.right


def reversed_list(xs):
    head = None
    for x in xs:
        head = Node(x, head)
    result = []
    while head:
        result.append(head.value)
        head = head.following
    return result


def in_order(xs):
    root = Tree(xs[0])
    for x in xs[1:]:
        root.insert(x)
    return list(root)


def components(n, edges):
    parent = list(range(n))

    def find(x):
        while parent[x] != x:
            parent[x] = x = parent[parent[x]]
        return x

    for a, b in edges:
        parent[find(a)] = find(b)
    return len({find(x) for x in range(n)})
