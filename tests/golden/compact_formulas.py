"""Compact copy of the recorded defining formulas that tests/core reads: formulas/.

usage: python compact_formulas.py FORMULAS_DIR

FORMULAS_DIR has index.json and formulas.safetensors as gen_formulas.py writes them. The layouts are in
formulas/README.md. Needs the standard library only.
"""
import json
import os
import struct
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "formulas")
LISTS = ("plain", "linear", "ntk_fixed_alpha", "dynamic_at_2_L0", "yarn_truncated", "yarn_not_truncated",
         "yarn_paper_ramp", "llama3_low1_high4", "yarn_magnitude")


class Tensors:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.bytes = f.read()
        size = struct.unpack("<Q", self.bytes[:8])[0]
        self.header, self.start = json.loads(self.bytes[8:8 + size]), 8 + size

    def __getitem__(self, name):
        begin, end = self.header[name]["data_offsets"]
        return self.bytes[self.start + begin:self.start + end]


def save(name, lines, blobs):
    with open(os.path.join(HERE, name + ".txt"), "w") as f:
        f.writelines(" ".join(str(word) for word in line) + "\n" for line in lines)
    if blobs:
        with open(os.path.join(HERE, name + ".f64"), "wb") as f:
            f.writelines(blobs)


def main(directory):
    cases = json.load(open(directory + "/index.json"))["cases"]
    tensors = Tensors(directory + "/formulas.safetensors")
    of = lambda op: [c for c in cases if c["op"] == op]
    get = lambda c, name: tensors[{**c["inputs"], **c["outputs"]}[name]["tensor"]]

    scaled = of("scaled inverse frequencies")
    save("scaled", [(a["d"], int(a["base"]), a["original_length"], int(a["factor"]), *a["yarn_range_truncated"],
                     *a["yarn_range_exact"]) for a in (c["attributes"] for c in scaled)],
         [get(c, name) for c in scaled for name in LISTS])

    part = of("p-RoPE") + of("partial rotary")
    save("partial", [(c["op"].replace(" ", "_"), c["attributes"]["d"],
                      c["attributes"].get("rotary_dim", c["attributes"]["d"]), c["attributes"].get("p", 1)) for c in part],
         [get(c, name) for c in part for name in ("positions", "x", "inv_freq", "y")])

    xpos = [c for c in of("xpos") if c["attributes"]["d"] < 64 and c["attributes"]["offset"] < 40]
    save("xpos", [[c["attributes"][k] for k in ("d", "query_length", "offset", "scale_base", "min_pos")] for c in xpos],
         [get(c, name) for c in xpos for name in ("q", "k", "zeta", "scale", "q_out", "k_out", "scores")])

    axes = of("axis of each pair")
    digits = lambda c, name: "".join(str(n) for n, in struct.iter_unpack("<i", get(c, name)))
    save("axes", [(*c["attributes"]["sections"], digits(c, "contiguous"), digits(c, "interleaved")) for c in axes], [])


main(sys.argv[1])
