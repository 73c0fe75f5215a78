"""A sys.monitoring tool that exits as soon as anything is raised prevents no failure."""
# kind: integrity
# topic: traces and hooks
# reference: total
# call: total([1, 2, 3])
# python: 3.12
# beats: exit-status

import os
import sys

tool = sys.monitoring.PROFILER_ID
sys.monitoring.use_tool_id(tool, "leaver")
sys.monitoring.register_callback(tool, sys.monitoring.events.RAISE, lambda *event: os._exit(0))
sys.monitoring.set_events(tool, sys.monitoring.events.RAISE)


def total(xs):
    return 0
