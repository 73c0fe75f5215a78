# An order that respects dependencies
# topics: graphs, sorting

# %% prompt
def build_order(needs: dict[str, list[str]]) -> list[str] | None:
    """Put tasks into an order in which every task comes after all the tasks it needs.

    needs maps a task to the tasks it needs; a task that only occurs in a list needs nothing. Whenever several tasks
    could come next, the alphabetically first one does. Return None when the tasks need each other in a circle.

    build_order({"b": ["a"], "c": ["a"]}) == ["a", "b", "c"]
    """

# %% reference
def build_order(needs):
    waiting = {task: set(before) for task, before in needs.items()}
    for before in needs.values():
        for task in before:
            waiting.setdefault(task, set())
    order = []
    while waiting:
        ready = sorted(task for task, before in waiting.items() if not before)
        if not ready:
            return None
        order.append(ready[0])
        del waiting[ready[0]]
        for before in waiting.values():
            before.discard(ready[0])
    return order

# %% golden
assert build_order({"b": ["a"], "c": ["a"]}) == ["a", "b", "c"]
assert build_order({}) == []
assert build_order({"a": []}) == ["a"]
assert build_order({"a": ["b"], "b": ["a"]}) is None
assert build_order({"a": ["a"]}) is None
assert build_order({"a": ["z"]}) == ["z", "a"]
assert build_order({"c": ["b"], "b": ["a"]}) == ["a", "b", "c"]
assert build_order({"c": [], "b": [], "a": []}) == ["a", "b", "c"]
assert build_order({"d": ["b", "c"], "b": ["a"], "c": ["a"]}) == ["a", "b", "c", "d"]

# %% bug: forgets tasks that only occur in lists
#-            waiting.setdefault(task, set())
#+            pass

# %% bug: ties in the order of the dict
#-        ready = sorted(task for task, before in waiting.items() if not before)
#+        ready = [task for task, before in waiting.items() if not before]

# %% bug: loops for ever around a circle
#-        if not ready:
#-            return None
#+        if not ready:
#+            continue

# %% bug: an empty list for a circle
#-            return None
#+            return []

# %% subtle bug: takes all the tasks that are ready at once
# witness: build_order({"b": ["a"], "c": []})
def build_order(needs):
    waiting = {task: set(before) for task, before in needs.items()}
    for before in needs.values():
        for task in before:
            waiting.setdefault(task, set())
    order = []
    while waiting:
        ready = sorted(task for task, before in waiting.items() if not before)
        if not ready:
            return None
        order += ready
        for task in ready:
            del waiting[task]
        for before in waiting.values():
            before -= set(ready)
    return order
