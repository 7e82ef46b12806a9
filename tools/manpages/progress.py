"""How far a long step is: a line that is rewritten on a terminal, a line for each quarter elsewhere."""

import sys
import time


class Progress:
    """`with Progress(title, total) as progress: progress.update(done, note)`.

    `done` and `total` are in any one unit. `rate`, if given, is (name, size) of the unit for the speed: ("MB", 1e6).
    """

    def __init__(self, title, total, rate=None, stream=None):
        self._title, self._total, self._rate = title, max(total, 1), rate
        self._stream = stream or sys.stdout
        self._live = self._stream.isatty()
        self._start = self._last = time.monotonic()
        self._first = None  # what was done at the first update, before this run did anything
        self._quarter = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._live:
            self._stream.write("\n")

    def update(self, done, note=""):
        if self._first is None:
            self._first = done
        now = time.monotonic()
        finished = done >= self._total
        if self._live and (finished or now - self._last > 0.1):
            self._last = now
            self._stream.write(f"\r\033[K{self._line(done, note)}")
            self._stream.flush()
        quarter = 4 * min(done, self._total) // self._total
        if not self._live and quarter > self._quarter:
            print(self._line(done, note), file=self._stream, flush=True)
        self._quarter = quarter

    def _line(self, done, note):
        parts = [f"{self._title} {100 * min(done, self._total) // self._total:3d} %"]
        if note:
            parts.append(note)
        gained, elapsed = done - (self._first or 0), time.monotonic() - self._start
        if gained > 0 and elapsed > 0.5:
            if self._rate:
                name, size = self._rate
                parts.append(f"{gained / size / elapsed:.1f} {name}/s")
            if done < self._total:
                parts.append(f"{elapsed * (self._total - done) / gained:.0f} s left")
        return ", ".join(parts)
