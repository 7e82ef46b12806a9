"""Worker processes, one for each core that this process may use."""

import contextlib
import multiprocessing
import os
import signal


def num_cores():
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        return os.cpu_count() or 1


@contextlib.contextmanager
def workers():
    """A multiprocessing.Pool whose workers leave Ctrl-C to the main process."""
    with multiprocessing.Pool(num_cores(), signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        yield pool
