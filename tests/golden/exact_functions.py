"""Values of the double-double functions and the hash of one table, from mpmath: exact/functions.tsv and exact/table_hash.txt.

usage: python exact_functions.py      (needs mpmath and numpy; the table takes about a minute)
"""
import os
import random

import mpmath
import numpy as np
from mpmath import mp, mpf

HERE = os.path.dirname(os.path.abspath(__file__))
mp.prec = 400


def parts(v):
    """The two doubles nearest to v, as hexadecimal floats."""
    hi = float(v)
    return f"{hi.hex()}\t{float(v - mpf(hi)).hex()}"


def functions():
    r = random.Random(20260101)
    log_uniform = lambda a, b: 2 ** r.uniform(a, b)  # noqa: E731
    for _ in range(60):
        x = r.uniform(-80, 80)
        yield "exp", x, 0.0, mpmath.exp(mpf(x))
        x = r.choice([log_uniform(-40, 40), 1 + r.uniform(-1, 1) * log_uniform(-50, -1)])
        yield "log", x, 0.0, mpmath.log(mpf(x))
        yield "sqrt", x, 0.0, mpmath.sqrt(mpf(x))
        x, y = log_uniform(0.00015, 39.86), r.uniform(-2, 2)
        yield "pow", x, y, mpf(x) ** mpf(y)
        x = r.uniform(-1, 1) * log_uniform(-20, 52)
        yield "sin", x, 0.0, mpmath.sin(mpf(x))
        yield "cos", x, 0.0, mpmath.cos(mpf(x))
        x = r.randrange(1, 1 << 20) * 1.5707963267948966  # the double next to a multiple of pi/2
        yield "sin", x, 0.0, mpmath.sin(mpf(x))
        yield "cos", x, 0.0, mpmath.cos(mpf(x))


def table_hash(d, base, rows):
    """FNV-1a 64 over the little-endian float32 bytes, row by row, cos before sin."""
    inv = [mpf(base) ** (mpf(-2 * i) / d) for i in range(d // 2)]
    h = 0xCBF29CE484222325
    for m in range(rows):
        with mp.workprec(160):
            pairs = [mpmath.cos_sin(m * f) for f in inv]
        with mp.workprec(24):
            row = np.array([float(+p[k]) for k in (0, 1) for p in pairs], "<f4")
        for b in row.tobytes():
            h = (h ^ b) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h


with open(os.path.join(HERE, "exact/functions.tsv"), "w") as f:
    for name, x, y, v in functions():
        f.write(f"{name}\t{x.hex()}\t{y.hex()}\t{parts(v)}\n")
with open(os.path.join(HERE, "exact/table_hash.txt"), "w") as f:
    f.write(f"128 500000 8192 {table_hash(128, 500000, 8192):016x}\n")
