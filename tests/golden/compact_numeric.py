"""Compact copies of the recorded engine outputs that tests/core reads: exact/ and ggml/.

usage: python compact_numeric.py ENGINES_DIR      (needs numpy and safetensors)

ENGINES_DIR has exact/, ggml/ as gen_exact.py and gen_ggml.py write them. Every output is a raw little-endian array; the layouts are
in exact/README.md and ggml/README.md.
"""
import json
import os
import sys

import numpy as np
from safetensors.numpy import load_file

HERE = os.path.dirname(os.path.abspath(__file__))
DIMS, BASES = (32, 64, 80, 96, 128, 256), (10000, 500000, 1000000, 10000000, 150000)
EXT = ("linear3", "yarn4", "yarn16_b1e6", "yarn32_b150000_gptoss", "yarn40_cancelled", "yarn8_beta64_2", "llama3_8", "llama3_32",
       "longrope", "prope")
MULTI = ("mrope/d64/n64/s8_12_12_0/plain", "mrope/d64/n64/s8_12_12_0/yarn4", "imrope/d64/n64/s11_11_10_0/yarn4",
         "imrope/d64/n64/s12_10_10_0/base5000000", "vision/d64/n32/s16_16_0_0/plain")


def save(path, arrays, dtype):
    with open(os.path.join(HERE, path), "wb") as f:
        for a in arrays:
            f.write(np.ascontiguousarray(a).astype(dtype).tobytes())


def exact(d):
    t = load_file(d + "/exact.safetensors")
    cases = [f"exact/d{n}/base{b}/" for n in DIMS for b in BASES]
    save("exact/positions.f64", [t["positions"]], "<f8")
    save("exact/inv_freq.f64", [t[c + "inv_freq_f64"] for c in cases], "<f8")
    save("exact/inv_freq.f32", [t[c + "inv_freq_f32"] for c in cases], "<f4")
    for name in ("cos", "sin"):
        save(f"exact/{name}.f32", [t[f"{c}{name}_f32"] for c in cases], "<f4")
        save(f"exact/{name}_freq32.f32", [t[f"{c}{name}_freq32_f64"] for c in cases], "<f4")


def ggml(d):
    index = {c["id"]: c for c in json.load(open(d + "/index.json"))["cases"]}
    files = {}

    def get(case, kind, name):
        c = index[case]
        return files.setdefault(c["file"], load_file(f"{d}/{c['file']}"))[c[kind][name]["tensor"]]

    tables = [c for n in DIMS for b in BASES if (c := f"table/d{n}/base{b}") in index]
    with open(os.path.join(HERE, "ggml/table_cases.txt"), "w") as f:
        f.writelines(f"{index[c]['attributes']['n_dims']} {index[c]['attributes']['freq_base']:.0f}\n" for c in tables)
    save("ggml/table_positions.i32", [get(tables[0], "inputs", "positions")], "<i4")
    for name in ("cos", "sin"):
        save(f"ggml/table_{name}.f32", [get(c, "outputs", name) for c in tables], "<f4")
    ext = [f"ext/normal/d64/n64/{v}/f32" for v in EXT]
    save("ggml/ext_positions.i32", [get(ext[0], "inputs", "positions")], "<i4")
    save("ggml/ext_x.f32", [get(ext[0], "inputs", "x")], "<f4")
    save("ggml/ext_longrope_factors.f32", [get("ext/normal/d64/n64/longrope/f32", "inputs", "freq_factors")], "<f4")
    save("ggml/ext_y.f32", [get(c, "outputs", "y") for c in ext], "<f4")
    multi = [f"multi/{v}/f32" for v in MULTI]
    save("ggml/multi_positions.i32", [get(multi[0], "inputs", "positions")], "<i4")
    save("ggml/multi_x.f32", [get(c, "inputs", "x") for c in multi], "<f4")
    save("ggml/multi_y.f32", [get(c, "outputs", "y") for c in multi], "<f4")
    for c in ext + multi:
        print(c, index[c]["attributes"])


exact(sys.argv[1] + "/exact")
ggml(sys.argv[1] + "/ggml")
