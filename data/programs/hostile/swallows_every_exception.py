"""A loop that catches whatever is raised inside it is ended from outside."""
# kind: resource
# topic: time
# call: attack() -> timeout

def attack():
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
