#!/usr/bin/env python3
"""Times a RoFormer classifier of rotary beside transformers', eager and compiled; bench/roformer/run makes the
environment and starts it. Rates are the median over rounds; a ratio is the median of the ratios within a round."""

import argparse
import dataclasses
import json
import os
import pathlib
import statistics
import sys

import rounds
import with_rotary
import with_transformers
from cases import SHAPES, all_cases


def measure(case, makers, arguments):
    """The rows of one case, and what is to be said of those that are missing."""
    contenders, complaints = rounds.start(case, makers)
    try:
        seconds = rounds.in_turn(case, contenders, arguments.rounds, arguments.clock)
        memory = [contender.peak_megabytes() for contender in contenders]
    except rounds.Stopped as error:
        return [], [*complaints, f"{case.name}: {error}"]
    finally:
        for contender in contenders:
            contender.close()
    own = next((s for c, s in zip(contenders, seconds) if c.name == "rotary"), None)
    rows = []
    for contender, times, peak in zip(contenders, seconds, memory):
        ratio = statistics.median(t / o for t, o in zip(times, own)) if own else None
        rows.append({"case": case.name, "contender": contender.name, **dataclasses.asdict(case),
                     "threads": arguments.threads, "clock": arguments.clock, "rounds": len(times),
                     "as_installed": arguments.as_installed,
                     "tokens_per_second": case.tokens / statistics.median(times),
                     "fastest": case.tokens / min(times), "slowest": case.tokens / max(times),
                     "rotary_is": ratio, "peak_megabytes": peak})
    return rows, complaints


def show(case, rows):
    print(f"\n{case.name}")
    print(f"  {'':12} {'tokens/s':>10} {'slowest':>10} {'fastest':>10} {'rotary is':>10} {'peak MB':>9}")
    for r in rows:
        ratio = f"{r['rotary_is']:.2f} x" if r["rotary_is"] and r["contender"] != "rotary" else ""
        peak = f"{r['peak_megabytes']:.0f}" if r["peak_megabytes"] else ""
        print(f"  {r['contender']:12} {r['tokens_per_second']:10.0f} {r['slowest']:10.0f} {r['fastest']:10.0f} "
              f"{ratio:>10} {peak:>9}", flush=True)


def shape(text):
    """D,LAYERS,HEADS,SEQ_LEN,BATCH[,STEPS]"""
    numbers = [int(part) for part in text.split(",")]
    if len(numbers) not in (5, 6) or min(numbers) < 1:
        raise ValueError(text)
    return tuple(numbers) if len(numbers) == 6 else (*numbers, 1)


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="build/rotary-nn", help="what is timed (default build/rotary-nn)")
    parser.add_argument("--filter", default="", help="only cases whose name holds this text")
    parser.add_argument("--shape", type=shape, action="append", metavar="D,LAYERS,HEADS,SEQ_LEN,BATCH[,STEPS]",
                        help="this one instead of the three usual ones; may be given again")
    parser.add_argument("--dtype", default="f32", help="f32, bf16 or f32,bf16 (default f32)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of everyone (default all cores)")
    parser.add_argument("--rounds", type=int, default=7, help="of each case (default 7)")
    parser.add_argument("--clock", choices=("seconds", "cpu_seconds"), help="the wall's, or the process's time on the "
                        "cores (default for one thread, where neighbours' work then does not count)")
    parser.add_argument("--peers", default="eager,compiled", help="which, separated by commas (default both)")
    parser.add_argument("--as-installed", action="store_true",
                        help="do not tell the peers' allocator to keep freed memory")
    parser.add_argument("--json", help="also write the rows to this file")
    arguments = parser.parse_args()
    if arguments.rounds < 1 or arguments.threads < 1:
        parser.error("--rounds and --threads must be at least 1")
    if not set(arguments.dtype.split(",")) <= {"f32", "bf16"}:
        parser.error(f"--dtype must be f32, bf16 or both, got {arguments.dtype}")
    arguments.clock = arguments.clock or ("cpu_seconds" if arguments.threads == 1 else "seconds")
    return arguments


def makers_of(case, arguments):
    peers = with_transformers.makers(case, arguments.threads, keep_memory=not arguments.as_installed)
    found = [peer for peer in peers if peer[0] in arguments.peers.split(",")]
    if pathlib.Path(arguments.program).is_file():
        found.insert(0, with_rotary.maker(case, arguments.program, arguments.threads))
    return found


def main():
    arguments = parse()
    if not pathlib.Path(arguments.program).is_file():
        print(f"without rotary: {arguments.program} is not built", file=sys.stderr)
    all_rows, failed = [], False
    for case in all_cases(arguments.dtype.split(","), arguments.shape or SHAPES):
        if arguments.filter not in case.name:
            continue
        rows, complaints = measure(case, makers_of(case, arguments), arguments)
        print(*complaints, sep="\n", end="\n" if complaints else "", file=sys.stderr)
        failed = failed or bool(complaints)
        show(case, rows)
        all_rows += rows
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(all_rows, indent=1), encoding="utf-8")
    return 1 if failed or not all_rows else 0


if __name__ == "__main__":
    sys.exit(main())
