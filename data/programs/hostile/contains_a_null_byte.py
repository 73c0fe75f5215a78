"""Source with a null byte is reported as a syntax error."""
# kind: resource
# topic: loading
# load: syntax|raised
# call: attack()

# The next line holds the character itself:
"@NUL@"


def attack():
    return 1
