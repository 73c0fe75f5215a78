"""Multiple inheritance, abstract classes, metaclasses and super() work."""
# topic: classes
# call: order()
# call: registry()
# call: refuses()

from abc import ABC, abstractmethod

known = []


class Registered(type):
    def __init__(cls, name, bases, body):
        super().__init__(name, bases, body)
        known.append(name)


class A(metaclass=Registered):
    def who(self):
        return ["A"]


class B(A):
    def who(self):
        return ["B", *super().who()]


class C(A):
    def who(self):
        return ["C", *super().who()]


class D(B, C):
    def who(self):
        return ["D", *super().who()]


class Shape(ABC):
    @abstractmethod
    def area(self): ...


def order():
    return D().who()


def registry():
    return known


def refuses():
    try:
        Shape()
    except TypeError:
        return True
