"""The environment of the trusted process, with its tokens, is not handed down."""
# kind: containment
# topic: secrets
# call: attack()
# harms: secret

import os


def attack():
    return str(dict(os.environ))
