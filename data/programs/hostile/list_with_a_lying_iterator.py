"""A list subclass that shows the right elements through its methods and holds others is the others."""
# kind: integrity
# topic: equality
# reference: arrange
# call: arrange([3, 1, 2])

class Liar(list):
    def __iter__(self):
        return iter((1, 2, 3))

    def __len__(self):
        return 3

    def __getitem__(self, index):
        return (1, 2, 3)[index]

    def copy(self):
        return [1, 2, 3]

    __reversed__ = copy


def arrange(xs):
    return Liar([9, 9])
