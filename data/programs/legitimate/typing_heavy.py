"""Programs full of annotations, generics, protocols and typed dictionaries load and run."""
# topic: library
# call: solve([1, 2, 3])
# call: stacked()
# call: hints()

from __future__ import annotations

import typing
from typing import Any, Callable, Dict, Generic, List, Literal, Optional, Protocol, Tuple, TypedDict, TypeVar, Union

T = TypeVar("T")


class Movie(TypedDict, total=False):
    name: str
    year: int


class HasArea(Protocol):
    def area(self) -> float: ...


class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: List[T] = []

    def push(self, item: T) -> Stack[T]:
        self.items.append(item)
        return self


def solve(nums: List[int], k: Optional[int] = None, mode: Literal["a", "b"] = "a") -> Tuple[int, Union[int, None]]:
    f: Callable[[int], int] = lambda x: x + 1
    table: Dict[str, Any] = Movie(name="x", year=f(nums[0]))
    return table["year"], k


def stacked() -> List[int]:
    return Stack[int]().push(1).push(2).items


def hints() -> Dict[str, str]:
    return {name: str(hint) for name, hint in typing.get_type_hints(Movie).items()}
