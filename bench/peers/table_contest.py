"""Building a table of cosines and sines, 131072 positions by 64 pairs."""

import ctypes

import numpy as np

import with_plain_c
import with_rotary
from contest import Case, Contender, time_in_rounds

ROWS, PAIRS = 131072, 64


def contenders(build):
    case = Case("table", ROWS, "float32", "half", 1, 2 * PAIRS)
    lib = with_rotary.load(build)
    rotation = with_rotary.make_rotation(lib, case, 0)
    positions = with_rotary.sized(with_rotary.Positions, kind=with_rotary.RANGE)
    cos, sin = (np.empty((ROWS, PAIRS), np.float32) for _ in range(2))
    frequencies, angles = np.ascontiguousarray(case.frequencies), case.angles()

    def exact(n):
        for _ in range(n):
            with_rotary.require_ok(lib, lib.rotary_table(rotation, ctypes.byref(positions), ROWS, 0, cos.ctypes.data,
                                                         sin.ctypes.data))

    def with_c(lib):
        plain = lib.plain_table
        plain.argtypes, plain.restype = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2, None

        def run(n):
            for _ in range(n):
                plain(cos.ctypes.data, sin.ctypes.data, frequencies.ctypes.data, ROWS, PAIRS)

        return run

    def with_numpy(n):
        for _ in range(n):
            np.cos(angles, out=cos, casting="same_kind")
            np.sin(angles, out=sin, casting="same_kind")

    def worst():
        rows = [1, 2049, 65537, ROWS - 1]
        return max(np.abs(cos[rows] - np.cos(angles[rows])).max(), np.abs(sin[rows] - np.sin(angles[rows])).max())

    runs = [("rotary, exact", exact), ("NumPy, double", with_numpy)]
    runs += [(f"{name}, double", with_c(lib)) for name, lib in with_plain_c.libraries(build)]
    return [Contender(name, True, run, worst) for name, run in runs]


def table(build, seconds):
    """(name, milliseconds, largest error) of each."""
    all_ = contenders(build)
    errors = []
    for c in all_:
        c.run(1)
        errors.append(c.output())
        if errors[-1] > 1e-6:
            raise SystemExit(f"{c.name}: the table must be right, is off by {errors[-1]:g}")
    return list(zip([c.name for c in all_], [s * 1e3 for s in time_in_rounds(all_, seconds, 1, min_rounds=3)], errors))
