"""A module that exhausts memory while it loads is reported as that."""
# kind: resource
# topic: memory
# load: memory|crashed|timeout
# call: attack()

hoard = []
while True:
    hoard.append(bytearray(1 << 20))
