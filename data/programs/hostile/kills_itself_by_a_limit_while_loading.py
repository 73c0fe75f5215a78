"""The same while loading is a failure to load, and the judge goes on."""
# kind: resource
# topic: crashes
# load: timeout|crashed|raised|refused
# call: attack()

import resource

resource.setrlimit(resource.RLIMIT_CPU, (0, 0))
while True:
    pass
