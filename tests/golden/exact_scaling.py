"""Frequencies of every scaling method in 60-digit decimal arithmetic, as hi + lo: core/exact_scaling.txt.

usage: python exact_scaling.py      (standard library only)

Parameters are doubles taken as exact numbers. A line: case, method, parameters, ":", exact.PAIR=hi,lo in hexadecimal.
"""
import os
from decimal import Decimal, getcontext

getcontext().prec = 60
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "core/exact_scaling.txt")


def clamp(x):
    return min(max(x, Decimal(0)), Decimal(1))


class List:
    def __init__(self, d, base, s=1, L0=1, len=0, **more):
        self.d, self.base, self.s, self.L0, self.length = (Decimal(x) for x in (d, base, s, L0, len))
        self.more = more

    def get(self, key, default):
        return Decimal(self.more.get(key, default))

    def entry(self, key, i):
        return Decimal(float(self.more[key].split(",")[int(i)]))

    def plain(self, i, base=None):
        return (base or self.base) ** (-2 * i / self.d)

    def ntk(self, r, i):
        return self.plain(i, self.base * r ** (self.d / (self.d - 2)))

    def pair(self, turns):
        return self.d * (self.L0 / (2 * PI * turns)).ln() / (2 * self.base.ln())

    def ramp(self, fast, slow, i, rounded=True):
        low, high = self.pair(fast), self.pair(slow)
        if rounded:
            low, high = low.to_integral_value("ROUND_FLOOR"), high.to_integral_value("ROUND_CEILING")
        low, high = max(low, Decimal(0)), min(high, self.d - 1)
        return clamp((i - low) / (high - low))


def mix(a, b, share):
    return a * share + b * (1 - share)


def by_parts(l, i):
    mixed = mix(l.plain(i) / l.s, l.ntk(l.s, i), l.ramp(Decimal("1.25"), Decimal("0.75"), i))
    return mix(mixed, l.plain(i), l.ramp(16, 2, i))


def llama3(l, i):
    low, high, turns = Decimal(float(l.more["low"])), Decimal(float(l.more["high"])), l.L0 * l.plain(i) / (2 * PI)
    return mix(l.plain(i), l.plain(i) / l.s, clamp((turns - low) / (high - low)))


def longrope(l, i):
    if l.length <= l.L0:
        return l.plain(i) / l.entry("short", i)
    grown = (l.length / l.L0 - 1) / (l.s - 1) if "blend" in l.more else 1
    return l.plain(i) / (1 + (l.entry("long", i) - 1) * grown)


METHODS = {
    "default": lambda l, i: l.plain(i),
    "linear": lambda l, i: l.plain(i) / l.s,
    "ntk": lambda l, i: l.ntk(l.s, i),
    "ntk_scaled_base": lambda l, i: l.plain(i, l.base * l.s) / l.s ** (2 / l.d),
    "ntk_mixed": lambda l, i: l.plain(i) / (l.s.ln() / (l.d / 2) ** l.get("b", 0) * (i + 1) ** l.get("b", 0)).exp(),
    "dynamic": lambda l, i: l.ntk(l.s * l.length / l.L0 - (l.s - 1), i),
    "dynamic_paper": lambda l, i: l.ntk(l.length / l.L0, i),
    "ntk_by_parts": by_parts,
    "ntk_by_parts_paper": lambda l, i: mix(l.plain(i), l.plain(i) / l.s, clamp((l.L0 * l.plain(i) / (2 * PI) - 1) / 31)),
    "yarn": lambda l, i: mix(l.plain(i) / l.s, l.plain(i), l.ramp(32, 1, i, l.get("truncate", 1) == 1)),
    "longrope": longrope,
    "llama3": llama3,
    "proportional": lambda l, i: l.plain(i) / l.s if i < int(l.get("proportion", 0) * l.d / 2) else Decimal(0),
}
LISTS = {"short": "1,1.1,1.3,1.7", "long": "1.05,2.3,5.7,9.1"}
CASES = [
    ("default", dict(d=128, base=500000)),
    ("default", dict(d=80, base=10000)),
    ("linear", dict(d=128, base=10000, s=3)),
    ("ntk", dict(d=128, base=10000, s=8)),
    ("ntk_scaled_base", dict(d=128, base=10000, s=8)),
    ("ntk_mixed", dict(d=128, base=10000, s=8, b=0.625)),
    ("dynamic", dict(d=128, base=10000, s=2, L0=4096, len=10000)),
    ("dynamic_paper", dict(d=64, base=10000, s=1, L0=4096, len=10000)),
    ("ntk_by_parts", dict(d=128, base=10000, s=4, L0=2048)),
    ("ntk_by_parts_paper", dict(d=128, base=10000, s=16, L0=4096)),
    ("yarn", dict(d=128, base=1000000, s=4, L0=32768)),
    ("yarn", dict(d=64, base=150000, s=32, L0=4096, truncate=0)),
    ("longrope", dict(d=8, base=10000, s=4, L0=16, len=16, **LISTS)),
    ("longrope", dict(d=8, base=10000, s=4, L0=16, len=17, **LISTS)),
    ("longrope", dict(d=8, base=10000, s=4, L0=16, len=37, blend=1, **LISTS)),
    ("llama3", dict(d=128, base=500000, s=8, L0=8192, low=1, high=4)),
    ("llama3", dict(d=64, base=10000, s=8, L0=8192, low=0.3, high=4.1)),
    ("proportional", dict(d=128, base=10000, s=3, proportion=0.25)),
]


def main():
    with open(OUT, "w") as out:
        for method, parameters in CASES:
            pairs = parameters["d"] // 2
            values = []
            for i in range(0, pairs, max(1, pairs // 16)):
                x = METHODS[method](List(**parameters), Decimal(i))
                values.append(f"exact.{i}={float(x).hex()},{float(x - Decimal(float(x))).hex()}")
            keys = " ".join(f"{k}={v}" for k, v in parameters.items())
            out.write(f"{method} {method} {keys} : {' '.join(values)}\n")


main()
