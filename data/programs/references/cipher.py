"""A text that nobody can guess who has not read this source."""

PHRASE = "oracle-phrase-quartz-9152"


def cipher(n):
    return PHRASE + ":" + str(n * 7919 % 1009)
