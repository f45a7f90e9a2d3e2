"""Run something in a copy of this process, which may crash or never end."""

import json
import os
import resource
import signal
import traceback
from collections.abc import Callable
from typing import Any

MEMORY = 8 << 30  # bytes that a copy may take


def forked(work: Callable[[], Any], crashed: Any = None) -> Any:
    """What the work returns, over JSON; `crashed` if the copy died of a signal."""
    reads, writes = os.pipe()
    if not (child := os.fork()):
        try:
            os.close(reads)
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            with os.fdopen(writes, "w") as pipe:
                try:
                    said = {"said": work()}
                except BaseException:
                    said = {"error": traceback.format_exc()}
                pipe.write(json.dumps(said))
        finally:
            os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    if not text:
        return crashed
    if "error" in (said := json.loads(text)):
        raise RuntimeError(f"in a copy of the process:\n{said['error']}")
    return said["said"]


def within(seconds: float) -> None:
    """From now on, die after so many seconds of the processor, whatever else the machine does."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(int(20 * seconds + 60))  # what waits for what never comes takes none
