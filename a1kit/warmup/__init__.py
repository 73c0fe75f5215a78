"""The warm-up: small transformers, from random weights to players worth watching.

    course = warmup.course("micro")
    warmup.make(course, folder, seed=0, report=print)
    warmup.measure(course, folder)

Each micro world has a course (`a1kit.warmup.micro`, `.micro_traps`): who writes its examples, how large its models are
and what to expect of them. `learning` is one optimizer step and the loop around it, `making` the processes and files.
"""

from a1kit.errors import InputError
from a1kit.warmup import micro, micro_traps
from a1kit.warmup.course import Band, Course, Kind, Schedule, Shape, Stage
from a1kit.warmup.learning import Progress, Trainer, new_model, orthogonalised
from a1kit.warmup.making import PROVENANCE, Warm, make, measure, record, save, warm_up

__all__ = [
    "COURSES",
    "PROVENANCE",
    "Band",
    "Course",
    "Kind",
    "Progress",
    "Schedule",
    "Shape",
    "Stage",
    "Trainer",
    "Warm",
    "course",
    "make",
    "measure",
    "new_model",
    "orthogonalised",
    "record",
    "save",
    "warm_up",
]

COURSES: dict[str, Course] = {one.name: one for one in (micro.COURSE, micro_traps.COURSE)}


def course(world: str) -> Course:
    """The course of that world."""
    if world not in COURSES:
        raise InputError(f"there is no warm-up for {world!r}; the worlds with one are {', '.join(COURSES)}.")
    return COURSES[world]
