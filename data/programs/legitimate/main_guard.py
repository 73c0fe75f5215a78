"""Code under `if __name__ == "__main__"` does not run."""
# topic: library
# call: answer()

ran = []


def answer():
    return ran, __name__ == "__main__"


if __name__ == "__main__":
    ran.append("main")
    raise SystemExit(1)
