#!/usr/bin/env python3
"""Writes src/core/self_test_values.txt: cosines and sines to 50 digits (mpmath), rounded once to float32.

A line: base, width, pair, position, cos, sin; angle = position * base^(-2 pair / width). The last two in nine digits, which name one float32.
"""
import mpmath, struct

mpmath.mp.dps = 50


def float32(x):
    """The nearest float32 of an mpf: through the nearest double, whose second rounding is checked."""
    double = float(x)
    single = struct.unpack("<f", struct.pack("<f", double))[0]
    if single in (0.0, 1.0, -1.0):
        assert abs(x - single) <= 2 ** -26
        return f"{single:.9g}"
    below, above = (struct.unpack("<f", struct.pack("<I", struct.unpack("<I", struct.pack("<f", single))[0] + d))[0]
                    for d in (-1, 1))
    assert abs(x - single) <= min(abs(x - below), abs(x - above))
    return f"{single:.9g}"


for base, width in ((10000, 64), (500000, 128)):
    for position in (0, 1, 2049, 8191, 65537, 131071, 1000003):
        for pair in (0, 1, width // 8, width // 4, width // 2 - 1):
            angle = mpmath.mpf(position) * mpmath.power(base, mpmath.mpf(-2 * pair) / width)
            print(base, width, pair, position, float32(mpmath.cos(angle)), float32(mpmath.sin(angle)))
