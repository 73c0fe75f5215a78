"""An import of a package that is not there is an error of the program."""
# kind: resource
# topic: loading
# load: raised
# call: attack()

import a_package_that_nobody_has_written


def attack():
    return 1
