"""One shape, several implementations: the data, the true answer, and rounds in which each is timed in turn."""

import dataclasses
import statistics
import time
from typing import Callable

import ml_dtypes
import numpy as np

DTYPES = {"float32": np.dtype(np.float32), "float16": np.dtype(np.float16), "bfloat16": np.dtype(ml_dtypes.bfloat16)}
BASE = 10000.0


@dataclasses.dataclass(frozen=True)
class Case:
    """Head vectors [tokens][heads][dim] of one sequence, at positions first, first + 1, ..."""

    kind: str
    tokens: int
    dtype: str
    pairing: str  # half or interleaved
    heads: int = 40
    dim: int = 128
    first: int = 0

    @property
    def name(self):
        return f"{self.kind} {self.tokens}x{self.heads}x{self.dim} {self.dtype} {self.pairing}"

    @property
    def shape(self):
        return (self.tokens, self.heads, self.dim)

    @property
    def moved_bytes(self):
        """Read and written, once."""
        return 2 * self.tokens * self.heads * self.dim * DTYPES[self.dtype].itemsize

    @property
    def frequencies(self):
        return BASE ** (-np.arange(0, self.dim, 2) / self.dim)

    def angles(self):
        """[tokens][pairs], double."""
        return (self.first + np.arange(self.tokens))[:, None] * self.frequencies

    def input(self):
        """Multiples of 1/128 in [-1, 1), which every dtype holds exactly; the same every time."""
        out = aligned(self.shape, DTYPES[self.dtype])
        out[:] = (np.random.default_rng(1).integers(-128, 128, self.shape) / 128).astype(DTYPES[self.dtype])
        return out

    def sample(self):
        """The tokens whose answers are compared."""
        return sorted({0, 1, self.tokens // 3, self.tokens - 1} & set(range(self.tokens)))

    def answer(self):
        """[sample][heads][dim] in double."""
        x = self.input()[self.sample()].astype(np.float64)
        t = self.angles()[self.sample()][:, None, :]
        first, second = ends(self)
        out = np.empty_like(x)
        out[..., first] = x[..., first] * np.cos(t) - x[..., second] * np.sin(t)
        out[..., second] = x[..., first] * np.sin(t) + x[..., second] * np.cos(t)
        return out


def ends(case):
    """The slices of the channels that are the first and the second ends of the pairs."""
    half = case.dim // 2
    if case.pairing == "half":
        return slice(0, half), slice(half, case.dim)
    return slice(0, case.dim, 2), slice(1, case.dim, 2)


def aligned(shape, dtype):
    """An array whose memory starts on a page, as that of a large allocation does."""
    size = int(np.prod(shape)) * dtype.itemsize
    raw = np.empty(size + 4096, np.uint8)
    start = -raw.ctypes.data % 4096
    return raw[start : start + size].view(dtype).reshape(shape)


@dataclasses.dataclass
class Contender:
    name: str
    in_place: bool
    run: Callable[[int], None]  # so many times
    output: Callable[[], np.ndarray] | None = None  # [tokens][heads][dim] of the last run; None: nothing to check
    tolerance: float = 0.0
    note: str = ""


# Absolute, for inputs below 1: float32 as every table of float32 allows; 16-bit results rounded once.
ROUNDED_ONCE = {"float32": 5e-7, "float16": 1e-3, "bfloat16": 8e-3}
# All operations in the dtype itself, cosines and sines too.
ROUNDED_OFTEN = {"float32": 5e-7, "float16": 4e-3, "bfloat16": 3e-2}


def check(case, contender):
    """Runs once; raises if the answer is wrong. Must be the first run."""
    contender.run(1)
    if contender.output is None:
        return
    got = np.asarray(contender.output()).reshape(case.shape)[case.sample()].astype(np.float64)
    worst = np.abs(got - case.answer()).max()
    if not worst <= contender.tolerance:
        raise SystemExit(f"{case.name}: {contender.name} must be right within {contender.tolerance:g}, is off by {worst:g}")


def clock(threads):
    """One thread: the time that the process spent on a core, so that neighbours' work does not count."""
    return time.process_time if threads == 1 else time.perf_counter


def repeats_for(contender, now, sample_seconds):
    contender.run(1)
    repeats, seconds = 1, 0.0
    while True:
        start = now()
        contender.run(repeats)
        seconds = now() - start
        if seconds > sample_seconds / 2 or repeats >= 1 << 16:
            return max(1, round(repeats * sample_seconds / max(seconds, 1e-9)))
        repeats *= 2


def time_in_rounds(contenders, seconds, threads, sample_seconds=2e-3, min_rounds=5):
    """Median seconds of one run of each, timed in turn in an order that changes from round to round."""
    now = clock(threads)
    repeats = [repeats_for(c, now, sample_seconds) for c in contenders]
    samples = [[] for _ in contenders]
    end, round_ = time.perf_counter() + seconds, 0
    while round_ < min_rounds or time.perf_counter() < end:
        order = [(round_ // 2 + i) % len(contenders) for i in range(len(contenders))]
        for k in order if round_ % 2 == 0 else reversed(order):
            start = now()
            contenders[k].run(repeats[k])
            samples[k].append((now() - start) / repeats[k])
        round_ += 1
    return [statistics.median(s) for s in samples]
