"""Properties, slots, class methods, static methods and descriptors work."""
# topic: classes
# call: heat(100)
# call: validated(-1)
# call: family()

class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner):
        return getattr(instance, self.name)

    def __set__(self, instance, value):
        setattr(instance, self.name, max(0, value))


class Body:
    __slots__ = ("_mass", "_celsius")
    mass = Positive()

    def __init__(self, celsius=0, mass=0):
        self._celsius, self.mass = celsius, mass

    @property
    def fahrenheit(self):
        return self._celsius * 9 / 5 + 32

    @classmethod
    def named(cls):
        return cls.__name__

    @staticmethod
    def unit():
        return "kg"


def heat(celsius):
    return Body(celsius).fahrenheit


def validated(mass):
    return Body(mass=mass).mass


def family():
    return [Body.named(), Body.unit(), hasattr(Body(), "__dict__")]
