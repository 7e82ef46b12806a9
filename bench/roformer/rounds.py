"""Programs that are timed in turn. Each is a process that waits: it reads a line `round`, does the steps of one round,
and answers with one line of JSON, {"seconds", "cpu_seconds", "tokens"}, in training also "loss". It ends when its input
does."""

import json
import math
import os
import pathlib
import re
import subprocess
import tempfile


class Stopped(Exception):
    """A program that ended, or answered with something else."""


class Contender:
    def __init__(self, name, command, environment):
        self.name = name
        self.log = tempfile.TemporaryFile(mode="w+", encoding="utf-8", errors="replace")
        try:
            self.process = subprocess.Popen(command, env={**os.environ, **environment}, text=True,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log)
        except OSError as error:
            raise Stopped(f"{name}: {error}") from error

    def round(self, case):
        """What one round took. Everyone must have done the same work."""
        answer = self.ask(("seconds", "cpu_seconds", "tokens") + (("loss",) if case.mode == "train" else ()))
        if answer["tokens"] != case.tokens:
            raise Stopped(f"{self.name}: a round must be {case.tokens} tokens, got {answer['tokens']}")
        if case.mode == "train" and not math.isfinite(answer["loss"]):
            raise Stopped(f"{self.name}: the loss must be finite, got {answer['loss']}")
        return answer

    def ask(self, keys):
        line = ""
        try:
            self.process.stdin.write("round\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
            answer = json.loads(line)
            return {key: float(answer[key]) for key in keys}
        except (OSError, ValueError, TypeError, KeyError) as error:
            said = f"{line.strip()[:80]!r}{self.last_words()}"
            raise Stopped(f"{self.name}: must answer with a line of JSON, got {said}") from error

    def last_words(self):
        self.log.seek(0)
        lines = [line.strip() for line in self.log if line.strip()]
        return f" ({lines[-1][:200]})" if lines else ""

    def peak_megabytes(self):
        """Of the process so far, where the system says."""
        try:
            status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
            return int(re.search(r"VmHWM:\s*(\d+)", status)[1]) / 1024
        except (OSError, TypeError):
            return None

    def close(self):
        try:
            self.process.stdin.close()
            self.process.wait(timeout=20)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.log.close()


def start(case, makers):
    """Starts each and lets it do one round that does not count: compilers compile, caches fill. Returns the contenders
    and what is to be said of those that could not."""
    ready, complaints = [], []
    for name, command, environment in makers:
        contender = None
        try:
            contender = Contender(name, command, environment)
            contender.round(case)
            ready.append(contender)
        except Stopped as error:
            complaints.append(f"{case.name}: without {error}")
            if contender:
                contender.close()
    return ready, complaints


def in_turn(case, contenders, rounds, clock):
    """Seconds of every round of each, [contender][round]; one at a time, forwards and backwards by turns."""
    seconds = [[] for _ in contenders]
    for number in range(rounds):
        order = range(len(contenders)) if number % 2 == 0 else reversed(range(len(contenders)))
        for k in order:
            seconds[k].append(contenders[k].round(case)[clock])
    return seconds
