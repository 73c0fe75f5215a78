"""Exceptions raised and handled inside a program are its own business."""
# topic: control flow
# call: safe_division(1, 0)
# call: chained("x")
# call: cleaned_up()
# call: grouped()

class ParseError(ValueError):
    pass


def safe_division(a, b):
    try:
        return a / b
    except ZeroDivisionError as error:
        return str(error)


def chained(text):
    try:
        try:
            int(text)
        except ValueError as error:
            raise ParseError(text) from error
    except ParseError as error:
        return type(error.__cause__).__name__, str(error)


def cleaned_up():
    steps = []
    try:
        steps.append("work")
        return steps
    finally:
        steps.append("clean")


def grouped():
    kinds = []
    try:
        raise ExceptionGroup("two", [ValueError(1), TypeError(2)])
    except* ValueError as group:
        kinds.append(len(group.exceptions))
    except* TypeError:
        kinds.append("type")
    return kinds
