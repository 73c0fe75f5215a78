# How many rooms the meetings need
# topics: intervals, sorting, greedy

# %% prompt
def meeting_rooms(meetings: list[tuple[int, int]]) -> int:
    """Return how many rooms are needed so that no two meetings overlap in a room.

    A meeting (start, end) with start < end needs its room from start up to, not including, end. Meetings come in any
    order.

    meeting_rooms([(0, 30), (5, 10), (15, 20)]) == 2
    """

# %% reference
def meeting_rooms(meetings):
    events = sorted([(start, 1) for start, _ in meetings] + [(end, -1) for _, end in meetings])
    rooms = most = 0
    for _, change in events:
        rooms += change
        most = max(most, rooms)
    return most

# %% golden
assert meeting_rooms([(0, 30), (5, 10), (15, 20)]) == 2
assert meeting_rooms([]) == 0
assert meeting_rooms([(1, 2)]) == 1
assert meeting_rooms([(1, 2), (2, 3)]) == 1
assert meeting_rooms([(1, 5), (2, 6), (3, 7)]) == 3
assert meeting_rooms([(7, 10), (2, 4)]) == 1
assert meeting_rooms([(1, 4), (1, 4)]) == 2
assert meeting_rooms([(1, 10), (2, 3), (4, 5), (6, 7)]) == 2

# %% bug: a room is busy at the end as well
#-    events = sorted([(start, 1) for start, _ in meetings] + [(end, -1) for _, end in meetings])
#+    events = sorted([(start, 0, 1) for start, _ in meetings] + [(end, 1, -1) for _, end in meetings])
#-    for _, change in events:
#+    for _, _, change in events:

# %% bug: the rooms at the end of the day
#-    return most
#+    return rooms

# %% bug: the meetings that overlap any other
def meeting_rooms(meetings):
    return sum(
        any(i == j or (a[0] < b[1] and b[0] < a[1]) for j, b in enumerate(meetings)) for i, a in enumerate(meetings)
    )

# %% bug: needs sorted meetings
def meeting_rooms(meetings):
    ends = []
    for start, end in meetings:
        if ends and ends[0] <= start:
            ends.pop(0)
        ends.append(end)
    return len(ends)

# %% subtle bug: frees the room that was taken first, not the one that is free first
# witness: meeting_rooms([(0, 10), (1, 3), (2, 9), (4, 6), (5, 8)])
def meeting_rooms(meetings):
    ends = []
    for start, end in sorted(meetings):
        if ends and ends[0] <= start:
            ends.pop(0)
        elif len(ends) > 1 and ends[-1] <= start:
            ends.pop()
        ends.append(end)
    return len(ends)
