#!/usr/bin/env python3
"""Compares rotary with other implementations of the rotation; bench/peers/run makes the environment and starts it."""

import argparse
import importlib
import json
import sys

import limits
import table_contest
from contest import Case, check, time_in_rounds

PEERS = ("plain_c", "ggml", "onnxruntime", "pytorch", "mlx")

CASES = [
    *(Case("prefill", 2048, dtype, pairing) for pairing in ("half", "interleaved")
      for dtype in ("float32", "float16", "bfloat16")),
    Case("batch", 64, "float32", "half", first=4096),
    Case("batch", 64, "bfloat16", "half", first=4096),
    Case("decode", 1, "float32", "half", first=4096),
    Case("decode", 1, "bfloat16", "half", first=4096),
]


def import_peers(names):
    """Modules of the peers that are installed; says which are not."""
    modules = [importlib.import_module("with_rotary")]
    for name in names:
        try:
            modules.append(importlib.import_module(f"with_{name}"))
        except (ImportError, OSError) as error:
            print(f"without {name}: {error}", file=sys.stderr)
    return modules


def contenders_of(module, case, arguments):
    """Checked ones; a peer that is not built or cannot do a case leaves it."""
    try:
        found = module.contenders(case, arguments.build, arguments.threads)
    except (OSError, StopIteration, RuntimeError) as error:
        print(f"{case.name}: without {module.__name__}: {error}", file=sys.stderr)
        return []
    for contender in found:
        check(case, contender)
    return found


def measure(case, modules, arguments):
    """Rows: contender, in place or not, GB/s, share of the limit, how many times rotary's rate is its own."""
    found = [c for module in modules for c in contenders_of(module, case, arguments)]
    limit = limits.contenders(case, arguments.build, 1)
    seconds = time_in_rounds(found + limit, arguments.seconds, arguments.threads)
    best, own = {}, {}
    for contender, time_ in zip(found + limit, seconds):
        if contender in limit:
            best[contender.in_place] = min(time_, best.get(contender.in_place, time_))
        elif contender.name == "rotary":
            own[contender.in_place] = time_
    rows = []
    for contender, time_ in zip(found, seconds):
        rows.append({"case": case.name, "contender": contender.name, "in_place": contender.in_place,
                     "us": time_ * 1e6, "gbps": case.moved_bytes / time_ * 1e-9,
                     "limit_gbps": case.moved_bytes / best[contender.in_place] * 1e-9,
                     "share": best[contender.in_place] / time_, "rotary_is": time_ / own[contender.in_place]})
    return rows


def show(case, rows):
    print(f"\n{case.name}")
    print(f"  {'':24} {'':12} {'us':>10} {'GB/s':>8} {'limit':>8} {'share':>6} {'rotary is':>10}")
    for r in rows:
        place = "in place" if r["in_place"] else "out of place"
        ratio = "" if r["contender"] == "rotary" else f"{r['rotary_is']:.1f} x"
        print(f"  {r['contender']:24} {place:12} {r['us']:10.2f} {r['gbps']:8.1f} {r['limit_gbps']:8.1f} "
              f"{100 * r['share']:5.0f}% {ratio:>10}", flush=True)


def show_table(rows):
    print(f"\ntable of {table_contest.ROWS} positions x {table_contest.PAIRS} pairs")
    for name, milliseconds, error in rows:
        print(f"  {name:24} {milliseconds:10.1f} ms   largest error {error:.1e}   rotary takes "
              f"{rows[0][1] / milliseconds:.2f} x as long")


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="folder that bench/peers/run has made")
    parser.add_argument("--filter", default="", help="only cases whose name holds this text")
    parser.add_argument("--seconds", type=float, default=4, help="measuring time of a case (default 4)")
    parser.add_argument("--threads", type=int, default=1, help="of every contender that can be told (default 1)")
    parser.add_argument("--peers", default=",".join(PEERS), help="which, separated by commas (default all)")
    parser.add_argument("--json", help="also write the rows to this file")
    return parser.parse_args()


def main():
    arguments = parse()
    modules = import_peers([name for name in arguments.peers.split(",") if name])
    all_rows = []
    for case in CASES:
        if arguments.filter in case.name:
            rows = measure(case, modules, arguments)
            show(case, rows)
            all_rows += rows
    if arguments.filter in "table":
        rows = table_contest.table(arguments.build, arguments.seconds)
        show_table(rows)
        all_rows += [{"case": "table", "contender": name, "ms": ms, "largest_error": float(e)} for name, ms, e in rows]
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as out:
            json.dump(all_rows, out, indent=1)


if __name__ == "__main__":
    main()
