"""The binary layouts that the trusted process, the zygote and the child exchange.

Stands alone (standard library only), because the zygote loads it too.

    trusted → zygote   `ORDER`, with the job's descriptor (and the one to capture output) attached
    trusted → child    the job, marshal of (program, calls, values, room for results): the zygote never reads it
    child → trusted    frames: `FRAME` header, then the payload; one for loading, one a call, one at the end
    zygote → trusted   `REPORT` when the child has ended, or `HEARTBEAT` while it runs
    child → zygote     `PROGRESS` in a shared page: which call began when (a hint: it can only waste its own budget)
"""

from __future__ import annotations

import struct

ORDER = struct.Struct("<QIQdddddB")
"""number, length of the job, memory bytes, CPU seconds to load, a call, in all, wall factor, wall seconds in all,
capture output."""

REPORT = struct.Struct("<QBiiddQ")
"""number, `END_*`, wait status, call, CPU seconds, wall seconds, peak memory in bytes."""

FRAME = struct.Struct("<IiBf")
"""payload length, call (or `LOADED`, `DONE`), kind, CPU seconds."""

PROGRESS = struct.Struct("<qdd")
"""call (`LOADED` while loading), CPU seconds and monotonic seconds when it began."""

LOADED, DONE = -1, -2
"""Places of the frames that are not a call's."""

VALUE, RAISED, UNSUPPORTED, MEMORY, REFUSED, SYNTAX = range(6)
"""Kinds of frame. A VALUE's payload is the wire value, the others' is JSON: [type name, [names of bases], detail]."""

SMALLEST_FAILURE = 256
"""Bytes that the frame of a failure always fits in, cut down to the exception's name if need be."""

END_ITSELF, END_CALL_TIME, END_PROGRAM_TIME, END_WALL, END_CANCELLED, END_UNLOCKED, HEARTBEAT = range(7)
"""Why a child ended: by itself (see the wait status); killed for the reason named; or without getting locked up, which
is a failure of the machinery."""

EXIT_DONE, EXIT_MEMORY, EXIT_BROKEN = 0, 77, 78
"""Exit statuses of a child: all said; no memory left to say it; the runner itself was broken."""

HEARTBEAT_SECONDS = 1.0
