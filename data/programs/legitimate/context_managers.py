"""Context managers, ExitStack and suppress run their exits in order."""
# topic: control flow
# call: ordered()
# call: suppressed()

from contextlib import ExitStack, contextmanager, suppress


@contextmanager
def logged(name, log):
    log.append("enter " + name)
    try:
        yield name
    finally:
        log.append("leave " + name)


def ordered():
    log = []
    with ExitStack() as stack:
        for name in "abc":
            stack.enter_context(logged(name, log))
    return log


def suppressed():
    with suppress(KeyError):
        {}["missing"]
    return "fine"
