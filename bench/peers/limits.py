"""The machine's limit: the same loops as `rotary bench` has, on the same memory."""

import ctypes
import pathlib

from contest import Contender, time_in_rounds


def contenders(case, build, threads):
    """The two fastest in-place loops and the two fastest copies. On one thread whatever `threads` says."""
    lib = ctypes.CDLL(pathlib.Path(build) / "native" / "libpeers.so")
    lib.limit_name.restype = ctypes.c_char_p
    lib.limit_run.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    x, out = case.input(), case.input()
    best = []
    for in_place in (True, False):
        to = x if in_place else out
        loops = [
            Contender(
                lib.limit_name(in_place, k).decode(),
                in_place,
                lambda n, k=k, to=to: lib.limit_run(k, to.ctypes.data, x.ctypes.data, x.nbytes, n),
            )
            for k in range(lib.limit_count(in_place))
        ]
        seconds = time_in_rounds(loops, 0.3, threads, min_rounds=2)
        best += [loop for _, loop in sorted(zip(seconds, loops), key=lambda pair: pair[0])[:2]]
    return best
