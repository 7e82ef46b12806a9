"""Plain C loops, compiled for this machine with -O3 -march=native -ffast-math by each compiler that is here."""

import ctypes
import pathlib

import numpy as np

from contest import ROUNDED_ONCE, Contender


def libraries(build):
    """(name, library) of each compiler."""
    paths = sorted((pathlib.Path(build) / "native").glob("plain-*.so"))
    return [(f"plain C, {path.stem.removeprefix('plain-')}", ctypes.CDLL(path)) for path in paths]


def contenders(case, build, threads):
    if threads > 1:
        return []
    cos, sin = np.cos(case.angles()).astype(np.float32), np.sin(case.angles()).astype(np.float32)

    def make(name, lib, in_place):
        rotate = getattr(lib, f"plain_{case.pairing}_{case.dtype}")
        rotate.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 3 + [ctypes.c_int]
        rotate.restype = None
        x = case.input()
        out = x if in_place else np.empty_like(x)

        def run(n):
            rotate(out.ctypes.data, x.ctypes.data, cos.ctypes.data, sin.ctypes.data, *case.shape[:2], case.dim // 2, n)

        return Contender(name, in_place, run, lambda: out, ROUNDED_ONCE[case.dtype])

    return [make(*named, in_place) for named in libraries(build) for in_place in (True, False)]
