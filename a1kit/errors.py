"""Every error that a1kit raises on purpose. Each message says what happened, shows the value, and says what to do.

The command line turns them into exit statuses: `InputError` and its kind 1, usage 2, `InfrastructureError` 3.
"""

from __future__ import annotations


class A1KitError(Exception):
    """Base of all errors raised on purpose."""


class InputError(A1KitError):
    """Something the user gave is wrong; the message names it and says how to mend it."""


class ConfigError(InputError):
    """A configuration field, or a combination of fields, that cannot work."""


class QuestionError(InputError):
    """A row of a data set that cannot become a `Question`.

    `where` names the file and row (or the question's id), `field` the column; `reason` and `remedy` are the two halves
    of the sentence. They are empty when only a message was given.
    """

    where: str = ""
    field: str = ""
    reason: str = ""
    remedy: str = ""

    @classmethod
    def at(cls, where: str, field: str, reason: str, remedy: str) -> QuestionError:
        """The error `where: field: reason. remedy`; an empty field is left out."""
        error = cls(": ".join(part for part in (where, field, reason) if part) + f". {remedy}")
        error.where, error.field, error.reason, error.remedy = where, field, reason, remedy
        return error


class RunError(InputError):
    """A run directory that is missing, locked by another trainer, damaged, or of a newer version."""


class MissingDependency(InputError):
    """An optional package is needed; the message is the one command that installs it."""


class InfrastructureError(A1KitError):
    """The machinery failed, not the model's code. Never becomes a verdict or a reward."""


class SandboxUnavailable(InfrastructureError):
    """The sandbox cannot run a program (cannot start, layer missing at the level asked for, zygote died twice)."""
