"""Tabs, names in other scripts and long lines in the source are no obstacle."""
# topic: source
# call: tabbed(2)
# call: größe(3)
# call: long_line()

def tabbed(n):
	if n:
		return n * 2


def größe(n):
    π = 3.14
    return π * n ** 2


def long_line():
    return [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35]
